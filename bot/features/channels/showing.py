"""What a place that plays sees: its proposals as letters on the board, what can be pressed, how it voted, and the table at the end.

One message a turn: the board that the opponent's move brings calls those who asked for it, and is edited from then on. How many votes
a proposal has is told to those who have voted. Once the match is over, it is analysed while no one else waits for the engines, and its last
board tells how often the place agreed with them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Final

from bot.chat.callback_data import Verb
from bot.chat.context import Context
from bot.chat.i18n import Words
from bot.chat.presenting.boards import person_on_turn
from bot.chat.presenting.captions import ALT, cut, sentence
from bot.chat.presenting.lettered import LETTERS, lettered, lettered_words
from bot.chat.presenting.moments import soon
from bot.chat.presenting.naming import Presentation, button
from bot.chat.registry import BOARDS, MENUS, Registry
from bot.chat.sending.ports import Recipient
from bot.chat.sending.routing import Announcement, MessageKind, pinged_at
from bot.chat.services import Services
from bot.chat.view import Button, View
from bot.features.analysis import background
from bot.features.analysis.judging import ANALYSED, Judged
from bot.features.channels.council import Council, Stage, Turn, Why, account_of
from bot.features.channels.keeping import LEVEL, REMINDED, Councils, on_turn, place_seats
from play.facts import Deliberated, Fact, Moved
from play.match import Match, Phase, is_engine
from play.people import Account, Address, channel, is_channel
from play.replay import Course
from storage.ports import FullStore

registry: Final = Registry()

_PROPOSERS: Final = 8  # lines of the table
_OVER: Final = "places-over"  # the timeline of matches that are to be analysed

KEYS: Final = {
    "bot.channel.why.{}": ([why.value for why in Why],),
    "bot.channel.button.{}": (("remind", "table", "now", "end"),),
    "bot.channel.stage.{}": ([Stage.TALK, Stage.VOTE, Stage.DECIDED],),
}
"""For the check of the catalogues."""


async def shown(
    services: Services, announcement: Announcement, presentation: Presentation, to: Recipient, newest: Fact
) -> Announcement:
    """Return what is shown at a place that plays, with what its people propose; all else as it is."""
    match, at = presentation.match, services.now()
    if not isinstance(to, Address) or match.seat_of(channel(to)) is None:
        return announcement
    council = await Councils(services).follow(match, channel(to), to)
    view = announcement.view
    if match.phase is Phase.OPEN or announcement.kind in (MessageKind.NOTE, MessageKind.QUESTION):
        board = announcement.board and _deliberated(presentation, council, at, announcement.board)
        return replace(announcement, board=board)
    if not match.live:
        if match.phase is Phase.OVER and council.played and council.best is None:
            await background.note(services.store, _OVER, match, "", at)
        why = (presentation.words("bot.channel.gave-up"),) if council.idle > 1 else ()
        return replace(announcement, view=view.ending(*why, *table(presentation, council)))
    own = isinstance(newest, Moved) and match.player(newest.seat).account == channel(to)
    answered = match.log and is_engine(match.player(match.log[-1].seat).account)  # at once, in one message
    if own or answered:
        view = replace(view, lines=(*decision(council, presentation.words), *view.lines))
    if not on_turn(services, match, channel(to)) or match.revision < council.revision:
        quiet = own and not announcement.ping
        view = replace(view, controls=_usable(presentation, view, to))
        return replace(announcement, view=view, kind=MessageKind.EDIT if quiet else announcement.kind)
    # In a relay the next action is another's, as a rule, who is called.
    runner, last = council.runner(), council.played[-1].by.key if council.played else ""
    passes = own and runner and council.key(account_of(runner.account)) != last
    calls = (
        passes or (isinstance(newest, Deliberated) and newest.calls) or announcement.kind > MessageKind.EDIT
    )
    view = _deliberated(presentation, council, at, view)
    kind, ping = MessageKind.EDIT, announcement.ping
    if calls:
        kind, ping = MessageKind.BOARD, await _called(services, council, to)
    still = replace(announcement, view=view, kind=kind, ping=ping)
    return replace(still, looking=(), recalls=False, keys=lambda: None)


def _usable(presentation: Presentation, view: View, place: Address) -> tuple[Button, ...]:
    """Return the controls of a board, without the key to move where nobody at the place can."""
    mover = person_on_turn(presentation.match, presentation.course)
    elsewhere = mover is None or is_channel(mover.account)
    if mover and mover.account.platform == place.platform:
        elsewhere = pinged_at(presentation.match, mover.account) != place
    return tuple(each for each in view.controls if each.data.verb is not Verb.MOVE or not elsewhere)


async def _called(services: Services, council: Council, place: Address) -> tuple[Account, ...]:
    """Return whom a turn calls: in a relay the member who is drawn, else those who asked for it."""
    if runner := council.runner():
        return (account_of(runner.account),)
    return tuple(map(account_of, await services.store.timelines.read(REMINDED.format(place))))


def deliberating(
    context: Context, presentation: Presentation, council: Council, who: Account | None, view: View
) -> View:
    """Return a board as a person of the place asks for it: with how many votes each proposal has, if they have voted."""
    view = replace(view, controls=_usable(presentation, view, context.visitor.place))
    view = _deliberated(presentation, council, context.at, view)
    own = own_vote(council, council.key(who), presentation.words) if who else ()
    return replace(view, lines=(*view.lines, " ".join(own))) if own else view


@BOARDS
async def board(context: Context, presentation: Presentation, view: View) -> View | None:
    """Return a board as a person of a place that plays sees it."""
    account = channel(context.visitor.place)
    if presentation.match.phase is not Phase.PLAYING or presentation.match.seat_of(account) is None:
        return None
    council = await Councils(context.services).present(presentation.match, account)
    who = None if context.visitor.public else context.visitor.account
    return deliberating(context, presentation, council, who, view)


@MENUS
async def menu(context: Context, presentation: Presentation) -> Sequence[Button] | None:
    """Return what a person of a place that plays can do besides: their captain resigns and ends talk and vote, too."""
    match, account, words = presentation.match, channel(context.visitor.place), context.words
    if match.seat_of(account) is None or match.seat_of(context.visitor.account) is not None:
        return None
    council = await Councils(context.services).present(match, account)
    said = [("remind:on", "remind")]
    said += [("table", "table")] if council.played else []
    turn = council.turn
    leads = council.captain.key in ("", council.key(context.visitor.account))
    if leads and turn and turn.drawn is None and turn.standing:
        said.insert(0, ("now", "now" if turn.stage(context.at) is Stage.TALK else "end"))
    buttons = [
        button(presentation, Verb.BALLOT, typed, label=words(f"bot.channel.button.{key}"))
        for typed, key in said
    ]
    return [*buttons, *((button(presentation, verb) for verb in (Verb.DRAW, Verb.RESIGN)) if leads else ())]


def own_vote(council: Council, who: str, words: Words) -> tuple[str, ...]:
    """Return what a person has voted for, and how many votes each proposal has; nothing for who has not voted."""
    if council.turn is None or who not in council.turn.votes:
        return ()
    counts = council.turn.counts()
    shown = ", ".join(f"{LETTERS[number]} {counts[number]}" for number in council.turn.standing)
    said = words("bot.channel.voted", letter=LETTERS[council.turn.votes[who]])
    return said, words("bot.channel.counts", counts=shown)


def _deliberated(presentation: Presentation, council: Council, at: datetime, view: View) -> View:
    """Return a place's board with what its people have come to: who has the turn, or the proposals, by letters, and the keys for them."""
    turn, words = council.turn, presentation.words
    if turn is None or presentation.match.paused:
        return view
    until = soon(turn.ends(at), at, words, presentation.zone)
    if runner := council.runner():
        said = words("bot.channel.relay", name=runner.name, until=until)
        joins = button(presentation, Verb.BALLOT, "in", label=words("bot.channel.button.in"))
        controls = (*view.controls[:-1], joins, *view.controls[-1:])
        return replace(view, lines=(*view.lines, said), controls=controls)
    stage = turn.stage(at)
    lines = [words(f"bot.channel.stage.{stage}", until=until)]
    lines += [_proposal(turn, number, words) for number in range(len(turn.proposals))]
    if turn.votes:
        lines.append(words.count("bot.channel.votes", len(turn.votes)))
    left = [each for each in view.controls if each.data.verb is not Verb.MOVE]
    label = words("bot.button.propose")
    proposes = (button(presentation, Verb.MOVE, label=label),) if stage is Stage.TALK else ()
    pressed = turn.standing if stage is Stage.VOTE else ()
    if stage is Stage.TALK and turn.crowd:
        pressed = tuple(number for number, each in enumerate(turn.proposals) if not each.vetoed)
    letters = (button(presentation, Verb.BALLOT, LETTERS[n], label=LETTERS[n]) for n in pressed)
    view = replace(view, lines=(*view.lines, *lines), controls=(*proposes, *letters, *left))
    turns = ["" if each.vetoed else each.turn for each in turn.proposals]
    if not any(turns) or view.diagram is None:
        return view
    position = presentation.course.position
    spoken = (sentence(each, words) for each in lettered_words(presentation.names, position, turns))
    alt = cut(" ".join((*spoken, view.alt)), ALT)  # the end of a large board is what may be left out
    return replace(view, diagram=lettered(presentation.game, position, turns), alt=alt)


def _proposal(turn: Turn, number: int, words: Words) -> str:
    each = turn.proposals[number]
    fields = {"letter": LETTERS[number], "turn": each.turn, "name": each.by.name}
    if each.vetoed:
        return words("bot.channel.proposal.vetoed", **fields)
    if turn.crowd and not each.seconds:
        return words("bot.channel.proposal.alone", **fields)
    return words("bot.channel.proposal", **fields)


def decision(council: Council, words: Words) -> tuple[str, ...]:
    """Return how the last turn was decided, as everyone at the place is told."""
    if not council.played:
        return ()
    last = council.played[-1]
    fields = {"turn": last.turn, "name": last.by.name, "votes": last.votes, "of": last.of, "level": LEVEL}
    return (words(f"bot.channel.why.{last.why}", **fields),)


def table(presentation: Presentation, council: Council) -> tuple[str, ...]:
    """Return who proposed what was played, and how often the place agreed with the engine, once the match has been analysed."""
    words, played = presentation.words, [each for each in council.played if each.by.name]
    if not council.played:
        return ()
    counts = Counter(each.by.name for each in played)
    shares = [f"{name} {count}" for name, count in counts.most_common(_PROPOSERS)]
    lines = [words.count("bot.channel.table", len(council.played), shares=", ".join(shares) or "—")]
    if council.best is not None:
        agreed, of, best = council.best
        lines.append(words.count("bot.channel.agreed", of, agreed=agreed))
        if best:
            name = next((each.by.name for each in played if each.turn == best), "")
            lines.append(words("bot.channel.best", turn=best, name=name or "—"))
    return tuple(lines)


@ANALYSED
async def compared(
    _thinker: object, store: FullStore, match: Match, _course: Course, turns: tuple[Judged, ...]
) -> None:
    """Note how often a place that played has chosen what the engine would have, and have its last board tell that."""
    for account, place in place_seats(match):
        seats = tuple(match.seats_of(account))
        own = [each for each in turns if each.played.seat in seats]
        agreed = [each for each in own if each.same]
        # The hardest to find: that with the fewest others as good.
        best = min((each for each in agreed if each.keep), key=lambda each: each.keep or 0, default=None)
        found = " ".join(best.played.plies) if best else ""
        if await Councils.note(store, match, account, (len(agreed), len(own), found)):
            await store.matches.announce(Deliberated(match, place))


@registry.periodically("tables of places", background.LOOK)
async def compare(services: Services, *_: object) -> None:
    """Have matches of places that are over analysed, whose tables then tell of it (`compared`)."""

    async def used(*_: object) -> bool:
        return True

    await background.analyse(services, _OVER, used)


registry.composing["councils"] = lambda services: partial(shown, services)
