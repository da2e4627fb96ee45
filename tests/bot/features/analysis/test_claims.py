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
from engine.core import Budget, GameValue, Idea, Proof, SearchResult, Specialist
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
        ({}, 6),
        ({"variant": "scoring"}, 3),
        ({"variant": "sudden-death"}, 2),
        ({"variant": "symmetry"}, 4),
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
    """A turn of which something is said.

    Attributes:
        idea: What is said, and the marks.
        before: The position.
        turn: Its moves.
        after: The position after it.
        proof: What the search has proved of it.
    """

    idea: Idea
    before: Any
    turn: tuple[Any, ...]
    after: Any
    proof: Proof | None

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
    def seat(self) -> Seat:
        """The enemy that it is about; without one, the mover."""
        seat = self.idea.phrase.fields.get("seat", self.before.to_move)
        assert isinstance(seat, Seat)
        return seat

    @property
    def won(self) -> bool:
        """Whether the turn ends the game for its side."""
        return self.after.outcome is not None and self.before.to_move in self.after.outcome.winners


Claim = Callable[[Said], bool]
CLAIMS: Final[dict[str, Claim]] = {}
"""What checks each sentence, by the key of the idea; the sentence for the other side says the same."""


def claims(*keys: str) -> Callable[[Claim], Claim]:
    def register(claim: Claim) -> Claim:
        CLAIMS.update(dict.fromkeys(keys, claim))
        return claim

    return register


def forces(position: Position[Any], plies: int) -> bool:
    """Whether the side to move can force its win within so many plies, of one a turn; by trying everything."""
    for move in position.legal_moves():
        after = position.play(move)
        if after.outcome is not None:
            if position.to_move in after.outcome.winners:
                return True
        elif plies > 1 and not escapes(after, plies - 1):
            return True
    return False


def escapes(position: Position[Any], plies: int) -> bool:
    """Whether some move of the side to move keeps the other one from forcing its win within so many plies."""
    for move in position.legal_moves():
        after = position.play(move)
        if after.outcome is not None:
            if position.to_move in after.outcome.winners:
                return True
        elif not forces(after, plies - 1):
            return True
    return False


@claims("breakthrough.idea.force", "breakthrough.idea.misere-force")
def _forced(said: Said) -> bool:
    return said.proof is not None and forces(said.before, said.proof.plies)


@claims("bot.hint.lost")
def _lost(said: Said) -> bool:
    """Every move loses, and none of them later."""
    return said.proof is not None and not escapes(said.before, said.proof.plies)


@claims("bot.blunder", "bot.blunder.itself")
def _loses(said: Said) -> bool:
    """The mover has lost after the turn and the reply, which are the turn here."""
    end = said.after.outcome
    return said.before.to_move in said.after.out or said.before.to_move not in end.winners


def seen_by_the_other(position: BreakthroughPosition) -> BreakthroughPosition:
    """The same men, the other side to move."""
    other = Seat.S1 if position.to_move is Seat.S2 else Seat.S2
    return BreakthroughPosition.of(position.options, position.layout, other)


def takers(position: BreakthroughPosition, square: Square) -> list[Any]:
    """The captures of the side to move on a cell."""
    return [move for move in position.legal_moves() if move.captures and move.end == square]


def hangs(position: BreakthroughPosition, square: Square) -> bool:
    """Whether the side to move takes a man on a cell, and cannot be taken back there."""
    taking = takers(position, square)
    return any(
        not position.play(move).outcome and not takers(position.play(move), square) for move in taking
    ) or any(position.play(move).outcome for move in taking)


def rank_left(position: BreakthroughPosition, seat: Seat, square: Square) -> int:
    """Ranks between a man and its goal."""
    return position.options.grid.ranks - 1 - square.rank if seat is Seat.S1 else square.rank


@claims("breakthrough.idea.arrive", "breakthrough.idea.last")
def _ends_breakthrough(said: Said) -> bool:
    (move,) = said.turn
    arrives = said.idea.phrase.key.endswith("arrive")
    left = rank_left(said.before, said.before.to_move, move.end)
    return said.won and said.marked == {move.start if arrives else move.end} and (left == 0) is arrives


@claims("breakthrough.idea.stop")
def _stops(said: Said) -> bool:
    (move,) = said.turn
    foe = said.before.at(move.end)
    return said.marked == {move.end} and foe is not None and rank_left(said.before, foe, move.end) == 1


@claims("breakthrough.idea.gap")
def _gap(said: Said) -> bool:
    (move,) = said.turn
    left = rank_left(said.before, said.before.to_move, move.end)
    return said.marked == {move.start} and left == 1 and not takers(said.after, move.end)


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


@claims("breakthrough.idea.run")
def _runs(said: Said) -> bool:
    (move,) = said.turn
    return said.marked == {move.start} and not caught(said.after, move.end)


def breaks_through(position: BreakthroughPosition, man: Square | None = None) -> bool:
    """Whether the side to move can enter a cell before its goal, and is not taken there; with one man, or any."""
    return any(
        rank_left(position, position.to_move, move.end) == 1 and not takers(position.play(move), move.end)
        for move in position.legal_moves()
        if man in (None, move.start) and rank_left(position, position.to_move, move.start) == 2
    )


@claims("breakthrough.idea.bar")
def _bars(said: Said) -> bool:
    theirs = seen_by_the_other(said.before)
    return (
        bool(said.marked)
        and all(breaks_through(theirs, man) for man in said.marked)
        and not breaks_through(said.after)
    )


@claims("breakthrough.idea.free", "breakthrough.idea.trade")
def _takes(said: Said) -> bool:
    (move,) = said.turn
    free = said.idea.phrase.key.endswith("free")
    return said.marked == {move.end} and move.captures and (not takers(said.after, move.end)) is free


@claims("breakthrough.idea.save")
def _saves(said: Said) -> bool:
    (move,) = said.turn
    theirs = seen_by_the_other(said.before)
    now = {move.end if man == move.start else man for man in said.marked}
    return (
        bool(said.marked)
        and all(hangs(theirs, man) for man in said.marked)
        and not any(hangs(said.after, man) for man in now)
    )


@claims("breakthrough.idea.outpost")
def _outpost(said: Said) -> bool:
    (move,) = said.turn
    return said.marked == {move.start} and not hangs(said.after, move.end)


@claims("breakthrough.idea.home")
def _home(said: Said) -> bool:
    seat, ranks = said.before.to_move, said.before.options.grid.ranks
    return (
        bool(said.marked)
        and all(rank_left(said.before, seat, man) == ranks - 1 for man in said.marked)
        and all(said.after.at(man) is seat for man in said.marked)
    )


@claims("breakthrough.idea.misere-stuck", "breakthrough.idea.misere-few")
def _harmless_steps(said: Said) -> bool:
    harmless = [move for move in said.after.legal_moves() if said.after.play(move).outcome is None]
    if said.idea.phrase.key.endswith("stuck"):
        return not harmless and bool(said.marked)
    return len(harmless) == said.count and {move.start for move in harmless} == said.marked


@claims("breakthrough.idea.misere-take")
def _takes_in_misere(said: Said) -> bool:
    (move,) = said.turn
    return move.captures and said.marked == {move.end}


def actionable(position: KlopodavkaPosition, seat: Seat) -> int:
    return reach(position.ruleset, position.occupancy, seat)


def enemies(position: KlopodavkaPosition, seat: Seat) -> list[Seat]:
    side = next(side for side in GAMES["klopodavka"].sides(position.options) if seat in side)
    seats = chain.from_iterable(GAMES["klopodavka"].sides(position.options))
    return [other for other in seats if other not in side and other not in position.out]


def ever(position: KlopodavkaPosition, seat: Seat) -> int:
    """The cells on which a seat could ever act."""
    on, occupancy = position.ruleset, position.occupancy
    return open_to(on, occupancy, seat, could_ever(on, occupancy, seat))


@claims("klopodavka.idea.win")
def _blocks_all(said: Said) -> bool:
    left = enemies(said.after, said.before.to_move)
    return said.won and not any(actionable(said.after, seat) for seat in left)


@claims("klopodavka.idea.shut-off", "klopodavka.idea.most-bases")
def _ends_otherwise(said: Said) -> bool:
    reason = Finish.FENCE if said.idea.phrase.key.endswith("shut-off") else Finish.MOST_BASES
    return said.won and said.after.outcome.reason is reason


@claims("klopodavka.idea.out")
def _blocked(said: Said) -> bool:
    return said.seat in said.after.out - said.before.out


@claims("klopodavka.idea.base")
def _bases(said: Said) -> bool:
    held = [
        bases_held(each.ruleset, each.occupancy, each.fields.gone)[said.before.to_move]
        for each in (said.before, said.after)
    ]
    return bool(held[0] < held[1] == said.count)


@claims("klopodavka.idea.branch")
def _branch(said: Said) -> bool:
    seat = said.seat
    linked = [touched(each.ruleset, each.occupancy, seat) for each in (said.before, said.after)]
    bugs = said.after.occupancy.bugs[seat]
    return bool((bugs & linked[0] & ~linked[1]).bit_count() == said.count > 0)


@claims("klopodavka.idea.outlast")
def _outlasts(said: Said) -> bool:
    """The reserve alone wins, whatever the enemy does; tried with an enemy that plays at random."""
    own = said.before.to_move
    (enemy,) = enemies(said.after, own)
    safe = ever(said.after, own) & ~could_ever(said.after.ruleset, said.after.occupancy, enemy)
    bits = said.after.ruleset.board.bits
    for seed in range(8):
        here, chance = said.after, random.Random(seed)
        while here.outcome is None:
            moves = list(here.legal_moves())
            if here.to_move is own:
                moves = [move for move in moves if bits[move.square] & safe]
            if not moves:
                return False
            here = here.play(chance.choice(moves))
        if own not in here.outcome.winners:
            return False
    return bool(safe.bit_count() >= said.count)


@claims("klopodavka.idea.fence")
def _fences(said: Said) -> bool:
    seat = said.seat
    lost = ever(said.before, seat) & ~could_ever(said.after.ruleset, said.after.occupancy, seat)
    return (
        ever(said.before, seat).bit_count() - ever(said.after, seat).bit_count()
        == said.count
        <= lost.bit_count()
    )


def loose(position: KlopodavkaPosition, seat: Seat) -> int:
    walls = position.occupancy.walls[seat]
    return (walls & ~touched(position.ruleset, position.occupancy, seat)).bit_count()


@claims("klopodavka.idea.cut", "klopodavka.idea.link")
def _walls(said: Said) -> bool:
    seat = said.seat
    more = loose(said.after, seat) - loose(said.before, seat)
    return said.count == (-more if seat is said.before.to_move else more) > 0


@claims("klopodavka.idea.hem")
def _hems(said: Said) -> bool:
    seat = said.seat
    before, after = (actionable(each, seat).bit_count() for each in (said.before, said.after))
    return before - after == said.count > 0


@claims("klopodavka.idea.reach")
def _spreads(said: Said) -> bool:
    seat = said.before.to_move
    before, after = (actionable(each, seat).bit_count() for each in (said.before, said.after))
    return before <= after == said.count


@claims("klopodavka.idea.reserve")
def _reserve(said: Said) -> bool:
    own, on, occupancy = said.before.to_move, said.after.ruleset, said.after.occupancy
    theirs = reduce(or_, (could_ever(on, occupancy, seat) for seat in enemies(said.after, own)))
    return 0 < said.count <= (ever(said.after, own) & ~theirs).bit_count()


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


@claims("klopodavka.idea.break")
def _breaks(said: Said) -> bool:
    seat = said.before.to_move
    before, after = (in_a_turn(each, seat).bit_count() for each in (said.before, said.after))
    return after - before == said.count


def whole_turns(position: KlopodavkaPosition) -> Iterator[KlopodavkaPosition]:
    """The positions after every turn of the seat to move."""
    ahead, seen = [position], {position}
    while ahead:
        here = ahead.pop()
        for move in here.legal_moves():
            after = here.play(move)
            if after in seen:
                continue
            seen.add(after)
            if after.outcome is not None or after.to_move is not position.to_move:
                yield after
            else:
                ahead.append(after)


@claims("klopodavka.idea.secure")
def _secure(said: Said) -> bool:
    own = said.before.to_move
    return all(own not in after.out and actionable(after, own) for after in whole_turns(said.after))


@claims("klopodavka.idea.crush")
def _crushes(said: Said) -> bool:
    crushed = {move.square for move in said.turn if move.crush}
    return len(crushed) == said.count and crushed == said.marked


def l_cells(position: LPosition, *, own: bool) -> set[Square]:
    seat = position.to_move if own else Seat.S1 if position.to_move else Seat.S2
    return set(squares(position.cells(seat)))


def places(position: LPosition) -> set[int]:
    """Where the L of the seat to move can go."""
    return {move.cells for move in position.legal_moves()}


@claims("lgame.idea.mirror")
def _mirror(said: Said) -> bool:
    return said.won and said.after.mirrored and said.marked == l_cells(said.after, own=False)


@claims("lgame.idea.last")
def _nowhere(said: Said) -> bool:
    return said.won and not places(said.after) and said.marked == l_cells(said.before, own=False)


@claims("lgame.idea.square", "lgame.idea.half", "lgame.idea.square-last", "lgame.idea.half-last")
def _closes(said: Said) -> bool:
    (move,), key = said.turn, said.idea.phrase.key
    closed = {cells for cells in places(said.after) if set(squares(cells)) <= said.marked}
    shape = 9 if "square" in key else 8
    own = len(set(squares(move.cells)) & said.marked)
    held = own == 4 if shape == 8 else own >= 3 and bool(set(squares(said.after.neutrals)) & said.marked)
    return not closed and len(said.marked) == shape and held and said.won is key.endswith("last")


@claims("lgame.idea.killer")
def _killer(said: Said) -> bool:
    (move,) = said.turn
    stayed = replace(said.after, neutrals=said.before.neutrals)
    return bool(set(squares(move.put)) & said.marked) and len(places(said.after)) < len(places(stayed))


@claims("lgame.idea.flip")
def _flips(said: Said) -> bool:
    (move,) = said.turn
    own = said.before.cells(said.before.to_move)
    return move.cells in images(AXES)[own] and said.marked == set(squares(own))


@claims("lgame.idea.out-of-corner", "lgame.idea.no-corner")
def _keeps_out(said: Said) -> bool:
    (move,) = said.turn
    touched_before = bool(l_cells(said.before, own=True) & CORNERS)
    out = said.idea.phrase.key.endswith("out-of-corner")
    return said.marked == CORNERS and not set(squares(move.cells)) & CORNERS and touched_before >= out


@claims("lgame.idea.cornered")
def _cornered(said: Said) -> bool:
    foe = l_cells(said.before, own=False)
    return bool(said.marked) and said.marked == foe & CORNERS and said.proof is not None


@claims("lgame.idea.room")
def _middle(said: Said) -> bool:
    (move,) = said.turn
    return len(set(squares(move.cells)) & said.marked) > 1 and said.marked == MIDDLE


@claims("lgame.idea.points")
def _points(said: Said) -> bool:
    seat = said.before.to_move
    return bool(said.after.scores[seat] - said.before.scores[seat] == said.count > 0)


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


def of_turn(specialist: Specialist[Any, Any], here: Any, result: SearchResult[Any]) -> Said | None:
    """What is said of the turn of a search, or of a position that is lost; turns that give the game away have no idea."""
    after = after_turn(here, result.turn)
    if result.proof is not None and result.proof.result is GameValue.LOSS:
        return Said(Idea(Phrase("bot.hint.lost"), ()), here, result.turn, after, result.proof)
    if after.outcome is not None and here.to_move not in after.outcome.winners:
        return None
    idea = specialist.idea(here, result)
    if idea is None or (result.engine == GUESSED and idea.phrase.key in PROVED):
        return None
    return Said(idea, here, result.turn, after, result.proof)


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
    rules, specialist = GAMES[game], specialist_of(game)
    assert specialist is not None
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
                if said := of_turn(specialist, here, result):
                    yield said
            turn = next(turns_at(here, chance))
            if chance.random() < 0.3:
                yield from warnings(game, here, turn)
            here = after_turn(here, turn)


def keys_of(kind: str) -> set[str]:
    return {key for key in load("en") if key.split(".")[0] in GAMES and key.split(".")[1] == kind}


def test_every_sentence_has_a_check() -> None:
    others = {key for key in load("en") if key.startswith(("bot.hint.", "bot.blunder"))}
    assert CLAIMS.keys() | ADVICE == keys_of("idea") | others
    assert {key.replace(".reply.", ".idea.") for key in keys_of("reply")} <= CLAIMS.keys()


@pytest.mark.parametrize("game", KINDS)
def test_what_is_said_of_a_turn_is_true(game: str) -> None:
    met: Counter[str] = Counter()
    for chosen, games in KINDS[game]:
        for said in ideas(game, chosen, games):
            key = said.idea.phrase.key
            met[key] += 1
            if key not in ADVICE:
                text = GAMES[game].notation.format_position(said.before)
                assert CLAIMS[key](said), (key, chosen, text, said.turn, said.idea)
    assert {key for key in keys_of("idea") if key.startswith(game)} | {*SAID[game]} == met.keys()
