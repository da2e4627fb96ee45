"""Speaking for the place: what its people say of a match that it plays, and which of it is the captain's alone.

Any of them begins a match in its name, proposes turns and votes; who began the match is its captain, and resigns, offers and answers.
They ask for the place, too, where it is invited, and in cups, ladders and leagues.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from bot.chat.callback_data import Verb
from bot.chat.context import Context
from bot.chat.errors import BadCommand, CommandError, InMatch, no_such_word
from bot.chat.grammar import CHANNEL, ON
from bot.chat.match_lookup import RoomMatches, sound
from bot.chat.presenting.lettered import LETTERS
from bot.chat.presenting.moments import soon
from bot.chat.registry import SPEAKING
from bot.chat.seen import first_seen
from bot.chat.view import Message
from bot.chat.visitor import Visitor
from bot.features.channels.council import (
    Council,
    Member,
    NotNow,
    Stage,
    check_captain,
    propose,
)
from bot.features.channels.keeping import Councils, asked_by, on_turn
from bot.features.events.ladder import LadderRefusal
from play.actions.playing import FINISH, MakeMove, check_on_turn
from play.errors import Refused
from play.events.event import EventRefused
from play.events.forms.ladder import LadderRefused
from play.facts import Fact
from play.match import Match, Phase
from play.people import Account, Player, channel, entering
from play.request import Action
from rules.core import AnyGame, Position

_RELAY: Final = frozenset({"relay", "естафета", "эстафета"})
_VOTE: Final = frozenset({"vote", "голосування", "голосуванням", "голосование", "голосованием"}) | ON
_NOT_PLAYING: Final = frozenset(
    {Refused.NOT_SEATED, Refused.NOT_INVITED, Refused.FULL, BadCommand.NO_TURN_HERE, BadCommand.NOTHING_FITS}
    | {BadCommand.NO_INVITATION, BadCommand.PLAYED_ELSEWHERE, BadCommand.NO_GAME_AT_ALL}
    | {BadCommand.NOTHING_TO_DECLINE, BadCommand.NOT_ADMIN}
)
"""What refuses a request of somebody who does not play."""

_ANYONE: Final = frozenset({"move", Verb.MOVE, Verb.MOVES, Verb.STEP})
_NEVER: Final = {"hint": NotNow.NO_HINTS, "coach": NotNow.NO_HINTS, "tell": NotNow.NO_LETTERS}
_EVENTS: Final = frozenset({"cup", "ladder", "league"})
_ENTERS: Final = frozenset({"join", "challenge", "accept"})
"""What of an event makes who asks the captain of the match that comes of it."""

_BEGINS: Final = frozenset({"accept", "rematch"})
_CAPTAIN: Final = frozenset(
    {"draw", "resign", "takeback", "undo", "pause", "resume", "claim", "moretime", "withdraw", "decline"}
    | {"leave", "start", "end", Verb.YES, Verb.NO, Verb.VOTE}
)


@dataclass(frozen=True, slots=True)
class Speaking:
    """A person of the place; their moves are proposals, or played in a relay when it is their turn.

    Attributes:
        typed: How they ask for it.
    """

    visitor: Visitor
    typed: str = "channel"

    async def act(self, context: Context, match: Match, action: Action[Fact]) -> Sequence[Message] | None:
        """See `bot.chat.context.Speaker`."""
        councils, account = Councils(context.services), context.visitor.account
        if isinstance(action, MakeMove):
            check_on_turn(match, context.course(match), context.request())
        elif (
            match.phase is not Phase.PLAYING or match.seat_of(account) is None
        ):  # anyone begins, or calls off
            return None
        council = await councils.present(match, account)
        if not isinstance(action, MakeMove):
            check_captain(council, Member(council.key(self.visitor.account), ""))
            return None
        if (who := await _mover(context, match, council, self.visitor)) is None:
            return None
        course, words = context.course(match), context.words
        moves = whole_turn(course.game, course.position, action.text)
        council = await councils.change(match, account, lambda now: propose(now, who, moves, context.at)[0])
        if (turn := council.turn) is None:
            return []
        letter = LETTERS[[each.turn for each in turn.proposals].index(moves)]
        when = soon(turn.vote, context.at, words, context.own.own_zone)
        said = words("bot.channel.proposed", letter=letter, turn=moves, when=when)
        return [context.private(context.present(match).note(said))]


async def _mover(context: Context, match: Match, council: Council, visitor: Visitor) -> Member | None:
    """Return a person who may propose now; None for the member of a relay whose turn it is. Refused to others."""
    if runner := council.runner():
        if runner.account != str(visitor.account):
            joined = any(each.account == str(visitor.account) for each in council.pool)
            raise CommandError(NotNow.LATER if joined else NotNow.NOT_DRAWN, name=runner.name)
        return None
    if council.turn and council.turn.stage(context.at) is Stage.VOTE:
        raise CommandError(NotNow.VOTING)
    return await member(context, match, council, visitor)


async def member(context: Context, match: Match, council: Council, visitor: Visitor) -> Member:
    """Return a person as the place knows them; refused to those whom it has not seen before the match began, and to other players."""
    if match.seat_of(visitor.account) is not None:
        raise CommandError(NotNow.OPPONENT)
    if council.began is not None and not visitor.plain:  # a room of the console notes nobody
        chat, accounts = visitor.chat, dict.fromkeys((visitor.account, context.asker))
        since = [*await first_seen(context.store, chat, [*accounts]), visitor.member_since]
        if not any(seen is not None and seen < council.began for seen in since):
            raise CommandError(NotNow.NOT_SEEN)
    return Member(council.key(visitor.account), entering(visitor.player).name)


def whole_turn(game: AnyGame, position: Position[Any], text: str) -> str:
    """Return a whole turn in canonical notation; refuse a part of one."""
    rest = game.finish(position) if text == FINISH else ()
    moves = rest or game.notation.parse(text, position)
    after = position
    for move in moves:
        after = after.play(move)
    whole = after.outcome or after.to_move != position.to_move or after.plies_left == after.turn_length
    if not whole:
        raise CommandError(NotNow.WHOLE_TURN)
    return " ".join(map(game.notation.format, moves))


def as_place(context: Context, account: Account, typed: str = "channel") -> Context:
    """Return the request in the name of the place."""
    visitor = context.visitor
    name = visitor.place_name or context.place_words("bot.channel.unnamed")
    spoken = replace(visitor, player=Player(account, name), alias=None, called=None)
    here = RoomMatches(context.store, visitor.place, account)
    return replace(context, visitor=spoken, here=here, speaker=Speaking(visitor, typed))


@SPEAKING
async def speak(context: Context, asked: str, refusal: Exception | None) -> Context | None:
    """Return a request in the name of the place, if it is said to be, or if it is about a match that the place plays."""
    visitor, account = context.visitor, channel(context.visitor.place)
    councils = Councils(context.services)
    if context.speaker is not None:
        return None
    if refusal is None:
        return await _named(context, asked, account)
    reason = getattr(refusal.refusal if isinstance(refusal, InMatch) else refusal, "reason", None)
    typed = context.seen is None and not context.command.code
    own = (
        typed
        and asked not in _BEGINS
        and reason in ({Refused.NOT_YOUR_TURN, Refused.OVER} if asked == "move" else {Refused.OVER})
    )
    if not (own or reason in _NOT_PLAYING) or asked not in _ANYONE | _BEGINS | _CAPTAIN | {*_NEVER}:
        return None
    matches = [refusal.match] if isinstance(refusal, InMatch) and not typed else await _meant(context)
    concerned = [match for match in matches if any(chair.concerns(account) for chair in match.chairs)]
    playing = [match for match in concerned if match.phase is Phase.PLAYING]
    if own:  # in a match of their own, which waits for another or is over
        concerned = playing
    if own and asked == "move":
        concerned = [match for match in playing if on_turn(context.services, match, account)]
    if not concerned:
        return None
    if asked in _BEGINS:
        if concerned[0].seat_of(visitor.account) is not None:
            raise CommandError(NotNow.OPPONENT)
        before = await councils.of(concerned[0], account)
        relay = before is not None and before.relay
        await asked_by(context.store, visitor.place, visitor.player, relay=relay)
    elif playing:
        await _check(context, asked, [(match, await councils.present(match, account)) for match in playing])
    return as_place(context, account)


async def _meant(context: Context) -> Sequence[Match]:
    if context.command.code:
        return [await context.finder.named(context.command.code)]
    return [match for match in await context.here.matches() if sound(context.table, match)]


async def _check(context: Context, asked: str, playing: Sequence[tuple[Match, Council]]) -> None:
    """Refuse at once what a person of the place may not do in a match, before they pick a move on the board of all."""
    visitor = context.visitor
    if asked in _NEVER:
        raise CommandError(_NEVER[asked])
    if asked in _ANYONE:
        [(match, council), *others] = playing
        if not others and council.turn is not None:
            await _mover(context, match, council, visitor)
            if visitor.picks_in_public:
                await Councils(context.services).hold(match, channel(visitor.place))
    else:
        councils = [council for _, council in playing]
        led = (each for each in councils if each.captain.key == each.key(visitor.account))
        first = next(led, councils[0])  # which one is meant is not known yet: `Speaking.act` looks at that
        check_captain(first, Member(first.key(visitor.account), ""))


async def _named(context: Context, asked: str, account: Account) -> Context:
    visitor, command = context.visitor, context.command
    if visitor.alone:
        raise CommandError(NotNow.ALONE)
    how = [value for key, value in command.options.items() if key in CHANNEL]
    if unknown := next((each for each in how if each.casefold() not in _RELAY | _VOTE), ""):
        raise no_such_word(unknown)
    said = (*command.words, *how)
    relay, left = any(word.casefold() in _RELAY for word in said), command.without(CHANNEL | _RELAY, *CHANNEL)
    if (left.rest or left.code) and (asked not in _EVENTS or _ENTERS & set(left.words)):
        await asked_by(context.store, visitor.place, visitor.player, relay=relay)
    return as_place(replace(context, command=left), account, "channel:relay" if relay else "channel")


_NOT_INVITED: Final = {
    *(Refused.NOT_INVITED, Refused.NOT_HOST_NOR_SEATED, Refused.NOT_SEATED, Refused.RATED_CHANNEL),
}
_NOT_IN: Final = {EventRefused.NOT_IN, LadderRefused.NOT_YOURS, LadderRefusal.NO_CHALLENGE}
"""What refuses a request about an event to somebody who is not in it."""


@SPEAKING
async def speak_for_invited(context: Context, _asked: str, refusal: Exception | None) -> Context | None:
    """Return a request in the name of the place, if that is invited, or in an event, and who asks is not."""
    match = refusal.match if isinstance(refusal, InMatch) else None
    reason = getattr(refusal.refusal if isinstance(refusal, InMatch) else refusal, "reason", None)
    place, account, ours = context.visitor.place, channel(context.visitor.place), False
    if context.speaker is not None:
        return None
    if match is not None and match.phase is Phase.OPEN and reason in _NOT_INVITED:
        ours = any(chair.concerns(account) for chair in match.chairs)
    elif reason in _NOT_IN:
        events = await context.store.events.at(place)
        ours = any(event.state.entrant_of(account) is not None for event in events)
    return as_place(context, account) if ours else None
