"""Stories of games by engines of mixed levels: no caption contradicts the solver, what is proved, or what the positions show."""

from __future__ import annotations

import asyncio
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, Final

import pytest

from bot.chat.i18n.catalogue import LANGUAGES, words
from bot.chat.presenting.naming import Naming
from bot.chat.thinking.jobs import Job, Reply, Variation, job_for, run_job
from bot.features.analysis.judging import Judged, Worth, analysed
from bot.features.story.beats import LEAST, MOST, Beat, Kind, beats
from bot.features.story.drawing import caption
from play.match import Chair, Closing, Match, Phase, Result, engine
from play.people import Address
from play.replay import Course, PlayedTurn, begun, turns_of
from rules import GAMES
from rules.core import Seat
from tests.engine.lgame.solving import distances, key_of
from tests.reliability.conftest import Figure, Scale
from tests.rules.klopodavka.reference import Cell, Reference, reference

NOON: Final = datetime(2026, 11, 21, 12, tzinfo=UTC)
PLAYED: Final[Sequence[tuple[str, Mapping[str, str]]]] = (
    ("lgame", {}),
    ("breakthrough", {"board": "5x5"}),
    ("klopodavka", {"board": "6x6"}),
    ("klopodavka", {"board": "8x8", "players": "3"}),
    ("lgame", {"variant": "symmetry"}),
    ("breakthrough", {"board": "4x5"}),
    ("klopodavka", {"board": "9x9", "teams": "2v2"}),
    ("klopodavka", {"board": "6x6", "variant": "bases"}),
    ("breakthrough", {"board": "6x6"}),
    ("klopodavka", {"board": "8x8", "players": "4", "reach": "base"}),
    ("lgame", {}),
    ("breakthrough", {"board": "4x5", "variant": "misere"}),
    ("klopodavka", {"board": "8x8", "topology": "torus", "players": "3"}),
    ("klopodavka", {"board": "12x12", "players": "6"}),
)
LONGEST: Final = 150  # turns; then a draw is agreed
CHECKED: Final = 7  # plies of a proof that are played through again
UNFINISHED: Final = (Closing.RESIGNED, Closing.TIME, Closing.DRAW_AGREED, Closing.SILENCE, Closing.AGREED)


def searched(job: Job, seconds: float = 0.02) -> Reply:
    return run_job(replace(job, seconds=seconds))


def game_by_engines(number: int, key: str, chosen: Mapping[str, str]) -> tuple[Match, Course]:
    """A match that engines of mixed levels have played; in every fourth, a player breaks it off or leaves."""
    luck = random.Random(number)
    game = GAMES[key]
    options = game.choose(chosen)
    course = begun(game, options)
    levels = [luck.randint(1, 6) for _ in range(game.seats(options))]
    stops = luck.randint(1, 40) if number % 4 == 3 else LONGEST
    result = None
    for turn in range(LONGEST):
        if (result := course.result) is not None:
            break
        if turn == stops:
            reason = luck.choice(UNFINISHED)
            mover = course.position.to_move
            if reason in (Closing.RESIGNED, Closing.TIME):
                if len(levels) > 2:
                    course = course.left(mover, reason, NOON)
                    stops += luck.randint(1, 40)
                    continue
                result = Result(course.opponents(mover), reason.value)
            else:
                result = Result((), reason.value)
            break
        level = levels[course.position.to_move]
        job = job_for(game, options, course.position, level=level, seed=luck.getrandbits(30))
        for text in searched(job).lines[0].turn:
            (move,) = game.notation.parse(text, course.position)
            course = course.played(move, NOON)
    seated: list[Chair] = []
    for level in levels:
        seated.append(Chair(engine(level, [each.player.account for each in seated if each.player])))
    code = "".join(luck.choices("abcdefghjkmn23456789", k=6))
    match = Match(
        code, key, game.rules_version, tuple(game.describe(options).items()), tuple(seated), engine(1), False,
        (Address("console", "room"),), NOON, NOON + timedelta(days=1), Phase.OVER, course.log,
        result=result or Result((), Closing.DRAW_AGREED.value),
    )  # fmt: skip
    return match, course


async def judged(match: Match, course: Course) -> Sequence[Judged]:
    async def ask(job: Job) -> Reply:
        return searched(job)

    return await analysed(match, course, ask) if len(course.sides) == 2 else ()


PARTS: Final = 10  # of all games: a test has ten minutes


@pytest.fixture(scope="module")
def workers() -> Iterator[ProcessPoolExecutor]:
    with ProcessPoolExecutor() as pool:
        yield pool


@pytest.mark.parametrize("part", range(PARTS))
def test_no_caption_contradicts_what_is_known(
    part: int, workers: ProcessPoolExecutor, scale: Scale, figure: Figure
) -> None:
    told: Counter[str] = Counter()
    checked: Counter[str] = Counter()
    games = scale(100, 2)
    for kinds, each in workers.map(one_story, range(part * games, (part + 1) * games)):
        told += kinds
        checked += each
    figure(f"{games} stories: {dict(told.most_common())}; checked by other means: {dict(checked)}")


def one_story(number: int) -> tuple[Counter[str], Counter[str]]:
    """Check the story of a game; return the kinds of its beats, and in which game how many were checked by other means."""
    key, chosen = PLAYED[number % len(PLAYED)]
    match, course = game_by_engines(number, key, chosen)
    turns = asyncio.run(judged(match, course))
    common = random.Random(number).randint(0, 4)
    story = beats(match, course, turns, common)
    check_shape(match, course, story)
    told: Counter[str] = Counter()
    checked: Counter[str] = Counter()
    for beat in story:
        told[f"{beat.kind}" if beat.sure else f"{beat.kind} (opinion)"] += 1
        checked[key] += Checks(match, course, turns, common).check(beat)
        check_captions(match, course, beat)
    return told, checked


def check_shape(match: Match, course: Course, story: Sequence[Beat]) -> None:
    turns = turns_of(course)
    numbers = [beat.turn.number for beat in story]
    assert numbers == sorted(set(numbers)), match
    assert min(LEAST, len(turns)) <= len(story) <= MOST, (match, story)
    assert not turns or (story[-1].kind, story[-1].turn) == (Kind.FINISH, turns[-1])
    assert all(beat.turn == turns[beat.turn.number - 1] for beat in story)


OPINION: Final = re.compile("engine|руші|движк|движок", re.IGNORECASE)
ENDS: Final = re.compile(r"[.?!]\Z")


def check_captions(match: Match, course: Course, beat: Beat) -> None:
    """Each language says the turn, its counts, and whose opinion it is; the same to every reader."""
    for language in LANGUAGES:
        names = Naming(course.game, match, words(language, strict=True))
        said = caption(beat, names, match.id)
        assert said == caption(beat, names, match.id)
        assert " ".join(beat.turn.plies) in said, said
        assert "{" not in said, said
        assert ENDS.search(said), said
        count = beat.fields.get("count")
        assert count is None or beat.kind is Kind.OUT or str(count) in said, said
        if not beat.sure:
            assert OPINION.search(said), said
        elif beat.kind in (Kind.SWING, Kind.LEAD, Kind.MISSED, Kind.WON):
            assert not OPINION.search(re.sub(r"Klop, level \d|Клоп, (рівень|уровень) \d", "", said)), said


@dataclass(frozen=True)
class Checks:
    """What a beat says, checked by other means than those that found it; a method for each kind."""

    match: Match
    course: Course
    turns: Sequence[Judged]
    common: int

    def check(self, beat: Beat) -> bool:
        """Whether there was anything to check; an opinion is one where it is called so."""
        if not beat.sure:
            assert beat.kind in (Kind.LEAD, Kind.SWING, Kind.MISSED)
            if beat.kind is Kind.SWING:  # it is said to have cost most
                lost = [turn.lost for turn in self.turns if not turn.same]
                assert self.by_number(beat.turn.number).lost == max(lost)
            return False
        getattr(self, beat.kind.name.lower())(beat)
        return True

    def before(self, turn: PlayedTurn) -> Any:
        return self.course.positions[turn.first]

    def after(self, turn: PlayedTurn) -> Any:
        return self.course.positions[turn.end]

    def opening(self, beat: Beat) -> None:
        assert beat.fields["count"] == self.common == beat.turn.number - 1

    def finish(self, beat: Beat) -> None:
        assert beat.turn.end == max(i for i, move in enumerate(self.course.moves, 1) if move is not None)

    def played(self, beat: Beat) -> None:
        pass

    # What is proved of two sides

    def won_for(
        self, position: Any, side: Sequence[Seat], plies: int | None = None, *, exact: bool = False
    ) -> None:
        """Fail if a side is known not to win from a position; `plies` is how long that takes at most, where it is said, or exactly."""
        if position.outcome is not None:
            assert set(position.outcome.winners) <= set(side)
        elif self.course.game.key == "lgame":
            known = distances(position.options)[key_of(position)]
            assert known is not None
            assert (known % 2 == 1) == (position.to_move in side)
            assert plies is None or known == plies
        elif plies is not None and plies <= CHECKED:
            assert forced(position, tuple(side), plies)
            assert not (exact and forced(position, tuple(side), plies - 1))

    def drawn(self, position: Any) -> None:
        if self.course.game.key == "lgame" and position.outcome is None:
            assert distances(position.options)[key_of(position)] is None

    def worth(self, position: Any, seat: Seat, worth: Worth | Variation) -> None:
        own = self.course.side_of(seat)
        other = next(side for side in self.course.sides if side != own)
        assert worth.value is not None
        assert worth.plies is not None
        if round(worth.value):
            winner = own if worth.value > 0 else other
            self.won_for(position, winner, worth.plies or None, exact=worth.exact)
        else:
            self.drawn(position)

    def swing(self, beat: Beat) -> None:
        before: Any = beat.fields["before"]
        after: Any = beat.fields["after"]
        assert round(before.value) > round(after.value)
        self.worth(self.before(beat.turn), beat.turn.seat, before)
        self.worth(self.after(beat.turn), beat.turn.seat, after)

    def lead(self, beat: Beat) -> None:
        former: Any = beat.fields["former"]
        leaders: Any = beat.fields["leaders"]
        assert {former, leaders} == set(self.course.sides)
        assert beat.turn.seat in former
        self.won_for(self.before(beat.turn), former, self.by_number(beat.turn.number).best.plies)
        self.won_for(self.after(beat.turn), leaders)

    def missed(self, beat: Beat) -> None:
        side: Any = beat.fields["names"]
        own = [turn for turn in self.turns if turn.played.seat in side]
        first = next(at for at, turn in enumerate(own) if turn.played == beat.turn)
        count: Any = beat.fields["count"]
        for turn in own[first : first + count]:
            self.won_for(self.before(turn.played), side, turn.best.plies)
        last = own[first + count - 1].played
        assert self.match.result is not None
        if own[first + count :]:
            position = self.after(last)
            assert position.outcome is None
            if self.course.game.key == "lgame":
                exact = distances(position.options)[key_of(position)]
                assert exact is None or (exact % 2 == 1) != (position.to_move in side)
        else:
            assert not set(side) & set(self.match.result.winners)

    def won(self, beat: Beat) -> None:
        side: Any = beat.fields["names"]
        assert self.match.result is not None
        assert set(side) <= set(self.match.result.winners)
        rest = self.turns[-int(str(beat.fields["count"])) :]
        assert rest[0].played == beat.turn
        for turn in rest:
            self.won_for(self.before(turn.played), side, turn.best.plies)

    def narrow(self, beat: Beat) -> None:
        known = distances(self.before(beat.turn).options)

        def result(position: Any) -> int:
            if position.outcome is not None:
                return 1 if beat.turn.seat in position.outcome.winners else -1
            exact = known[key_of(position)]
            return (
                0 if exact is None else 1 if (exact % 2 == 1) == (position.to_move == beat.turn.seat) else -1
            )

        position = self.before(beat.turn)
        results = [result(position.play(move)) for move in position.legal_moves()]
        assert results.count(result(position)) == beat.fields["count"]
        assert result(self.after(beat.turn)) == result(position)

    def by_number(self, number: int) -> Judged:
        return next(turn for turn in self.turns if turn.played.number == number)

    # What positions show of many seats, by the second version of the rules

    def linked(self, turn: PlayedTurn, seat: Seat, *, ever: bool) -> tuple[set[Cell], set[Cell]]:
        """The cells of a seat that led somewhere before a turn, or could have come to, and after it all that do."""
        found = []
        for position in (self.before(turn), self.after(turn)):
            plain = reference(position)
            allies = [ally for ally in plain.side(seat) if ever or ally == seat or ally not in plain.out]
            plain.out.clear()
            found.append(
                set[Cell]().union(*(plain.comes(ally) if ever else plain.chain(ally) for ally in allies))
            )
        own = _own(reference(self.after(turn)), seat)
        return found[0] & own, found[1]

    def cut_off(self, beat: Beat) -> None:
        before, after = self.linked(beat.turn, beat.seats["other"], ever=False)
        assert len(before - after) == beat.fields["count"]

    def died(self, beat: Beat) -> None:
        seat = beat.seats["other"]
        before, after = self.linked(beat.turn, seat, ever=True)
        dead = before - after
        assert len(dead) == beat.fields["count"]
        for turn in turns_of(self.course)[beat.turn.number :]:  # and they never lead anywhere again
            assert not dead & self.linked(turn, seat, ever=False)[1]

    def out(self, beat: Beat) -> None:
        others: Any = beat.fields["others"]
        before, after = (reference(self.before(beat.turn)), reference(self.after(beat.turn)))
        for seat in others:
            assert before.reach(seat)
            assert not after.reach(seat)
            assert seat in self.course.position.out
            assert seat not in self.course.departed

    def left(self, beat: Beat) -> None:
        entry = next(each for each in self.course.log[beat.turn.end :] if each.seat == beat.seats["other"])
        assert entry.seat in self.course.departed


def _own(plain: Reference, seat: Seat) -> set[Cell]:
    return plain.own(seat) | {cell for cell, owner in plain.walls.items() if owner == seat}


@lru_cache(maxsize=200_000)
def forced(position: Any, side: tuple[Seat, ...], plies: int) -> bool:
    """Whether a side wins from a position within so many plies, whatever the other does: by the rules alone."""
    if position.outcome is not None:
        return bool(set(position.outcome.winners) & set(side))
    if not plies:
        return False
    after = (forced(position.play(move), side, plies - 1) for move in position.legal_moves())
    return any(after) if position.to_move in side else all(after)
