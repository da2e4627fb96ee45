"""What a command about events means: its form, the setup that is typed or pressed, and which event."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Final

from bot.chat.context import Context
from bot.chat.errors import CommandError, no_such_word, shown
from bot.chat.game_words import find_game, which_game
from bot.chat.grammar import number_in
from bot.chat.view import Message, View
from bot.features.events.parts import Shown, code
from bot.features.matches.match_setup import check_place, question
from bot.features.matches.orders import joined_names, read_order
from bot.features.matches.setup_questions import clock_label
from play.actions.seating import counts_players
from play.errors import BadRequest
from play.events import cup
from play.events.actions import EventAction
from play.events.event import Event, EventRefused, EventSetup, Form, NoSuchEvent
from play.events.events import Events
from play.opening import check_ratable
from play.people import Account
from play.request import game_named
from play.time.clock import Clock
from play.time.clock import read as read_length
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


KEYS: Final = {"bot.{}.refused.none-here": (Form,)}  # for the check of the catalogues
_CODE: Final = re.compile(r"#|e[a-z0-9]{6}\Z", re.ASCII | re.IGNORECASE)
_CLOCKS: Final = ("12h", "1d", "3d", "10d+1d12h")  # the clocks that buttons offer
_SIZES: Final = (4, 6, 8, 16, 32)  # the numbers of people that buttons offer
_DEFAULT_MOST: Final = 64
_SOONEST: Final = timedelta(minutes=5)
_LATEST: Final = timedelta(days=30)
_POD: Final = 4  # seats of a table in a cup of pods; fewer where people are short


def form_of(context: Context) -> Form:
    """Return the form that a command is about, which is called as it is."""
    return Form(context.command.name)


def none_here(form: Form) -> CommandError:
    """Return the refusal of what is to be done with an event of a form where there is none."""
    return CommandError(BadEvent(f"bot.{form}.refused.none-here"))


async def question_before(context: Context) -> View | None:
    """Return what is asked before an event can be opened, with buttons that say the line with each answer; None: nothing."""
    words, games, form = context.words, context.table.games, form_of(context)
    line = f"/{form} new {context.command.rest.removeprefix('new').strip()}".rstrip()
    if not _names_game(context):
        keys = [key for key, game in games.items() if form is Form.CUP or game.seats(game.choose({})) == 2]
        lines = {key: words(f"{key}.name") for key in keys}
        for game in games.values() if form is Form.CUP else ():
            lines |= {f"{game.key} {typed}": words(f"{game.key}.cup.{name}") for name, typed in game.cups}
        return await question(context, words(f"bot.{form}.which-game"), line, lines)
    chosen = context.command.chosen()
    if "clock" not in chosen:
        clocks = {f"clock:{typed}": clock_label(typed, words, "bot.cup.button.bank") for typed in _CLOCKS}
        return await question(context, words("bot.cup.which-clock"), line, clocks)
    if form is not Form.CUP:
        return None
    _clock(chosen["clock"])  # what is typed wrong is refused before the next question
    closes = _closes(context, chosen.get("closes"))
    if "most" in chosen:
        return None
    sizes = {f"most:{size}": words.count("bot.cup.size", size) for size in _SIZES}
    sizes[f"most:{_DEFAULT_MOST}"] = words("bot.cup.any-size")
    return await question(context, words("bot.cup.which-size", length=words.length(closes)), line, sizes)


def _names_game(context: Context) -> bool:
    games = context.table.games
    words = joined_names(games, context.command.words)
    if any(find_game(games, word) for word in words):
        return True
    unknown = [word for word in words if word.isalpha()]
    if unknown:
        raise which_game(context, *unknown)
    return False


async def read_setup(context: Context) -> EventSetup:
    """Return what a command that opens an event names: a game with its options, a clock, and what its form needs."""
    order, form = read_order(context), form_of(context)
    chosen, clock = order.chosen, _clock(order.clock)
    own: dict[str, str] = {name: chosen.pop(name) for name in ("most", "closes") if name in chosen}
    await check_place(context, order.game)
    game, options = order.game, order.game.choose(chosen)
    if any(len(side) > 1 for side in game.sides(options)):
        raise BadRequest(EventRefused.TEAMS)
    rated = order.rated if "rated" in context.command.chosen() else game.ratable(options)
    if order.rated:
        check_ratable(game, options, ())
    settings: tuple[tuple[str, str], ...] = ()
    if form is Form.CUP:
        settings = _cup_settings(context, clock, own, game, game.seats(options)).texts()
    elif game.seats(options) != 2:
        raise BadRequest(BadEvent.FOR_TWO)
    return EventSetup(form, game.key, tuple(game.describe(options).items()), clock, rated, settings)


def _cup_settings(
    context: Context, clock: Clock, typed: Mapping[str, str], game: AnyGame, seats: int
) -> cup.CupSettings:
    most = number_in(typed.get("most", str(_DEFAULT_MOST)), cup.LEAST, cup.MOST)
    if most is None:
        raise CommandError(BadEvent.BAD_MOST, text=shown(typed["most"]), low=cup.LEAST, high=cup.MOST)
    closes = context.at + _closes(context, typed.get("closes"))
    if seats not in (2, _POD) and counts_players(game):
        raise CommandError(BadEvent.BAD_TABLE, count=seats)
    return cup.CupSettings(closes, most, cup.round_length(clock), seats)


def _closes(context: Context, typed: str | None) -> timedelta:
    length = cup.OPEN_FOR if typed is None else read_length(typed)
    if length is None and typed is not None:
        _, end = context.span(typed, BadEvent.BAD_CLOSES)
        length = end - context.at
    if length is None or not _SOONEST <= length <= _LATEST:
        raise CommandError(BadEvent.BAD_CLOSES, text=shown(typed or ""))
    return length


def _clock(typed: str | None) -> Clock:
    clock = clock_of(typed)
    if clock is None:
        raise BadRequest(EventRefused.NO_CLOCK)
    return clock


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


async def events_here(context: Context) -> Sequence[Event]:
    """Return the events of a command's form that the visitor's place shows, the latest change first."""
    return _known(context, await context.store.events.at(context.visitor.place))


async def find_event(context: Context, *, over: bool = False) -> tuple[Event, Sequence[str]]:
    """Return the event that a command names first, else the only one here or of the visitor; and the other words.

    The command comes without the word for what is done. With `over`, and of cups always, the last one that is over is meant
    where none is live.
    """
    words, form = context.command.words, form_of(context)
    named = context.command.code
    if not named and words and _CODE.match(words[0]):
        named = words[0]
    if named:
        event_id = named.removeprefix("#").lower()
        event = await events_of(context).get(event_id)
        if not _known(context, [event]):
            raise NoSuchEvent(event_id)
        return event, words if context.command.code else words[1:]
    over = over or form is Form.CUP
    own = await context.store.events.of(context.visitor.account)
    for found in (await events_here(context), _known(context, own)):
        live = [event for event in found if event.live]
        if len(live) > 1:
            deed = next(iter(context.command.rest.split()), "table")
            codes = ", ".join(map(code, live[:5]))
            raise CommandError(BadEvent.SEVERAL, codes=codes, example=f"/{form} {deed} {live[0].id}")
        if live or (over and found):
            return (live or found)[0], words
    raise none_here(form)


async def only_event(context: Context, *, over: bool = False) -> Event:
    """Return the event that a command means which takes no other words; see `find_event`."""
    event, rest = await find_event(context, over=over)
    if rest:
        raise no_such_word(rest[0])
    return event


def _known(context: Context, events: Sequence[Event]) -> Sequence[Event]:
    form = form_of(context)
    return [one for one in events if one.setup.form is form and one.setup.game in context.table.games]


async def act(context: Context, event: Event, action: EventAction) -> Event:
    """Have the visitor act on an event; return it as it is then."""
    return (await events_of(context).act(event.id, action, context.request())).event


def answer(context: Context, event: Event, key: str, **fields: str) -> Sequence[Message]:
    """Return the visitor's own answer in one line; the card tells the others."""
    return [context.private(View(lines=(context.words(key, code=code(event), **fields),)))]
