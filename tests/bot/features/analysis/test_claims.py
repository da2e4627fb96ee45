"""What a sentence about a turn claims is true: each is checked by the rules in positions at random."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import chain, islice
from operator import or_
from typing import Any, Final

import pytest

from bot.chat.i18n.catalogue import load
from engine import engine_for, specialist_of
from engine.core import Budget, GameValue, Idea, Proof, SearchResult
from play.actions.playing import losing_reply
from play.replay import Course
from rules import GAMES
from rules.breakthrough import BreakthroughPosition
from rules.core import Phrase, Position, Seat, Square, sq
from rules.klopodavka import KlopodavkaPosition
from rules.klopodavka.options import Finish
from rules.klopodavka.position import PositionFields, bases_held
from rules.klopodavka.reach import could_ever, open_to, reach, touched
from rules.lgame import LPosition
from rules.lgame.board import AXES, images, squares

CORNERS: Final = set(map(sq, ("a1", "d1", "a4", "d4")))
MIDDLE: Final = set(map(sq, ("b2", "c2", "b3", "c3")))
ADVICE: Final = {
    *("breakthrough.idea.together", "breakthrough.idea.misere-wait"),
    *("bot.hint.idea", "bot.hint.marked", "bot.hint.begin", "bot.hint.move", "bot.hint.line"),
    *("bot.blunder.play", "bot.blunder.how"),
}
"""Sentences that claim nothing about a position."""

SAID: Final[Mapping[str, Collection[str]]] = {
    "lgame": ("bot.blunder", "bot.hint.lost"),
    "breakthrough": ("bot.blunder", "bot.blunder.itself", "bot.hint.lost"),
    "klopodavka": ("bot.blunder", "bot.blunder.itself"),
}
"""What is met in games of each kind besides its own ideas."""

PROVED: Final = {"breakthrough.idea.force", "breakthrough.idea.misere-force", "lgame.idea.cornered"}
"""Ideas that rest on the proof of a search alone."""

GUESSED: Final = "at random"
"""The engine of turns that no search has found."""

KINDS: Final[Mapping[str, Sequence[tuple[Mapping[str, str], int]]]] = {
    "lgame": (
        ({}, 4),
        ({"variant": "scoring"}, 2),
        ({"variant": "sudden-death"}, 2),
        ({"variant": "symmetry"}, 3),
    ),
    "breakthrough": (
        ({"board": "4x5"}, 30),
        ({"board": "5x6"}, 36),
        ({"board": "4x5", "variant": "misere"}, 30),
    ),
    "klopodavka": (
        ({"board": "5x5"}, 16),
        ({"board": "6x6", "variant": "bases"}, 12),
        ({"board": "6x6", "variant": "hq"}, 12),
        ({"board": "6x6", "players": "3"}, 6),
        ({"board": "5x5", "reach": "base"}, 12),
    ),
}
"""What is played at random, and how many games of it."""


@dataclass(frozen=True, slots=True)
class Said:
    """A turn of which something is said; each sentence has a method that checks it in the position: see `claim_of`.

    `proof` is what the search has proved of the turn.
    """

    idea: Idea
    before: Any
    turn: tuple[Any, ...]
    after: Any
    proof: Proof | None

    @property
    def key(self) -> str:
        return self.idea.phrase.key

    @property
    def move(self) -> Any:
        """The turn, where it is one move."""
        (move,) = self.turn
        return move

    @property
    def marked(self) -> set[Square]:
        return {mark.square for mark in self.idea.marks}

    @property
    def count(self) -> int:
        """The number that is said."""
        (count,) = (each for key, each in self.idea.phrase.fields.items() if key != "seat")
        assert isinstance(count, int)
        return count

    @property
    def mover(self) -> Seat:
        seat = self.before.to_move
        assert isinstance(seat, Seat)
        return seat

    @property
    def seat(self) -> Seat:
        """The enemy that it is about; without one, the mover."""
        seat = self.idea.phrase.fields.get("seat", self.mover)
        assert isinstance(seat, Seat)
        return seat

    @property
    def won(self) -> bool:
        """Whether the turn ends the game for its side."""
        return self.after.outcome is not None and self.mover in self.after.outcome.winners

    def says_lost(self) -> bool:
        """Every move loses, and none of them later."""
        return self.proof is not None and not escapes(self.before, self.proof.plies)

    def says_blunder(self) -> bool:
        """The mover has lost after the turn and the reply, which are the turn here."""
        return self.mover in self.after.out or self.mover not in self.after.outcome.winners

    says_itself = says_blunder


def claim_of(key: str) -> str:
    """Return the name of the method that checks a sentence; the sentence for the other side says the same."""
    return f"says_{key.rpartition('.')[2].replace('-', '_')}"


def forces(position: Position[Any], plies: int) -> bool:
    """Whether the side to move can force its win within so many plies, of one a turn; by trying everything."""
    return any(
        position.to_move in after.outcome.winners
        if after.outcome is not None
        else plies > 1 and not escapes(after, plies - 1)
        for after in map(position.play, position.legal_moves())
    )


def escapes(position: Position[Any], plies: int) -> bool:
    """Whether some move of the side to move keeps the other one from forcing its win within so many plies."""
    return any(
        position.to_move in after.outcome.winners
        if after.outcome is not None
        else not forces(after, plies - 1)
        for after in map(position.play, position.legal_moves())
    )


def seen_by_the_other(position: BreakthroughPosition) -> BreakthroughPosition:
    """The same men, the other side to move."""
    other = Seat.S1 if position.to_move is Seat.S2 else Seat.S2
    return BreakthroughPosition.of(position.options, position.layout, other)


def takers(position: BreakthroughPosition, square: Square) -> list[Any]:
    """The captures of the side to move on a cell."""
    return [move for move in position.legal_moves() if move.captures and move.end == square]


def hangs(position: BreakthroughPosition, square: Square) -> bool:
    """Whether the side to move takes a man on a cell, and cannot be taken back there."""
    taken = [position.play(move) for move in takers(position, square)]
    return any(after.outcome or not takers(after, square) for after in taken)


def rank_left(position: BreakthroughPosition, seat: Seat, square: Square) -> int:
    """Ranks between a man and its goal."""
    return position.options.grid.ranks - 1 - square.rank if seat is Seat.S1 else square.rank


def caught(position: BreakthroughPosition, square: Square) -> bool:
    """Whether the side to move can take or block a man that only walks straight on."""
    for move in position.legal_moves():
        after = position.play(move)
        if move.end == square:
            return True
        if after.outcome is not None:
            continue
        ahead = Square(square.file, square.rank + (1 if after.to_move is Seat.S1 else -1))
        steps = [step for step in after.legal_moves() if (step.start, step.end) == (square, ahead)]
        if not steps:
            return True
        on = after.play(steps[0])
        if on.outcome is None and caught(on, ahead):
            return True
    return False


def breaks_through(position: BreakthroughPosition, man: Square | None = None) -> bool:
    """Whether the side to move can enter a cell before its goal, and is not taken there; with one man, or any."""
    return any(
        rank_left(position, position.to_move, move.end) == 1 and not takers(position.play(move), move.end)
        for move in position.legal_moves()
        if man in (None, move.start) and rank_left(position, position.to_move, move.start) == 2
    )


class SaidInBreakthrough(Said):
    @property
    def left(self) -> int:
        """Ranks between the man that moved and its goal."""
        return rank_left(self.before, self.mover, self.move.end)

    def says_force(self) -> bool:
        return self.proof is not None and forces(self.before, self.proof.plies)

    says_misere_force = says_force

    def says_arrive(self) -> bool:
        return self.won and self.marked == {self.move.start} and self.left == 0

    def says_last(self) -> bool:
        return self.won and self.marked == {self.move.end} and self.left > 0

    def says_stop(self) -> bool:
        foe = self.before.at(self.move.end)
        near = foe is not None and rank_left(self.before, foe, self.move.end) == 1
        return near and self.marked == {self.move.end}

    def says_gap(self) -> bool:
        return self.marked == {self.move.start} and self.left == 1 and not takers(self.after, self.move.end)

    def says_run(self) -> bool:
        return self.marked == {self.move.start} and not caught(self.after, self.move.end)

    def says_bar(self) -> bool:
        theirs = seen_by_the_other(self.before)
        barred = bool(self.marked) and all(breaks_through(theirs, man) for man in self.marked)
        return barred and not breaks_through(self.after)

    def says_misere_take(self) -> bool:
        return self.move.captures and self.marked == {self.move.end}

    def says_free(self) -> bool:
        return self.says_misere_take() and not takers(self.after, self.move.end)

    def says_trade(self) -> bool:
        return self.says_misere_take() and bool(takers(self.after, self.move.end))

    def says_save(self) -> bool:
        theirs, move = seen_by_the_other(self.before), self.move
        now = {move.end if man == move.start else man for man in self.marked}
        hung = bool(self.marked) and all(hangs(theirs, man) for man in self.marked)
        return hung and not any(hangs(self.after, man) for man in now)

    def says_outpost(self) -> bool:
        return self.marked == {self.move.start} and not hangs(self.after, self.move.end)

    def says_home(self) -> bool:
        ranks = self.before.options.grid.ranks
        home = [rank_left(self.before, self.mover, man) == ranks - 1 for man in self.marked]
        return bool(home) and all(home) and all(self.after.at(man) is self.mover for man in self.marked)

    @property
    def harmless(self) -> list[Any]:
        """The moves that end nothing."""
        return [move for move in self.after.legal_moves() if self.after.play(move).outcome is None]

    def says_misere_stuck(self) -> bool:
        return not self.harmless and bool(self.marked)

    def says_misere_few(self) -> bool:
        return len(self.harmless) == self.count and {move.start for move in self.harmless} == self.marked


def actionable(position: KlopodavkaPosition, seat: Seat) -> int:
    return reach(position.ruleset, position.occupancy, seat)


def possible(position: KlopodavkaPosition, seat: Seat) -> int:
    """The cells that a seat could ever reach."""
    return could_ever(position.ruleset, position.occupancy, seat)


def enemies(position: KlopodavkaPosition, seat: Seat) -> list[Seat]:
    sides = GAMES["klopodavka"].sides(position.options)
    return [other for side in sides if seat not in side for other in side if other not in position.out]


def ever(position: KlopodavkaPosition, seat: Seat) -> int:
    """The cells on which a seat could ever act."""
    return open_to(position.ruleset, position.occupancy, seat, possible(position, seat))


def loose(position: KlopodavkaPosition, seat: Seat) -> int:
    walls = position.occupancy.walls[seat]
    return (walls & ~touched(position.ruleset, position.occupancy, seat)).bit_count()


def in_a_turn(position: KlopodavkaPosition, seat: Seat) -> int:
    """The cells that a seat could act on in one whole turn; by playing them, the others standing still."""
    on, cells = position.ruleset, 0
    begun = [PositionFields(position.occupancy, seat, on.actions, position.fields.gone)]
    for _ in range(on.actions):
        here = {each.occupancy: KlopodavkaPosition.of(on, each) for each in begun}.values()
        cells |= reduce(or_, (each.reached for each in here), 0)
        begun = [
            PositionFields(each.play(move).occupancy, seat, on.actions, position.fields.gone)
            for each in here
            for move in each.legal_moves()
        ]
    return cells


def whole_turns(position: KlopodavkaPosition) -> Iterator[KlopodavkaPosition]:
    """The positions after every turn of the seat to move."""
    ahead, seen = [position], {position}
    while ahead:
        here = ahead.pop()
        for after in {here.play(move) for move in here.legal_moves()} - seen:
            seen.add(after)
            if after.outcome is not None or after.to_move is not position.to_move:
                yield after
            else:
                ahead.append(after)


class SaidInKlopodavka(Said):
    def counted(self, cells: Callable[[KlopodavkaPosition, Seat], int], seat: Seat) -> tuple[int, int]:
        """How many cells a seat has before and after the turn."""
        return cells(self.before, seat).bit_count(), cells(self.after, seat).bit_count()

    def says_win(self) -> bool:
        return self.won and not any(actionable(self.after, seat) for seat in enemies(self.after, self.mover))

    def says_shut_off(self) -> bool:
        return self.won and self.after.outcome.reason is Finish.FENCE

    def says_most_bases(self) -> bool:
        return self.won and self.after.outcome.reason is Finish.MOST_BASES

    def says_out(self) -> bool:
        return self.seat in self.after.out - self.before.out

    def says_base(self) -> bool:
        before, after = (
            bases_held(each.ruleset, each.occupancy, each.fields.gone)[self.mover]
            for each in (self.before, self.after)
        )
        return bool(before < after == self.count)

    def says_branch(self) -> bool:
        linked = [touched(each.ruleset, each.occupancy, self.seat) for each in (self.before, self.after)]
        bugs = self.after.occupancy.bugs[self.seat]
        return bool((bugs & linked[0] & ~linked[1]).bit_count() == self.count > 0)

    def says_outlast(self) -> bool:
        """The reserve alone wins, whatever the enemy does; tried with an enemy that plays at random."""
        own = self.mover
        (enemy,) = enemies(self.after, own)
        safe = ever(self.after, own) & ~possible(self.after, enemy)
        bits = self.after.ruleset.board.bits
        for seed in range(8):
            here, chance = self.after, random.Random(seed)
            while here.outcome is None:
                moves = list(here.legal_moves())
                if here.to_move is own:
                    moves = [move for move in moves if bits[move.square] & safe]
                if not moves:
                    return False
                here = here.play(chance.choice(moves))
            if own not in here.outcome.winners:
                return False
        return bool(safe.bit_count() >= self.count)

    def says_fence(self) -> bool:
        before, after = self.counted(ever, self.seat)
        lost = ever(self.before, self.seat) & ~possible(self.after, self.seat)
        return before - after == self.count <= lost.bit_count()

    def says_cut(self) -> bool:
        return loose(self.after, self.seat) - loose(self.before, self.seat) == self.count > 0

    def says_link(self) -> bool:
        return loose(self.before, self.seat) - loose(self.after, self.seat) == self.count > 0

    def says_hem(self) -> bool:
        before, after = self.counted(actionable, self.seat)
        return before - after == self.count > 0

    def says_reach(self) -> bool:
        before, after = self.counted(actionable, self.mover)
        return before <= after == self.count

    def says_reserve(self) -> bool:
        theirs = reduce(or_, (possible(self.after, seat) for seat in enemies(self.after, self.mover)))
        return 0 < self.count <= (ever(self.after, self.mover) & ~theirs).bit_count()

    def says_break(self) -> bool:
        before, after = self.counted(in_a_turn, self.mover)
        return after - before == self.count

    def says_secure(self) -> bool:
        own = self.mover
        return all(own not in after.out and actionable(after, own) for after in whole_turns(self.after))

    def says_crush(self) -> bool:
        crushed = {move.square for move in self.turn if move.crush}
        return len(crushed) == self.count and crushed == self.marked


def l_cells(position: LPosition, *, own: bool) -> set[Square]:
    seat = position.to_move if own else Seat.S1 if position.to_move else Seat.S2
    return set(squares(position.cells(seat)))


def places(position: LPosition) -> set[int]:
    """Where the L of the seat to move can go."""
    return {move.cells for move in position.legal_moves()}


class SaidInLGame(Said):
    @property
    def moved(self) -> set[Square]:
        """Where the L stands that moved."""
        return set(squares(self.move.cells))

    def says_mirror(self) -> bool:
        return self.won and self.after.mirrored and self.marked == l_cells(self.after, own=False)

    def says_last(self) -> bool:
        return self.won and not places(self.after) and self.marked == l_cells(self.before, own=False)

    def closes(self, shape: int, *, held: bool) -> bool:
        """Whether the other L fits nowhere into a shape of so many cells, in which one's own stands."""
        closed = not any(set(squares(cells)) <= self.marked for cells in places(self.after))
        return closed and held and len(self.marked) == shape and self.won is self.key.endswith("last")

    def says_square(self) -> bool:
        neutral = bool(set(squares(self.after.neutrals)) & self.marked)
        return self.closes(9, held=neutral and len(self.moved & self.marked) >= 3)

    def says_half(self) -> bool:
        return self.closes(8, held=self.moved <= self.marked)

    says_square_last, says_half_last = says_square, says_half

    def says_killer(self) -> bool:
        stayed = replace(self.after, neutrals=self.before.neutrals)
        fewer = len(places(self.after)) < len(places(stayed))
        return fewer and bool(set(squares(self.move.put)) & self.marked)

    def says_flip(self) -> bool:
        own = self.before.cells(self.mover)
        return self.move.cells in images(AXES)[own] and self.marked == set(squares(own))

    def says_no_corner(self) -> bool:
        return self.marked == CORNERS and not self.moved & CORNERS

    def says_out_of_corner(self) -> bool:
        return self.says_no_corner() and bool(l_cells(self.before, own=True) & CORNERS)

    def says_cornered(self) -> bool:
        foe = l_cells(self.before, own=False)
        return bool(self.marked) and self.marked == foe & CORNERS and self.proof is not None

    def says_room(self) -> bool:
        return len(self.moved & self.marked) > 1 and self.marked == MIDDLE

    def says_points(self) -> bool:
        return bool(self.after.scores[self.mover] - self.before.scores[self.mover] == self.count > 0)


SAYING: Final = {"lgame": SaidInLGame, "breakthrough": SaidInBreakthrough, "klopodavka": SaidInKlopodavka}


def turns_at(position: Position[Any], chance: random.Random) -> Iterator[tuple[Any, ...]]:
    """Whole turns at random, without end."""
    while True:
        here = position
        turn: list[Any] = []
        while (
            here.outcome is None
            and here.to_move == position.to_move
            and (not turn or here.plies_left < here.turn_length)
        ):
            moves = here.legal_moves()
            sharp = [
                move for move in moves if getattr(move, "crush", False) or getattr(move, "captures", False)
            ]
            move = chance.choice(sharp if sharp and chance.random() < 0.5 else moves)
            here, turn = here.play(move), [*turn, move]
        yield tuple(turn)


def after_turn(position: Position[Any], turn: Iterable[Any]) -> Position[Any]:
    return reduce(lambda here, move: here.play(move), turn, position)


def proved(game: str, position: Any) -> Iterator[SearchResult[Any]]:
    """What a search proves of a position soon, where trying everything can follow it."""
    if game == "klopodavka":
        return
    found = engine_for(GAMES[game], position.options, position).think(position, Budget(depth=5, nodes=2000))
    most = {GameValue.WIN: 5, GameValue.DRAW: 0, GameValue.LOSS: 2 if game == "lgame" else 4}
    if found.proof is not None and found.proof.plies <= most[found.proof.result]:
        yield found


def guessed(game: str, position: Position[Any], chance: random.Random) -> Iterator[SearchResult[Any]]:
    """Turns at random; every other one as if it were proved a win, for sentences that count that out themselves."""
    win = Proof(GameValue.WIN, 9)
    for number, turn in enumerate(islice(turns_at(position, chance), 6)):
        proof = win if number % 2 else None
        yield SearchResult(turn, 0.0, proof, turn, 1, 1, 0, GUESSED)


def sparse(position: BreakthroughPosition, chance: random.Random) -> BreakthroughPosition:
    """Few men at random, none of them at its goal."""
    grid = position.options.grid
    inner = [square for square in grid if 0 < square.rank < grid.ranks - 1]
    signs = "wbwbw"[: chance.randint(2, 5)]
    men = dict(zip(chance.sample(inner, len(signs)), signs, strict=True))
    ranks = [
        "".join(men.get(Square(file, rank), "1") for file in range(grid.files))
        for rank in reversed(range(grid.ranks))
    ]
    layout = re.sub("1+", lambda run: str(len(run[0])), "/".join(ranks))
    text = f"{layout} {chance.choice('wb')}"
    made = GAMES["breakthrough"].notation.parse_position(text, position.options)
    assert isinstance(made, BreakthroughPosition)
    return made


def of_turn(game: str, here: Any, result: SearchResult[Any]) -> Said | None:
    """What is said of the turn of a search, or of a position that is lost; turns that give the game away have no idea."""
    after, specialist = after_turn(here, result.turn), specialist_of(game)
    assert specialist is not None
    if result.proof is not None and result.proof.result is GameValue.LOSS:
        return Said(Idea(Phrase("bot.hint.lost"), ()), here, result.turn, after, result.proof)
    if after.outcome is not None and here.to_move not in after.outcome.winners:
        return None
    idea = specialist.idea(here, result)
    if idea is None or (result.engine == GUESSED and idea.phrase.key in PROVED):
        return None
    return SAYING[game](idea, here, result.turn, after, result.proof)


def warnings(game: str, here: Any, turn: tuple[Any, ...]) -> Iterator[Said]:
    """What is asked before a turn is played, with the turn and the reply that the question names."""
    rules = GAMES[game]
    course = Course(rules, here.options, (), (here,), ())
    reply = losing_reply(course, " ".join(map(rules.notation.format, turn)))
    if reply is not None:
        after = after_turn(here, turn)
        for text in reply:
            (move,) = rules.notation.parse(text, after)
            after, turn = after.play(move), (*turn, move)
        yield Said(
            Idea(Phrase("bot.blunder" if reply else "bot.blunder.itself"), ()), here, turn, after, None
        )


def ideas(game: str, chosen: Mapping[str, str], games: int) -> Iterator[Said]:
    """All that is said of turns in games at random."""
    rules = GAMES[game]
    options = rules.choose(chosen)
    for seed in range(games):
        chance = random.Random(seed)
        here: Any = rules.start(options)
        if game == "breakthrough" and seed % 2:
            here = sparse(here, chance)
        for _ in range(40):
            if here.outcome is not None:
                break
            for result in chain(proved(game, here), guessed(game, here, chance)):
                if said := of_turn(game, here, result):
                    yield said
            turn = next(turns_at(here, chance))
            if chance.random() < 0.3:
                yield from warnings(game, here, turn)
            here = after_turn(here, turn)


def keys_of(kind: str) -> set[str]:
    return {key for key in load("en") if key.split(".")[0] in GAMES and key.split(".")[1] == kind}


def checks(kind: type[Said]) -> set[str]:
    return {name for name in dir(kind) if name.startswith("says_")}


def test_every_sentence_has_a_check() -> None:
    common = {key for key in load("en") if key.startswith(("bot.hint.", "bot.blunder"))}
    assert checks(Said) == {claim_of(key) for key in common - ADVICE}
    for game, kind in SAYING.items():
        own = {key for key in keys_of("idea") - ADVICE if key.startswith(game)}
        assert checks(kind) - checks(Said) == {claim_of(key) for key in own}
    assert {key.replace(".reply.", ".idea.") for key in keys_of("reply")} <= keys_of("idea")


@pytest.mark.parametrize("game", KINDS)
def test_what_is_said_of_a_turn_is_true(game: str) -> None:
    met: Counter[str] = Counter()
    for chosen, games in KINDS[game]:
        for said in ideas(game, chosen, games):
            key = said.key
            met[key] += 1
            if key not in ADVICE:
                text = GAMES[game].notation.format_position(said.before)
                assert getattr(said, claim_of(key))(), (key, chosen, text, said.turn, said.idea)
    assert {key for key in keys_of("idea") if key.startswith(game)} | {*SAID[game]} == met.keys()
