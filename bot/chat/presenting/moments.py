"""Clocks, and moments, in words."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, time
from typing import Final

from bot.chat.i18n.catalogue import Dated, Words
from play.listing import Listed, free_until
from play.settings import Settings
from play.time.calendar import week_of
from play.time.clock import Clock, Pause
from play.time.clock_text import clock_of
from play.time.week import A_DAY, zone_of

KEYS: Final = {"bot.clock.pause.{}": ([pause.name.lower() for pause in Pause if pause],)}
"""For the check of the catalogues."""

OFFERED_CLOCKS: Final = ("none", "1d", "3d", "7d", "240h+36h", "3d awake")
"""The clocks that are offered for a match, as they are typed; any other can be."""


def clock_text(clock: Clock, words: Words) -> str:
    """The rule that a match is timed by."""
    if clock.increment is None:
        parts = [words("bot.clock.per-move", time=clock.initial)]
    else:
        cap = clock.cap or clock.initial
        parts = [words("bot.clock.bank", initial=clock.initial, increment=clock.increment, cap=cap)]
    if clock.soft:
        parts.append(words("bot.clock.soft"))
    if clock.vacation:
        parts.append(words("bot.clock.vacation"))
    if clock.pause:
        parts.append(words(f"bot.clock.pause.{clock.pause.name.lower()}"))
    return "; ".join(parts)


def clock_label(typed: str, words: Words, bank: str = "bot.order.bank") -> str:
    """Return the label of a button for a typed clock; of a bank by the text `bank`, without its cap, which has no room."""
    clock = clock_of(typed)
    if clock is None:
        return words("bot.order.no-clock")
    if clock == Clock(clock.initial, pause=Pause.AWAKE):
        return words("bot.order.awake", time=clock.initial)
    if clock.increment is None:
        return clock_text(clock, words)
    return words(bank, initial=words.length(clock.initial), increment=words.length(clock.increment))


def soon(when: datetime, at: datetime, words: Words, zone: str | None = None) -> str:
    """Return a moment not long after another one, in short; in UTC as `moment` does, to one person in their zone."""
    if zone is None:
        text = words("bot.moment", when=words.soon(when, at))
    else:
        text = words.soon(when, at, zone_of(zone))
    return Dated(text, [(text, when)])


def moment(when: datetime, words: Words, zone: str | None = None) -> str:
    """A moment, in UTC, which it says, since a chat has people of many zones; to one person, in their own."""
    if zone is None:
        return words.show(when)
    text = words("bot.moment.in", when=words.minute(when, zone_of(zone)), zone=zone)
    return Dated(text, [(text, when)])


def vacation_days(since: datetime, until: datetime, zone: str, words: Words) -> str:
    """The days of a planned vacation where they were named: "24 December – 2 January"; to the minute if they are not whole."""
    start, end = since.astimezone(zone_of(zone)), until.astimezone(zone_of(zone))
    if start.time() != time() or end.time() != time():
        return words("bot.vacation.span", since=moment(since, words, zone), until=moment(until, words, zone))
    last = end - A_DAY
    if start == last:
        return words.day(last)
    if (start.year, start.month) == (last.year, last.month):
        return f"{start.day}–{words.day(last)}"
    return words("bot.vacation.span", since=words.day(start), until=words.day(last))


def nothing_due(entries: Iterable[Listed], own: Settings, at: datetime, words: Words) -> str:
    """Return until when nothing of a person's own is due; empty where something is soon, or nothing is at all."""
    until = free_until(entries, week_of(own), at)
    return words("bot.games.nothing-due", until=soon(until, at, words, own.own_zone)) if until else ""
