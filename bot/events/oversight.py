"""`/cup admin`, `/ladder admin` and `/league admin`: what may be unfair in an event, for the eyes of the place's admins alone."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from math import ceil
from typing import Final

from bot.analysis.judging import SECONDS
from bot.desk.context import Context
from bot.desk.errors import CommandError
from bot.events.choosing import only_event, shown_event
from bot.events.errors import BadEvent
from bot.events.fair_play import TURNS, Findings, compare, comparing, findings
from bot.presenter.event_parts import NAMES, Shown, code, press
from bot.view import Button, Message, View
from play.events.event import Event, Form

_BULLET: Final = "· "


async def oversee(context: Context, form: Form) -> Sequence[Message]:
    """Show what was found in an event, and have games compared that are not yet.

    Raises:
        CommandError: it is not shown here, or the visitor is no admin.
    """
    event = await only_event(context, form, over=True)
    if context.visitor.place not in event.addresses:
        raise CommandError(BadEvent.ADMIN_ELSEWHERE)
    await context.admins_only()
    found = await findings(context.table, context.store, event, context.at)
    thinker = context.resources.thinker
    if thinker is not None and found.pending and not comparing(thinker, found.pending):
        work = compare(thinker, context.table, context.store, found.pending)
        thinker.in_background(work, "fair-play")
    return [context.private(_card(shown_event(context, event), found, engines=thinker is not None))]


def _card(shown: Shown, found: Findings, *, engines: bool) -> View:
    event, words = shown.event, shown.words
    lines = [words("bot.event.admin.title", code=code(event)), ""]
    if found.new:
        names = words.list([shown.name(number) for number in found.new[:NAMES]])
        lines += [words("bot.event.admin.new", names=names), ""]
    lines += [*_given_up(shown, found), "", *_rates(shown, found)]
    if not engines:
        lines.append(words("bot.event.admin.no-engines"))
        return View(lines=tuple(lines))
    if not found.pending:
        return View(lines=tuple(lines))
    left = len(found.pending)
    length = words.length(timedelta(minutes=ceil(left * SECONDS / 60)))
    lines.append(
        words("bot.event.admin.pending", done=found.compared, all=found.compared + left, left=length)
    )
    return View(lines=tuple(lines), buttons=(_again(shown, event),))


def _given_up(shown: Shown, found: Findings) -> list[str]:
    words = shown.words
    if not found.given_up:
        return [words("bot.event.admin.none-given-up")]
    lines = [
        _BULLET
        + words.count("bot.event.admin.pair", count, loser=shown.name(loser), winner=shown.name(winner))
        for (loser, winner), count in sorted(found.given_up.items(), key=lambda one: -one[1])[:NAMES]
    ]
    return [words("bot.event.admin.given-up"), *lines]


def _rates(shown: Shown, found: Findings) -> list[str]:
    words = shown.words
    told = [(number, rate) for number, rate in found.rates.items() if rate.turns >= TURNS]
    if not told:
        return [words("bot.event.admin.no-rates")]
    told.sort(key=lambda one: -one[1].percent)
    lines = [
        _BULLET
        + words.count(
            "bot.event.admin.rate", rate.turns, name=shown.name(number), same=rate.same, percent=rate.percent
        )
        for number, rate in told[:NAMES]
    ]
    return [words("bot.event.admin.rates"), *lines, words("bot.event.admin.caution")]


def _again(shown: Shown, event: Event) -> Button:
    return press(event.setup.form, shown.words, "bot.event.admin.again", f"admin {event.id}")
