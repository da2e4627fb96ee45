"""Cups: /cup."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final

from bot.callback_data import Verb
from bot.desk import arguments
from bot.desk.command_spec import HelpTopic
from bot.desk.context import Context
from bot.desk.errors import CommandError, no_such_word, shown
from bot.desk.game_words import find_game
from bot.desk.registry import CommandHandler, Registry
from bot.events.choosing import (
    accounts,
    events_of,
    offer_clocks,
    read_setup,
    rest_of_line,
    saying,
    show_here,
    shown_event,
    typed_clock,
)
from bot.events.errors import BadCup
from bot.presenter import events as cards
from bot.quotas import CUPS
from bot.view import Message, View
from play.actions.seating import counts_players
from play.events import cup
from play.events.actions import Enter, EventAction, Leave, Stop
from play.events.errors import NoSuchEvent
from play.events.event import Event, Form, Setup
from play.events.facts import Changed
from play.events.state import Stage
from play.time.durations import read as read_length

registry: Final = Registry()

DEEDS: Final = ("new", "join", "leave", "table", "mine", "stop")
"""What can be done, as it is typed."""

SIZES: Final = (4, 6, 8, 16, 32)
"""The numbers of people that buttons offer."""

SOONEST: Final = timedelta(minutes=5)
LATEST: Final = timedelta(days=30)

_DEFAULT_MOST: Final = 64

_POD: Final = 4
"""Seats of a table in a cup of pods; fewer where people are short."""


@registry.command(
    "cup",
    arguments.choice("do", *DEEDS, named=False),
    arguments.GAME,
    arguments.OPTIONS,
    arguments.CLOCK,
    arguments.text("most", named=True),
    arguments.text("closes", named=True),
    arguments.RATED,
    topic=HelpTopic.TOGETHER,
    button=Verb.CUP,
)
async def cup_command(context: Context) -> Sequence[Message]:
    """`/cup`, `/cup new lgame clock:1d most:8 closes:24h`, `/cup join`, `/cup table`, `/cup stop`."""
    words = context.command.words
    deed = words[0].casefold() if words else ""
    if not deed and not context.command.options:
        return await _list(context)
    if deed not in DEEDS:
        if deed and find_game(context.table.games, deed) is None:
            raise no_such_word(words[0])
        return await _new(context)
    rest = replace(context, command=replace(context.command, words=words[1:]))
    return await _DEEDS[deed](rest)


async def _list(context: Context) -> Sequence[Message]:
    events = await context.store.events.at(context.visitor.place)
    found = [shown_event(context, event) for event in events if _known(context, event)]
    return [context.private(cards.listed(found, context.words))]


async def _new(context: Context) -> Sequence[Message]:
    """Open a cup; with no game, or no clock, offer some to press."""
    games, words = context.table.games, context.words
    if not any(find_game(games, word) for word in context.command.words):
        return [context.private(await _which_game(context))]
    chosen = context.command.chosen()
    if "clock" not in chosen:
        return [context.private(await offer_clocks(context, rest_of_line(context, "/cup new")))]
    typed_clock(chosen["clock"])  # what is typed wrong is refused before the next question
    closes = _closes(chosen.get("closes"))
    if "most" not in chosen:
        sizes = {f"most:{size}": words.count("bot.cup.size", size) for size in SIZES}
        sizes[f"most:{_DEFAULT_MOST}"] = words("bot.cup.any-size")
        question = words("bot.cup.which-size", length=words.length(closes))
        return [await _offer(context, question, sizes)]
    setup = await _setup(context)
    await context.take(CUPS)
    fact = await events_of(context).open(setup, (context.visitor.place,), context.request())
    line = words("bot.cup.opened", code=cards.code(fact.event))
    return [context.private(View(lines=(line,), buttons=(cards.join(fact.event, words),)))]


async def _setup(context: Context) -> Setup:
    """Return the setup that a command names.

    Raises:
        CommandError, BadRequest, BadOption: it makes no sense.
    """
    made = await read_setup(context, Form.CUP, ("most", "closes"))
    most, closes = _most(made.own.get("most")), _closes(made.own.get("closes"))
    lasts = cup.round_length(made.setup.clock)
    seats = made.game.seats(made.options)
    if seats not in (2, _POD) and counts_players(made.game):
        raise CommandError(BadCup.BAD_TABLE, count=seats)
    settings = cup.CupSettings(context.at + closes, most, lasts, seats)
    return replace(made.setup, settings=settings.texts())


async def _join(context: Context) -> Sequence[Message]:
    return await _act(context, Enter(context.visitor.account, accounts(context)), "bot.cup.joined")


async def _leave(context: Context) -> Sequence[Message]:
    return await _act(context, Leave(accounts(context)), "bot.cup.left")


async def _act(context: Context, action: EventAction, said: str) -> Sequence[Message]:
    """Have the visitor enter or leave a cup; from another place, it is shown there from then on, too."""
    event = await _event(context)
    fact = await events_of(context).act(event.id, action, context.request())
    if isinstance(action, Enter):
        fact = replace(fact, event=await show_here(context, fact.event))
    queued = isinstance(action, Enter) and event.state.stage is Stage.RUNNING
    return await _answer(context, fact, "bot.cup.queued" if queued else said)


async def _answer(context: Context, fact: Changed, said: str) -> Sequence[Message]:
    """Return the visitor's own answer; the card tells the others."""
    line = context.words(said, code=cards.code(fact.event))
    return [context.private(View(lines=(line,)))]


async def _table(context: Context) -> Sequence[Message]:
    numbers = [word for word in context.command.words if word.isascii() and word.isdigit()]
    words = tuple(word for word in context.command.words if word not in numbers)
    event = await _event(replace(context, command=replace(context.command, words=words)))
    page = max(0, min(int(numbers[0][:3]) if numbers else 1, 99) - 1)
    shown = shown_event(context, event)
    if not event.state.games:  # not begun, or never to begin
        return [context.private(cards.card(shown))]
    return [context.private(cards.table(shown, min(page, (len(event.state.entrants) - 1) // cards.ROWS)))]


async def _mine(context: Context) -> Sequence[Message]:
    return [context.private(cards.mine(shown_event(context, await _event(context)), context.visitor.account))]


async def _stop(context: Context) -> Sequence[Message]:
    """Stop a cup: by an admin of a place where it is shown, or, before it begins, by its host."""
    event = await _event(context)
    host = event.host.account == context.visitor.account and event.state.stage is Stage.OPEN
    if not host:
        if context.visitor.place not in event.addresses:
            raise CommandError(BadCup.STOP_ELSEWHERE)
        await context.admins_only()
    fact = await events_of(context).act(event.id, Stop(), context.request())
    return await _answer(context, fact, "bot.cup.is-stopped")


_DEEDS: Final[Mapping[str, CommandHandler]] = {
    "new": _new,
    "join": _join,
    "leave": _leave,
    "table": _table,
    "mine": _mine,
    "stop": _stop,
}


async def _event(context: Context) -> Event:
    """Return the cup that the command names; else the visitor's or the only live one here, or the last one.

    Raises:
        NoSuchEvent: the code is of no event.
        CommandError: there is none here, or several.
    """
    named = [word for word in context.command.words if word]
    if len(named) > 1:
        raise no_such_word(named[1])
    if context.command.code or named:
        code = (context.command.code or named[0]).removeprefix("#").lower()
        event = await events_of(context).get(code)
        if not _known(context, event):
            raise NoSuchEvent(code)
        return event
    here = await context.store.events.at(context.visitor.place)
    own = await context.store.events.of(context.visitor.account)
    for found in ([event for event in events if _known(context, event)] for events in (here, own)):
        live = [event for event in found if event.live]
        if len(live) > 1:
            deed = next((word for word in context.command.rest.split() if word in DEEDS), "table")
            codes = ", ".join(map(cards.code, live[:5]))
            raise CommandError(BadCup.SEVERAL, codes=codes, example=f"/cup {deed} {live[0].id}")
        if live or found:
            return (live or found)[0]
    raise CommandError(BadCup.NONE_HERE)


def _known(context: Context, event: Event) -> bool:
    return event.setup.form is Form.CUP and event.setup.game in context.table.games


async def _which_game(context: Context) -> View:
    """Return a button for each game, and for each ready cup."""
    words = context.words
    lines = {f"/cup new {key}": words(f"{key}.name") for key in context.table.games}
    for game in context.table.games.values():
        lines |= {
            f"/cup new {game.key} {typed}": words(f"{game.key}.cup.{name}") for name, typed in game.cups
        }
    return View(lines=(words("bot.cup.which-game"),), buttons=await saying(context, lines))


async def _offer(context: Context, question: str, choices: Mapping[str, str]) -> Message:
    """Ask for one more word of the command, with a button for each that is offered."""
    line = rest_of_line(context, "/cup new")
    buttons = await saying(context, {f"{line} {typed}": label for typed, label in choices.items()})
    return context.private(View(lines=(question,), buttons=buttons))


def _most(typed: str | None) -> int:
    if typed is None:
        return _DEFAULT_MOST
    if not (typed.isascii() and typed.isdigit() and cup.LEAST <= int(typed[:6]) <= cup.MOST):
        raise CommandError(BadCup.BAD_MOST, text=shown(typed), low=cup.LEAST, high=cup.MOST)
    return int(typed)


def _closes(typed: str | None) -> timedelta:
    length = cup.OPEN_FOR if typed is None else read_length(typed)
    if length is None or not SOONEST <= length <= LATEST:
        raise CommandError(BadCup.BAD_CLOSES, text=shown(typed or ""))
    return length
