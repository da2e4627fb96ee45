"""What /cup, /ladder and /league share: refusals, the setup that is typed or pressed, the event that is meant, and who asks."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from bot.chat import error_handling
from bot.chat.context import Context
from bot.chat.errors import CommandError, no_such_word
from bot.chat.game_words import find_game, which_game
from bot.chat.registry import CommandHandler
from bot.chat.view import Button, Message, View
from bot.features.events.parts import Shown, code
from bot.features.matches.match_setup import check_place
from bot.features.matches.orders import joined_names, read_order
from bot.features.matches.setup_questions import clock_label
from play.errors import BadRequest
from play.events.actions import EventAction, Show, StopEvent
from play.events.event import Event, EventRefused, EventSetup, Form, NoSuchEvent
from play.events.events import Events
from play.opening import check_ratable
from play.people import Account
from play.ports import Operation
from play.request import game_named
from play.time.clock import Clock
from play.time.clock_text import clock_of
from rules.core import AnyGame, Reason


class BadEvent(Reason):
    """Why /cup, /ladder or /league is refused; the comment names the fields that come with it."""

    SEVERAL = "bot.event.refused.several"  # codes, example
    STOP_ELSEWHERE = "bot.event.refused.stop-elsewhere"
    ADMIN_ELSEWHERE = "bot.event.refused.admin-elsewhere"
    FOR_TWO = "bot.event.refused.for-two"
    NO_CUP = "bot.cup.refused.none-here"
    BAD_MOST = "bot.cup.refused.bad-most"  # text, low, high
    BAD_CLOSES = "bot.cup.refused.bad-closes"  # text
    BAD_TABLE = "bot.cup.refused.bad-table"  # count
    NO_LEAGUE = "bot.league.refused.none-here"
    NO_LADDER = "bot.ladder.refused.none-here"
    NO_SUCH_PLAYER = "bot.ladder.refused.no-such-player"  # name
    NO_CHALLENGE = "bot.ladder.refused.no-challenge"
    WHICH_CHALLENGE = "bot.ladder.refused.which"


_NONE_HERE: Final[Mapping[Form, Reason]] = {
    Form.CUP: BadEvent.NO_CUP,
    Form.LADDER: BadEvent.NO_LADDER,
    Form.LEAGUE: BadEvent.NO_LEAGUE,
}
_CODE: Final = re.compile(r"#|e[a-z0-9]{6}\Z", re.ASCII | re.IGNORECASE)
_CLOCKS: Final = ("12h", "1d", "3d", "10d+1d12h")  # the clocks that buttons offer


@dataclass(frozen=True, slots=True)
class Ordered:
    """What a command that opens an event says: a setup without settings of its form, and the form's own arguments by name."""

    setup: EventSetup
    game: AnyGame
    options: Any
    own: Mapping[str, str]


async def read_setup(context: Context, form: Form, own: Sequence[str] = ()) -> Ordered:
    """Return what a command names: a game with its options, a clock, and whether it is rated."""
    order = read_order(context)
    chosen, clock = order.chosen, typed_clock(order.clock)
    others = {name: chosen.pop(name) for name in own if name in chosen}
    await check_place(context, order.game)
    game, options = order.game, order.game.choose(chosen)
    if any(len(side) > 1 for side in game.sides(options)):
        raise BadRequest(EventRefused.TEAMS)
    rated = order.rated if "rated" in context.command.chosen() else game.ratable(options)
    if order.rated:
        check_ratable(game, options, ())
    setup = EventSetup(form, game.key, tuple(game.describe(options).items()), clock, rated)
    return Ordered(setup, game, options, others)


def typed_clock(typed: str | None) -> Clock:
    """Return the clock that was typed."""
    clock = clock_of(typed)
    if clock is None:
        raise BadRequest(EventRefused.NO_CLOCK)
    return clock


async def offer_clocks(context: Context, line: str) -> View:
    """Return the question for a clock, with buttons that say a line with each."""
    words = context.words
    lines = {f"{line} clock:{typed}": clock_label(typed, words, "bot.cup.button.bank") for typed in _CLOCKS}
    return View(lines=(words("bot.cup.which-clock"),), buttons=await saying(context, lines))


async def saying(context: Context, lines: Mapping[str, str]) -> tuple[Button, ...]:
    """Return buttons that say lines, by line, with their labels."""
    made = [error_handling.saying(context, line, label) for line, label in lines.items()]
    return tuple(await asyncio.gather(*made))  # at once: their lines are stored in one trip


def names_game(context: Context) -> bool:
    """Return whether a command that opens an event names a game."""
    games = context.table.games
    words = joined_names(games, context.command.words)
    if any(find_game(games, word) for word in words):
        return True
    unknown = [word for word in words if word.isalpha()]
    if unknown:
        raise which_game(context, *unknown)
    return False


def rest_of_line(context: Context, command: str) -> str:
    """Return the line that opens an event, as far as it is typed."""
    return f"{command} {context.command.rest.removeprefix('new').strip()}".rstrip()


async def show_here(context: Context, event: Event) -> Event:
    """Return an event after the place of a visitor who has entered is one of its places; none that is a person's own.

    Boards come to them privately, in the language in which they entered unless they have chosen one.
    """
    if context.own.language is None:
        spoken = context.words.language
        await context.store.settings.change(
            context.asker, lambda now: replace(now, language=now.language or spoken)
        )
    place = context.visitor.place
    if context.visitor.alone or place in event.addresses:
        return event
    operation = context.operation and Operation(f"{context.operation.id[:90]}:show", "show")
    request = replace(context.request(), operation=operation)
    return (await events_of(context).act(event.id, Show(place), request)).event


def events_of(context: Context) -> Events:
    """Return where events are held."""
    return Events(context.table, context.store)


def shown_event(context: Context, event: Event) -> Shown:
    """Return an event for the visitor."""
    game = game_named(context.table.games, event.setup.game)
    return Shown(event, game, context.words, context.now, context.own.zone)


def accounts(context: Context) -> tuple[Account, ...]:
    """Return the visitor's accounts, with which they ask first."""
    return (context.asker, *context.own.others)


async def do(
    context: Context,
    form: Form,
    deeds: Mapping[str, CommandHandler],
    here: CommandHandler,
    bare: CommandHandler | None = None,
) -> Sequence[Message]:
    """Run what the first word of a command names; with no word, what shows the events of the place.

    A `bare` order, which names a game or only options, is run as it is, where that is given.
    """
    words = context.command.words
    deed = words[0].casefold() if words else ""
    if not deed and not context.command.options:
        return await here(context)
    if deed not in deeds and bare and (not deed or find_game(context.table.games, deed)):
        return await bare(context)
    if deed not in deeds:
        raise no_such_word(words[0]) if words else CommandError(_NONE_HERE[form])
    return await deeds[deed](replace(context, command=replace(context.command, words=words[1:])))


async def events_here(context: Context, form: Form) -> Sequence[Event]:
    """Return the events of a form that the visitor's place shows, the latest change first."""
    return _known(context, form, await context.store.events.at(context.visitor.place))


async def find_event(context: Context, form: Form, *, over: bool = False) -> tuple[Event, Sequence[str]]:
    """Return the event that a command names first, else the only one here or of the visitor; and the other words.

    The command comes without the word for what is done. With `over`, where none is live, the last one that is over is meant.
    """
    words = context.command.words
    named = context.command.code or next(filter(_CODE.match, words[:1]), None)
    if named is not None:
        event_id = named.removeprefix("#").lower()
        event = await events_of(context).get(event_id)
        if not _known(context, form, [event]):
            raise NoSuchEvent(event_id)
        return event, words if context.command.code else words[1:]
    own = await context.store.events.of(context.visitor.account)
    for found in (await events_here(context, form), _known(context, form, own)):
        live = [event for event in found if event.live]
        if len(live) > 1:
            deed = next(iter(context.command.rest.split()), "table")
            codes = ", ".join(map(code, live[:5]))
            raise CommandError(BadEvent.SEVERAL, codes=codes, example=f"/{form} {deed} {live[0].id}")
        if live or (over and found):
            return (live or found)[0], words
    raise CommandError(_NONE_HERE[form])


async def only_event(context: Context, form: Form, *, over: bool = False) -> Event:
    """Return the event that a command means which takes no other words; see `find_event`."""
    event, rest = await find_event(context, form, over=over)
    if rest:
        raise no_such_word(rest[0])
    return event


def _known(context: Context, form: Form, events: Sequence[Event]) -> Sequence[Event]:
    return [one for one in events if one.setup.form is form and one.setup.game in context.table.games]


def page_in(words: Sequence[str], pages: int) -> int:
    """Return the page, from 0, that the last word of a command names; the first where it names none."""
    typed = words[-1] if words else ""
    number = int(typed[:3]) if typed.isascii() and typed.isdigit() else 1
    return max(0, min(number, pages) - 1)


async def act(context: Context, event: Event, action: EventAction) -> Event:
    """Have the visitor act on an event; return it as it is then."""
    return (await events_of(context).act(event.id, action, context.request())).event


async def stop(context: Context, event: Event) -> Event:
    """Have an admin of a place where an event is shown end it."""
    if context.visitor.place not in event.addresses:
        raise CommandError(BadEvent.STOP_ELSEWHERE)
    await context.admins_only()
    return await act(context, event, StopEvent())


def answer(context: Context, event: Event, key: str, **fields: str) -> Sequence[Message]:
    """Return the visitor's own answer in one line; the card tells the others."""
    return [context.private(View(lines=(context.words(key, code=code(event), **fields),)))]
