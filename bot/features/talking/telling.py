"""/tell: a private message to the player of another seat, or to the team; and its report to a chat."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from bot.chat.arguments import MATCH, HelpTopic, text
from bot.chat.callback_data import CallbackData, Verb
from bot.chat.context import Context
from bot.chat.errors import BadCommand, CommandError, in_match, shown
from bot.chat.match_lookup import Retry
from bot.chat.people import first_account
from bot.chat.presenting.boards import CONFIRMED
from bot.chat.presenting.facts import LETTER, TEAM, inert
from bot.chat.presenting.naming import button, clean
from bot.chat.quotas import REPORTS, TELLS
from bot.chat.registry import Registry
from bot.chat.sending.routing import pinged_at, state_address
from bot.chat.sending.unreached import announce
from bot.chat.view import Message, View, ViewKind
from bot.features.talking.allowing import FEWEST, count, may_talk, talked
from play.errors import NotAllowed
from play.facts import Told
from play.match import PLATFORM, Match
from play.people import CHANNEL, FILED, GONE, Address, Player, private_place, visible
from play.request import check_blocks, check_playing, seat_of
from rules.core import SEATS, Reason, Seat

registry: Final = Registry()

LONGEST: Final = 500  # characters of a message
_REPORTED: Final = LONGEST + 200  # of a reported one, with what stands above it
_NAME_WORDS: Final = 8  # of a player's name that is typed, at most
_TEAM: Final = frozenset({TEAM, "команда", "команді", "команде"})
_NO_PERSON: Final = frozenset({PLATFORM, GONE, FILED, CHANNEL})  # platforms whose accounts read nothing


class TellRefusal(Reason):
    """Why a message is not sent, or not reported."""

    TWO_SEATS = "bot.tell.two-seats"
    OFF = "bot.tell.off"
    NO_TEAM = "bot.tell.no-team"
    NO_SUCH_SEAT = "bot.tell.no-such-seat"  # name, known
    SEVERAL = "bot.tell.several"  # name, known
    TOO_LONG = "bot.tell.too-long"  # limit, length
    NO_PERSON = "bot.tell.no-person"  # name
    UNREACHABLE = "bot.tell.unreachable"  # name
    OVERHEARD = "bot.tell.overheard"  # example
    NO_CHAT = "bot.report.no-chat"
    NO_TEXT = "bot.report.no-text"


@registry.command(
    "tell", text("to"), text("text"), MATCH, topic=HelpTopic.MATCH, button=Verb.TELL, finishing=False
)
async def tell(context: Context) -> Sequence[Message]:
    """`/tell bob text`, `/tell #k7q2mz team text`; without a text, the line to type; alone, to whom one can write."""
    mine = context.finder.mine
    match = await context.in_play(
        lambda match: mine(match) and len(match.chairs) >= FEWEST, otherwise=(mine,), retry=Retry(Verb.TELL)
    )
    with in_match(match):
        seat = seat_of(match, context.visitor.account)
        check_playing(match)
    if len(match.chairs) < FEWEST:
        raise CommandError(TellRefusal.TWO_SEATS)
    if not await may_talk(context.store, match):
        raise CommandError(TellRefusal.OFF)
    if context.visitor.overheard and context.seen is None:  # others have read it
        raise CommandError(TellRefusal.OVERHEARD, example=f"/tell #{match.id}")
    words: Sequence[str] = visible(context.command.rest).split()
    if not words:
        return [await _choice(context, match, seat)]
    seats, words = await _named(context, match, seat, words)
    said, team = " ".join(words), seats is None
    if len(said) > LONGEST:
        raise CommandError(TellRefusal.TOO_LONG, limit=LONGEST, length=len(said))
    seats = await _reached(context, match, seat, seats or context.course(match).side_of(seat))
    presentation = context.present(match)
    names = presentation.names.seats(seats)
    if not said:
        line = f"/tell #{match.id} {TEAM if team else seats[0].number}"
        asked = View(lines=(context.words("bot.tell.type", names=names, line=line),), asks=True)
        return [context.private(asked, ViewKind.CARD)]
    await context.take(TELLS, match.id)
    number = await count(context.store.notes, match, seat, seats, context.once)
    for other in seats:
        told = Told(match, match.player(other).account, said, seat, number, team=team)
        await announce(context.store.matches, told)
    return [context.private(presentation.note(context.words("bot.tell.sent", names=names)), secret=True)]


@registry.button(Verb.REPORT, finishing=False)
async def report(context: Context, pressed: CallbackData) -> Sequence[Message]:
    """Show a received message to the chat whose admins its reader has; asked first, for all there read it."""
    match = await context.table.get(pressed.match)
    with in_match(match):
        seat = seat_of(match, context.visitor.account)
    where = await _chat(context, match)
    if where is None:
        raise CommandError(TellRefusal.NO_CHAT)
    letter = visible(context.visitor.pressed).partition(LETTER)[2]
    if not (said := " ".join(letter.split())[:_REPORTED]):
        raise CommandError(TellRefusal.NO_TEXT)
    presentation, words = context.present(match), context.words
    if pressed.argument != CONFIRMED:
        sure = button(presentation, Verb.REPORT, CONFIRMED, label=words("bot.report.sure"))
        asked = presentation.note(words("bot.report.ask"), f"{LETTER} {inert(said)}", buttons=(sure,))
        return [context.private(asked, ViewKind.CARD)]
    await context.take(REPORTS)
    number = await count(context.store.notes, match, seat, (), context.once)
    await announce(context.store.matches, Told(match, None, said, seat, number, where=where))
    return [context.private(presentation.note(words("bot.report.done")))]


async def _choice(context: Context, match: Match, seat: Seat) -> Message:
    presentation, own = context.present(match), context.visitor.account
    buttons = [
        button(presentation, Verb.TELL, str(other.number), label=presentation.names.seat(other))
        for other in SEATS[: len(match.chairs)]
        if match.player(other).account != own and match.player(other).account.platform not in _NO_PERSON
    ]
    if len(context.course(match).side_of(seat)) > 1:
        buttons.append(button(presentation, Verb.TELL, TEAM, label=context.words("bot.tell.team")))
    lines = (context.words("bot.tell.whom"), *await talked(context.store, presentation))
    return context.private(presentation.note(*lines, buttons=tuple(buttons)), ViewKind.CARD)


async def _named(
    context: Context, match: Match, own: Seat, words: Sequence[str]
) -> tuple[Sequence[Seat] | None, Sequence[str]]:
    """Return whom typed words name first, None for the team, and the words after that."""
    if words[0].casefold() in _TEAM:
        if len(context.course(match).side_of(own)) < 2:
            raise CommandError(TellRefusal.NO_TEAM)
        return None, words[1:]
    seats = SEATS[: len(match.chairs)]
    called = {seat: clean(match.player(seat).name).casefold() for seat in seats}
    others = [seat for seat in seats if match.player(seat).account != match.player(own).account]
    known = context.words.list([f"{seat.number}. {context.names(match).seat(seat)}" for seat in others])
    for length in range(min(len(words), _NAME_WORDS), 0, -1):
        name = " ".join(words[:length]).removeprefix("@").casefold()
        found = [seat for seat in seats if called[seat] == name and seat != own]
        if len({match.player(seat).account for seat in found}) > 1:
            raise CommandError(TellRefusal.SEVERAL, name=shown(words[0]), known=known)
        if found:
            return found[:1], words[length:]
    found = [seat for seat in seats if str(seat.number) == words[0]]
    if not found and (person := context.visitor.find(words[0].removeprefix("@"))):
        found = [*match.seats_of(await first_account(context, person.account))]
    if not found:
        raise CommandError(TellRefusal.NO_SUCH_SEAT, name=shown(words[0]), known=known)
    return found[:1], words[1:]


async def _reached(context: Context, match: Match, own: Seat, seats: Sequence[Seat]) -> Sequence[Seat]:
    """Return those of some seats whose players can be written to, each player once; refused where none can be."""
    refusal: CommandError | NotAllowed = CommandError(BadCommand.YOURSELF)
    reached: dict[object, Seat] = {}
    for seat in seats:
        player, name = match.player(seat), context.names(match).seat(seat)
        if player.account in (match.player(own).account, *reached):
            continue
        try:
            await _check(context, match, player, name)
        except (CommandError, NotAllowed) as why:
            refusal = why
        else:
            reached[player.account] = seat
    if not reached:
        raise refusal
    return [*reached.values()]


async def _check(context: Context, match: Match, player: Player, name: str) -> None:
    if player.account.platform in _NO_PERSON:
        raise CommandError(TellRefusal.NO_PERSON, name=name)
    await check_blocks(context.store.settings, context.visitor.account, [player.account])
    theirs = await context.store.settings.get(player.account)
    dead = await context.store.outgoing().dead(state_address(player.account))
    if match.id in theirs.muted or dead is not None:
        raise CommandError(TellRefusal.UNREACHABLE, name=name)


async def _chat(context: Context, match: Match) -> Address | None:
    """Return where the visitor reads a match with others, by any of their accounts."""
    private = {private_place(account) for account in match.people()}
    for account in dict.fromkeys((context.asker, context.visitor.account, *context.own.others)):
        where = pinged_at(match, account, context.own.left)
        if not isinstance(where, Address) or where in private:
            continue
        if (await context.store.settings.get(where)).person is None:
            return where
    return None


registry.composing["talked"] = lambda services: partial(talked, services.store)
