"""Cups: /cup."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Final

from bot.chat import arguments
from bot.chat.arguments import HelpTopic
from bot.chat.callback_data import Verb
from bot.chat.context import Context
from bot.chat.errors import CommandError, no_such_word, shown
from bot.chat.quotas import CUPS
from bot.chat.registry import CommandHandler, Registry
from bot.chat.view import Message, View, ViewKind
from bot.features.events import cup_cards as cards
from bot.features.events.choosing import (
    BadEvent,
    accounts,
    act,
    answer,
    do,
    events_here,
    events_of,
    find_event,
    names_game,
    offer_clocks,
    only_event,
    page_in,
    read_setup,
    rest_of_line,
    saying,
    show_here,
    shown_event,
    stop,
    typed_clock,
)
from bot.features.events.fair_play import note_if_new, oversee
from bot.features.events.parts import ROWS, code
from play.actions.seating import counts_players
from play.events import cup
from play.events.actions import Enter, LeaveEvent, StopEvent
from play.events.entries import Stage
from play.events.event import EventSetup, Form
from play.time.clock import read as read_length

registry: Final = Registry(place=6)

_SIZES: Final = (4, 6, 8, 16, 32)  # the numbers of people that buttons offer
_SOONEST: Final = timedelta(minutes=5)
_LATEST: Final = timedelta(days=30)
_DEFAULT_MOST: Final = 64
_POD: Final = 4  # seats of a table in a cup of pods; fewer where people are short


async def _list(context: Context) -> Sequence[Message]:
    found = [shown_event(context, event) for event in await events_here(context, Form.CUP)]
    return [context.private(cards.listed(found, context.words))]


async def _new(context: Context) -> Sequence[Message]:
    words = context.words
    if not names_game(context):
        lines = {f"/cup new {key}": words(f"{key}.name") for key in context.table.games}
        for game in context.table.games.values():
            lines |= {
                f"/cup new {game.key} {typed}": words(f"{game.key}.cup.{name}") for name, typed in game.cups
            }
        view = View(
            lines=(words("bot.cup.which-game"),), buttons=await saying(context, lines), kind=ViewKind.CHOICE
        )
        return [context.private(view)]
    chosen = context.command.chosen()
    if "clock" not in chosen:
        return [context.private(await offer_clocks(context, rest_of_line(context, "/cup new")))]
    typed_clock(chosen["clock"])  # what is typed wrong is refused before the next question
    closes = _closes(context, chosen.get("closes"))
    if "most" not in chosen:
        sizes = {f"most:{size}": words.count("bot.cup.size", size) for size in _SIZES}
        sizes[f"most:{_DEFAULT_MOST}"] = words("bot.cup.any-size")
        question = words("bot.cup.which-size", length=words.length(closes))
        line = rest_of_line(context, "/cup new")
        buttons = await saying(context, {f"{line} {typed}": label for typed, label in sizes.items()})
        return [context.private(View(lines=(question,), buttons=buttons), ViewKind.CHOICE)]
    setup = await _setup(context)
    await context.take(CUPS)
    fact = await events_of(context).open(setup, (context.visitor.place,), context.request())
    line = words("bot.cup.opened", code=code(fact.event))
    return [context.private(View(lines=(line,), buttons=(cards.join(fact.event, words),)))]


async def _setup(context: Context) -> EventSetup:
    made = await read_setup(context, Form.CUP, ("most", "closes"))
    most, closes = _most(made.own.get("most")), _closes(context, made.own.get("closes"))
    lasts = cup.round_length(made.setup.clock)
    seats = made.game.seats(made.options)
    if seats not in (2, _POD) and counts_players(made.game):
        raise CommandError(BadEvent.BAD_TABLE, count=seats)
    settings = cup.CupSettings(context.at + closes, most, lasts, seats)
    return replace(made.setup, settings=settings.texts())


async def _join(context: Context) -> Sequence[Message]:
    event = await only_event(context, Form.CUP, over=True)
    after = await act(context, event, Enter(context.visitor.account, accounts(context)))
    await note_if_new(context.store, event, context.visitor.account, context.visitor.created, context.at)
    queued = event.state.stage is Stage.RUNNING
    return answer(context, await show_here(context, after), "bot.cup.queued" if queued else "bot.cup.joined")


async def _leave(context: Context) -> Sequence[Message]:
    event = await only_event(context, Form.CUP, over=True)
    return answer(context, await act(context, event, LeaveEvent(accounts(context))), "bot.cup.left")


async def _table(context: Context) -> Sequence[Message]:
    event, rest = await find_event(context, Form.CUP, over=True)
    if len(rest) > 1 or (rest and not rest[0].isdecimal()):
        raise no_such_word(rest[0])
    shown = shown_event(context, event)
    if not event.state.games:  # not begun, or never to begin
        return [context.private(cards.card(shown))]
    page = page_in(rest, -(-len(event.state.entrants) // ROWS))
    return [context.private(cards.table(shown, page))]


async def _mine(context: Context) -> Sequence[Message]:
    event = await only_event(context, Form.CUP, over=True)
    return [context.private(cards.mine(shown_event(context, event), context.visitor.account))]


async def _stop(context: Context) -> Sequence[Message]:
    event = await only_event(context, Form.CUP, over=True)
    hosted = event.host.account == context.visitor.account and event.state.stage is Stage.OPEN
    event = await (act(context, event, StopEvent()) if hosted else stop(context, event))
    return answer(context, event, "bot.cup.is-stopped")


_DEEDS: Final[Mapping[str, CommandHandler]] = {
    "new": _new,
    "join": _join,
    "leave": _leave,
    "table": _table,
    "mine": _mine,
    "stop": _stop,
    "admin": partial(oversee, form=Form.CUP),
}


@registry.command(
    "cup",
    arguments.choice("do", *_DEEDS, named=False),
    arguments.GAME,
    arguments.OPTIONS,
    arguments.CLOCK,
    replace(arguments.text("most", named=True), about="entrants"),
    arguments.text("closes", named=True),
    arguments.RATED,
    topic=HelpTopic.TOGETHER,
    button=Verb.CUP,
    finishing=False,
)
async def cup_command(context: Context) -> Sequence[Message]:
    """`/cup`, `/cup new lgame clock:1d most:8 closes:24h`, `/cup join`, `/cup table`, `/cup stop`."""
    return await do(context, Form.CUP, _DEEDS, _list, _new)


def _most(typed: str | None) -> int:
    if typed is None:
        return _DEFAULT_MOST
    if not (typed.isascii() and typed.isdigit() and cup.LEAST <= int(typed[:6]) <= cup.MOST):
        raise CommandError(BadEvent.BAD_MOST, text=shown(typed), low=cup.LEAST, high=cup.MOST)
    return int(typed)


def _closes(context: Context, typed: str | None) -> timedelta:
    length = cup.OPEN_FOR if typed is None else read_length(typed)
    if length is None and typed is not None:
        _, end = context.span(typed, BadEvent.BAD_CLOSES)
        length = end - context.at
    if length is None or not _SOONEST <= length <= _LATEST:
        raise CommandError(BadEvent.BAD_CLOSES, text=shown(typed or ""))
    return length
