"""`/cup admin`, `/ladder admin`, `/league admin`: what may be unfair in an event, for the place's admins alone to judge.

Newcomers, games given up early, turns like the engine's. Nothing follows from it by itself. Engines compare games only when an
admin looks, behind everybody's own searches.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from itertools import groupby
from math import ceil
from typing import Final

from bot.chat.context import Context
from bot.chat.errors import CommandError
from bot.chat.thinking import Busy, NoAnswer, Thinker
from bot.chat.thinking.jobs import Job, JobClass, Reply
from bot.chat.view import Message, View
from bot.features.analysis.judging import SECONDS, analysed, kept
from bot.features.events.choosing import BadEvent, only_event, shown_event
from bot.features.events.parts import NAMES, Shown, code
from bot.features.ratings.commands import Records
from play.events.event import Event
from play.match import Closing, Match, Phase, Ply
from play.people import Account
from play.ratings.records import sign_of
from play.table import Table
from storage.ports import FullStore

_YOUNG: Final = timedelta(days=7)  # accounts younger than this are new
_FIRST_DAY: Final = timedelta(days=1)  # people whose first finished match was so short a time before are new
_EARLY: Final = 10  # turns of a player before which a resignation is early
_OFTEN: Final = 3  # early resignations of one player against another from which on they are told
_GAMES: Final = 30  # games that one look has compared, at most: the latest ones
_TURNS: Final = 10  # turns compared from which on a person's rate is told
_LOOKED_AT: Final = 300  # matches that are loaded to look for resignations, at most
_EACH: Final = 60  # of one person's, the latest
_KEPT: Final = timedelta(days=90)
_OWNER: Final = "fair-play"


@dataclass(frozen=True, slots=True)
class Findings:
    """What was found, by the numbers of entrants."""

    new: Sequence[int]  # who was new
    given_up: Mapping[tuple[int, int], int]  # who gave up early against whom, and how often
    same: Mapping[int, int]  # how many of their turns were the engine's own choice
    turns: Mapping[int, int]  # of how many in which there was one best turn
    pending: Sequence[Match]  # finished games that are not compared yet
    compared: int


def young_until(created: datetime | None, at: datetime) -> datetime | None:
    """Return until when an account is young; None: it is not, or its age is not known."""
    return created + _YOUNG if created is not None and at < created + _YOUNG else None


async def note_if_new(
    store: FullStore, event: Event, person: Account, created: datetime | None, at: datetime
) -> None:
    """Note a person who enters an event with a young account, or within a day of their first finished match."""
    record = await Records(store).of(person, at)
    if young_until(created, at) or not record or at < record[0].ended + _FIRST_DAY:
        text = json.dumps([person.platform, person.uid])
        await store.timelines.add(_new_in(event), text, at)


async def _findings(table: Table, store: FullStore, event: Event, at: datetime) -> Findings:
    people = {one.person: one.number for one in event.state.entrants}
    noted = [Account(*json.loads(text)) for text in await store.timelines.read(_new_in(event))]
    same, turns = Counter[int](), Counter[int]()
    pending = []
    played = [game for game in event.state.games if game.match and game.counts][-_GAMES:]
    notes = await store.notes.read(*[_rates_of(str(game.match)) for game in played])
    for game, note in zip(played, notes, strict=True):
        match = None if note else await table.find(str(game.match))
        if note:
            for number, counts in zip(game.entrants, json.loads(note), strict=False):
                same[number] += counts[0]
                turns[number] += counts[1]
        elif match is not None and match.phase is Phase.OVER:
            pending.append(match)
    return Findings(
        [people[person] for person in noted if person in people],
        await _given_up(table, store, people, at),
        same,
        turns,
        pending,
        sum(note is not None for note in notes),
    )


async def _given_up(
    table: Table, store: FullStore, people: Mapping[Account, int], at: datetime
) -> Mapping[tuple[int, int], int]:
    """Return who among some people gave up early against whom `OFTEN` times or more, in any match, and how often."""
    signs = {sign_of(person): number for person, number in people.items()}
    met: list[tuple[int, int, str]] = []
    for person, number in people.items():
        record = (await Records(store).of(person, at))[-_EACH:]
        duels = [(each.match, signs.get(each.opponents[0])) for each in record if len(each.opponents) == 1]
        met += [(number, other, match) for match, other in duels if other is not None]
    often = {
        pair for pair, count in Counter((one, other) for one, other, _ in met).items() if count >= _OFTEN
    }
    counts: Counter[tuple[int, int]] = Counter()
    for loser, winner, match_code in [one for one in met if one[:2] in often][:_LOOKED_AT]:
        match = await table.find(match_code)
        accounts = [who for who, number in people.items() if number == loser]
        if match is not None and _resigned_early(match, accounts):
            counts[loser, winner] += 1
    return {pair: count for pair, count in counts.items() if count >= _OFTEN}


def _resigned_early(match: Match, loser: Sequence[Account]) -> bool:
    if match.result is None or match.result.reason != Closing.RESIGNED.value:
        return False
    seats = {seat for who in loser for seat in match.seats_of(who)}
    if not seats or seats & set(match.result.winners):
        return False
    plies = [entry.seat for entry in match.log if isinstance(entry, Ply)]
    return sum(seat in seats for seat, _ in groupby(plies)) < _EARLY


async def _compare_all(thinker: Thinker, table: Table, store: FullStore, matches: Iterable[Match]) -> None:
    for match in matches:
        try:
            await thinker.shared(_rates_of(match.id), partial(_compare, thinker, table, store, match))
        except (Busy, NoAnswer):
            return  # the next look goes on with the rest


async def _compare(thinker: Thinker, table: Table, store: FullStore, match: Match) -> None:
    ask = partial(thinker.search, person=_OWNER, job_class=JobClass.SYSTEM)

    async def answered(job: Job) -> Reply:
        # Kept by its class: the kept answers to an analysis may come from computers that are not trusted with this.
        return await kept(store.notes, replace(job, job_class=JobClass.SYSTEM), ask)

    judged = await analysed(match, table.course(match), answered)
    rates = [[0, 0] for _ in match.chairs]  # of each seat, as in `Findings`
    for turn in judged:
        if turn.keep is None or turn.keep == 1:  # where several are equally good, the choice says nothing
            rates[turn.played.seat][0] += turn.same
            rates[turn.played.seat][1] += 1
    await store.notes.write(_rates_of(match.id), json.dumps(rates), keep=_KEPT)


def _new_in(event: Event) -> str:
    return f"new-in:{event.id}"


def _rates_of(match: str) -> str:
    return f"rates:{match}"


_BULLET: Final = "· "


async def oversee(context: Context) -> Sequence[Message]:
    """Show what was found in an event, and have games compared that are not yet."""
    event = await only_event(context, over=True)
    if context.visitor.place not in event.addresses:
        raise CommandError(BadEvent.ADMIN_ELSEWHERE)
    await context.admins_only()
    found = await _findings(context.table, context.store, event, context.at)
    thinker = context.services.thinker
    under_way = thinker and any(thinker.shares(_rates_of(match.id)) for match in found.pending)
    if thinker is not None and found.pending and not under_way:
        work = _compare_all(thinker, context.table, context.store, found.pending)
        thinker.in_background(work, "fair-play")
    return [context.private(_card(shown_event(context, event), found, engines=thinker is not None))]


def _card(shown: Shown, found: Findings, *, engines: bool) -> View:
    event, words = shown.event, shown.words
    lines = [words("bot.event.admin.title", code=code(event)), ""]
    if found.new:
        names = words.list([shown.name(number) for number in found.new[:NAMES]])
        lines += [words("bot.event.admin.new", names=names), ""]
    lines += [*_resigned(shown, found), "", *_rates(shown, found)]
    left = len(found.pending)
    if not engines:
        lines.append(words("bot.event.admin.no-engines"))
    if not engines or not left:
        return View(lines=tuple(lines))
    length = words.length(timedelta(minutes=ceil(left * SECONDS / 60)))
    lines.append(
        words("bot.event.admin.pending", done=found.compared, all=found.compared + left, left=length)
    )
    return View(lines=tuple(lines), buttons=(shown.button("bot.event.admin.again", "admin"),))


def _resigned(shown: Shown, found: Findings) -> list[str]:
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
    rates = [
        (round(100 * found.same[number] / turns), number)
        for number, turns in found.turns.items()
        if turns >= _TURNS
    ]
    if not rates:
        return [words("bot.event.admin.no-rates")]
    lines = []
    for percent, one in sorted(rates, key=lambda rate: -rate[0])[:NAMES]:
        said = {"name": shown.name(one), "same": found.same[one], "percent": percent}
        lines.append(_BULLET + words.count("bot.event.admin.rate", found.turns[one], **said))
    return [words("bot.event.admin.rates"), *lines, words("bot.event.admin.caution")]
