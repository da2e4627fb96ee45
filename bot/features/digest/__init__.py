"""A week at a place, by /week and on Mondays by itself: the crown, the finest story, the longest game, who plays next."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import pairwise
from typing import Any, Final, NamedTuple

from bot.chat import arguments
from bot.chat.arguments import HelpTopic
from bot.chat.callback_data import CallbackData, Verb
from bot.chat.context import Context
from bot.chat.errors import no_such_word
from bot.chat.grammar import HERE
from bot.chat.i18n import Words, words_of
from bot.chat.match_lookup import sound
from bot.chat.presenting.naming import Naming, player_name
from bot.chat.quotas import PICTURES
from bot.chat.registry import MATCH_OVER, POSTS_CHOSEN, Registry
from bot.chat.sending.delivery import Delivery
from bot.chat.sending.ports import Courier
from bot.chat.sending.scheduled import Schedule, ScheduledPosts, Send, moment_of
from bot.chat.services import Services
from bot.chat.view import Button, Message, View
from bot.features.events.ladder import upcoming
from bot.features.events.parts import Shown, code
from bot.features.puzzles.attempts import DailyResults
from play.facts import Closed, Departed, Drawn, Fact, Flagged, Moved
from play.match import Phase, is_engine
from play.people import Address
from play.ratings.model import uncounted
from play.ratings.records import seated, sign_of
from play.replay import Course, turns_of
from play.settings import Settings
from play.table import Table
from play.time.week import zone_of
from rules.core import Position
from storage.ports import FullStore

registry: Final = Registry()

MOST: Final = 500
"""Matches of a place that are kept for its weeks, the last."""

_ENDS: Final = (Moved, Departed, Drawn, Flagged, Closed)  # facts with which a match can end
_LEAD: Final = 0.1  # by how much a side is ahead of all others to lead; guesses go from -1 to 1
_NAMES: Final = 3  # people, and challenges of a ladder, that are named
_LADDERS: Final = 2
_WEEK: Final = timedelta(days=7)
_LOOK: Final = 60.0  # seconds between looks at the schedule


class Played(NamedTuple):
    """A match that was played to its end: its code, its `drama`, its turns, its seconds, and the signs of its people."""

    match: str
    drama: float
    turns: int
    seconds: int
    people: Sequence[str]


def drama(course: Course) -> float:
    """Return how finely a match was fought, by the game's guesses at its positions after each round: nothing is searched.

    The lead that passes to another side counts by how late in the match that is; an end by the rules gives it to who won.
    """
    ends = [course.positions[turn.end] for turn in turns_of(course)]
    rounds = [*enumerate(ends, 1)][len(course.sides) - 1 :: len(course.sides)]
    leads = [(at, _ahead(course, here)) for at, here in rounds if here.outcome is None]
    if course.result and course.result.winners:
        leads.append((len(ends), course.sides.index(course.side_of(course.result.winners[0]))))
    clear = [(at, side) for at, side in leads if side is not None]
    return sum(at / len(ends) for (_, before), (at, after) in pairwise(clear) if before != after)


def _ahead(course: Course, position: Position[Any]) -> int | None:
    """Return the number of the side that is clearly ahead of all others, if any."""
    sides = [(number, set(side) - position.out) for number, side in enumerate(course.sides)]
    worth = [(max(course.game.evaluate(position, seat) for seat in live), at) for at, live in sides if live]
    *_, (second, _), (best, side) = sorted([(-1.0, -1), *worth])
    return side if best - second > _LEAD else None


@MATCH_OVER
async def note_match(table: Table, store: FullStore, fact: Fact) -> None:
    """Keep a match that has been played to its end for the weeks of the places that show it; once, also if it comes twice."""
    if not isinstance(fact, _ENDS) or fact.match.phase is not Phase.OVER or fact.match.imported:
        return
    match = fact.match
    if not sound(table, match) or uncounted(match, course := table.course(match)):
        return
    people = {sign_of(each) for each in await seated(table, match) if each and not is_engine(each)}
    took = round((match.log[-1].at - match.log[0].at).total_seconds())
    played = Played(match.id, round(drama(course), 4), len(turns_of(course)), took, sorted(people))
    for place in match.addresses:
        await store.timelines.add(f"played:{place}", json.dumps(played), await store.now(), most=MOST)


@dataclass(frozen=True, slots=True)
class Digest:
    """The weeks of a place in some words; `zone` is the reader's, for moments (None: UTC, which is said)."""

    services: Services
    place: Address
    chosen: Settings
    words: Words
    at: datetime
    zone: str | None = None

    async def week(self, monday: date) -> View | None:
        """Return the week that begins on a Monday, as far as it has passed; None where nothing was played."""
        words, zone, sunday = self.words, self.chosen.place_zone, monday + timedelta(days=6)
        since, until = (moment_of(time(), zone, day) for day in (monday, monday + _WEEK))
        texts = await self.services.store.timelines.read(
            f"played:{self.place}", since=since, until=min(self.at, until - timedelta.resolution)
        )
        played = [*{each.match: each for each in (Played(*json.loads(text)) for text in texts)}.values()]
        crown = await self._crown(min(sunday, self.at.astimezone(zone_of(zone)).date()))
        if not played and not crown:
            return None
        key = "bot.digest.title" if until <= self.at else "bot.digest.now"
        first, last = (words.day(datetime.combine(day, time())) for day in (monday, sunday))
        lines, buttons = [words(key, since=first, until=last)], dict[str, Button]()
        if played:
            games = words.count("bot.digest.games", len(played))
            people = words.count("bot.digest.players", len({who for each in played for who in each.people}))
            lines.append(words("bot.digest.played", games=games, players=people))
        lines += ["", *crown]
        finest = max((each for each in played if each.drama), key=lambda each: each.drama, default=None)
        longest = max(played, key=lambda each: (each.turns, each.seconds), default=None)
        for key, one in (("bot.digest.finest", finest), ("bot.digest.longest", longest)):
            match = await self.services.table.find(one.match) if one else None
            game = self.services.table.games.get(match.game) if match else None
            if one is None or match is None or game is None or self.place not in match.addresses:
                continue
            if one is finest and not buttons:
                told = CallbackData(Verb.STORY, match.id, 0)
                buttons["story"] = Button(words("bot.button.story"), told, style="good")
            naming = Naming(game, match, words)
            turns, took = words.count("bot.digest.turns", one.turns), timedelta(seconds=one.seconds)
            fields = {"turns": turns, "time": words.time_left(took), "result": " ".join(naming.result)}
            lines.append(words(key, opponents=naming.opponents, code=f"#{match.id}", **fields))
            buttons[match.id] = Button(f"#{match.id}", CallbackData(Verb.BOARD, match.id, 0))
        lines += await self._ladders()
        return View(lines=tuple(lines), buttons=tuple(buttons.values()), language=words.language)

    async def _crown(self, day: date) -> Sequence[str]:
        """Return who has most points for the puzzles of a week up to a day; people with a hidden profile are not named."""
        store = self.services.store
        week = await DailyResults(store).week(self.place, day)
        best = [line.player for line in week if line.points == week[0].points > 0]
        chosen = await store.settings.get_many(*(each.account for each in best))
        names = [player_name(who, self.words) for who, own in zip(best, chosen, strict=True) if own.profile]
        named = self.words.list(names[:_NAMES])
        return [self.words.count("bot.digest.crown", week[0].points, names=named)] if names else ()

    async def _ladders(self) -> Sequence[str]:
        """Return who plays next on the ladders here."""
        services, lines = self.services, list[str]()
        events = await services.store.events.at(self.place)
        for event in [each for each in events if each.live and each.setup.form == "ladder"][:_LADDERS]:
            if game := services.table.games.get(event.setup.game):
                shown = Shown(event, game, self.words, services.table.now(self.at), self.zone)
                if pairs := upcoming(shown, _NAMES):
                    named = {"game": self.words(f"{game.key}.name"), "code": code(event)}
                    lines += ["", self.words("bot.digest.ladder", **named), *pairs]
        return lines


@registry.command("week", arguments.HERE, topic=HelpTopic.TOGETHER, cost=PICTURES, finishing=False)
async def week(context: Context) -> Sequence[Message]:
    """`/week`: the week here so far, or the last one while nothing has been played in it; `/week here` to the place."""
    if (here := bool(context.command.rest)) and context.command.rest.casefold() not in HERE:
        raise no_such_word(context.command.rest)
    place, chosen = context.visitor.place, context.place
    words, zone = (context.place_words, None) if here else (context.words, context.own.zone)
    digest = Digest(context.services, place, chosen, words, context.at, zone)
    monday = schedule_of(context.store).day(chosen.place_zone, context.at)
    view = await digest.week(monday) or await digest.week(monday - _WEEK)
    if view is None:
        return [context.private(View(lines=(context.words("bot.digest.nothing"),)))]
    return [Message(place, view) if here else context.private(view)]


def schedule_of(store: FullStore) -> Schedule:
    """Return when places get their week: on Mondays at nine; by a bot that was down, until Wednesday."""
    return Schedule(
        store,
        "digest",
        lambda chosen: (time(9), chosen.place_zone) if chosen.digest else None,
        every=7,
        late=2,
    )


@POSTS_CHOSEN
async def reschedule(store: FullStore, place: Address, chosen: Settings, at: datetime) -> None:
    """Plan the next week of a place anew."""
    await schedule_of(store).plan(place, chosen, at)


@registry.periodically("weeks of places", _LOOK)
async def post(services: Services, delivery: Delivery, couriers: Mapping[str, Courier]) -> None:
    """Post the last week where that is due, without calling anyone."""
    schedule, at = schedule_of(services.store), await services.store.now()

    async def make(place: Address, chosen: Settings, monday: date) -> Send | None:
        digest = Digest(services, place, chosen, words_of(chosen, services.language), at)
        if (view := await digest.week(monday - _WEEK)) is None:
            return None
        return lambda courier: courier.post(place, view, ping=(), nonce=schedule.nonce(place, monday))

    await ScheduledPosts(schedule, delivery, couriers).tick(make)
