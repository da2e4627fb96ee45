"""The tasks of the lessons of the L-game and Breakthrough: which turns are right, and that the words are true of every turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any, Final

import pytest

from engine import engine_for
from engine.core import Budget, GameValue
from engine.lgame.table_engine import names, solution
from rules import GAMES
from rules.breakthrough.options import BEnding, Refusal
from rules.core import AnyGame, IllegalMove, LessonTask, Square, sq
from rules.lgame.board import AXES, PLACEMENTS, bits, fitting, images, mask_of, squares
from rules.lgame.options import LEnding
from tests.engine.lgame.solving import arrangements
from tests.rules.catalogues import entries, package
from tests.rules.conformance import turns

FREE: Final = ("lgame", "lay")
"""The task that any legal turn does."""


def before_of(game: AnyGame, task: LessonTask) -> Any:
    return game.notation.parse_position(task.position, game.choose(task.chosen))


def found_right(game: AnyGame, task: LessonTask, turn: str) -> bool:
    """Whether a turn counts as right."""
    before = here = before_of(game, task)
    plies = game.notation.parse(turn, before)
    for ply in plies:
        here = here.play(ply)
    return task.right(before, plies, here)


@pytest.mark.parametrize("key", ["breakthrough", "klopodavka", "lgame"])
def test_a_lesson_of_these_games_has_six_to_eight_tasks(key: str) -> None:
    assert 6 <= [task.further for task in GAMES[key].lesson].count(False) <= 8


def test_the_lesson_of_the_l_game_is_read_in_a_minute() -> None:
    said = entries(package(L), "en")
    texts = [
        f"lgame.lesson.{task.key}{part}" for task in L.lesson if not task.further for part in ("", ".right")
    ]
    assert sum(len(str(said[key].string).split()) for key in texts) <= 170


L: Final = GAMES["lgame"]
BREAKTHROUGH: Final = GAMES["breakthrough"]

RIGHT: Final = {
    ("lgame", "lay"): "L a1-a3-b3, L b1-b3-a3 n a4-d4",
    ("lgame", "turned"): "L c4-a4-a3, L b2-b4-a4, L a3-a1-b1",
    ("lgame", "neutral"): "L b3-b1-c1 n d1-d3",
    ("lgame", "win"): "L c1-c3-d3",
    ("lgame", "save"): "L b1-b3-a3, L c2-a2-a3, L b3-b1-a1 n c1-d1",
    ("lgame", "off-corners"): "L b1-b3-a3, L b3-b1-c1 n a4-d1",
    ("lgame", "block"): "L b1-b3-c3 n c2-a2",
    ("lgame", "sudden-death"): "L d2-b2-b1 n d1-c3 n a4-b4",
    ("lgame", "scoring"): "L c4-a4-a3, L c4-a4-a3 n d1-c1",
    ("lgame", "symmetry"): "L b1-b3-a3",
    ("breakthrough", "forward"): "b2-a3, b2-c3",
    ("breakthrough", "capture"): "b3xc4",
    ("breakthrough", "arrive"): "c4-b5, c4-d5",
    ("breakthrough", "runner"): "b1xc2",
    ("breakthrough", "safe"): "c3-c4",
    ("breakthrough", "exchange"): "a2xb3, c2xb3",
    ("breakthrough", "guards"): "b1-c2",
    ("breakthrough", "misere"): "d2-c3, d2-d3",
}
"""Turns that are right: in Breakthrough all of them."""

WRONG: Final = [
    ("lgame", "turned", "L a2-a4-b4", "only slid"),
    ("lgame", "turned", "L a1-a3-b3 n d4-a4", "only slid, whatever the neutral does"),
    ("lgame", "neutral", "L b3-b1-c1", "no neutral moved"),
    ("lgame", "win", "L d1-d3-c3", "the other L can go down"),
    ("lgame", "win", "L c1-c3-d3 n a3-a2", "the neutral has opened a place"),
    ("lgame", "save", "L b3-b1-a1", "shut in with the next move"),
    ("lgame", "save", "L c2-a2-a1 n d2-d1", "no help by that neutral"),
    ("lgame", "off-corners", "L a1-a3-b3", "not lost, but on a corner"),
    ("lgame", "off-corners", "L d3-d1-c1", "lost at once"),
    ("lgame", "block", "L b1-b3-c3", "the mirror image of its place is open"),
    ("lgame", "block", "L b1-b3-c3 n d3-a2", "the 3x3 square is open"),
    ("lgame", "block", "L b3-b1-a1 n c2-a2", "another L"),
    ("lgame", "sudden-death", "L d2-b2-b1 n d1-c3", "one neutral only"),
    ("lgame", "sudden-death", "L d2-b2-b1 n a4-b4", "the other neutral only"),
    ("lgame", "sudden-death", "L d2-b2-b1", "no neutral"),
    ("lgame", "scoring", "L a4-c4-c3", "two points"),
    ("lgame", "scoring", "L c2-c4-d4", "no point"),
    ("lgame", "symmetry", "L b3-b1-a1", "no image"),
]


def known(game: str, key: str) -> LessonTask:
    return next(task for task in GAMES[game].lesson if task.key == key)


@pytest.mark.parametrize(("game", "key"), RIGHT)
def test_turns_that_are_right(game: str, key: str) -> None:
    for turn in RIGHT[game, key].split(", "):
        assert found_right(GAMES[game], known(game, key), turn), turn


@pytest.mark.parametrize(("game", "key", "turn", "why"), WRONG)
def test_turns_that_are_wrong(game: str, key: str, turn: str, why: str) -> None:
    assert not found_right(GAMES[game], known(game, key), turn), why


def test_every_task_of_these_games_has_named_turns() -> None:
    mine = {(game.key, task.key) for game in (L, BREAKTHROUGH) for task in game.lesson}
    assert RIGHT.keys() == mine
    assert {(game, key) for game, key, *_ in WRONG} == {each for each in mine if each[0] == "lgame"} - {FREE}


def test_in_breakthrough_no_other_move_is_right() -> None:
    for task in BREAKTHROUGH.lesson:
        before = before_of(BREAKTHROUGH, task)
        found = {str(plies[0]) for plies, after in turns(before) if task.right(before, plies, after)}
        assert found == set(RIGHT["breakthrough", task.key].split(", "))


@pytest.mark.parametrize("task", L.lesson, ids=lambda task: task.key)
def test_two_cells_are_enough_to_lay_the_l(task: LessonTask) -> None:
    before = before_of(L, task)
    places = {plies[0].cells for plies, _ in turns(before)}
    right = {plies[0].cells for plies, after in turns(before) if task.right(before, plies, after)}
    pairs = [(place, sum(pair)) for place in right for pair in combinations(bits(place), 2)]
    assert any([each for each in places if each & pair == pair] == [place] for place, pair in pairs)


def distance(position: Any) -> int | None:
    """The plies to the end of an L-game with best play; None for a draw."""
    return solution(position.options).distance(*names(position))


def lost(position: Any) -> bool:
    """Whether a proof says that the seat to move in Breakthrough loses, or has lost; there must be a proof."""
    if position.outcome:
        return position.to_move not in position.outcome.winners
    found = engine_for(BREAKTHROUGH, position.options, position).think(position, Budget(depth=20))
    assert found.proof is not None
    return found.proof.result is GameValue.LOSS


def on(cell: str, moves: Sequence[Any]) -> list[Any]:
    return [move for move in moves if move.captures and move.end == sq(cell)]


Claim = Callable[[Any, Any, Any], bool]
"""Of the position before, the move, and the position after it."""


def _open(_: Any, __: Any, after: Any) -> bool:
    return after.outcome is None and bool(after.legal_moves())


def _slid(before: Any, move: Any, _: Any) -> bool:
    old, new = squares(before.first), squares(move.cells)
    return len({(b.file - a.file, b.rank - a.rank) for a, b in zip(old, new, strict=True)}) == 1


def _shut_in(_: Any, __: Any, after: Any) -> bool:
    return after.outcome is not None and after.outcome.reason is LEnding.BLOCKED


def _painted(before: Any, move: Any, after: Any) -> int:
    gained: int = after.scores[0] - before.scores[0]
    assert gained == len(set(map(sq, ("a3", "b3", "a4", "b4"))) & set(squares(move.cells)))
    return gained


def _left_to_right(_: Any, __: Any, after: Any) -> bool:
    assert after.outcome.reason is LEnding.MIRRORED
    return {Square(3 - each.file, each.rank) for each in squares(after.first)} == set(squares(after.second))


def _arrives(before: Any, _: Any, after: Any) -> bool:
    """Whether the side that replies can bring a man to its far rank."""
    return any(
        (end := after.play(reply).outcome) is not None and end.reason is BEnding.REACHED
        for reply in after.legal_moves()
    )


def _then_arrives(before: Any, move: Any, after: Any) -> bool:
    """Whether no reply captures the man that has moved, and none keeps it from arriving."""
    replies = list(after.legal_moves())
    return not any(reply.end == move.end for reply in replies) and all(
        any(
            next_.start == move.end and after.play(reply).play(next_).outcome
            for next_ in after.play(reply).legal_moves()
        )
        for reply in replies
    )


def _men(position: Any, seat: int) -> int:
    count: int = position.men[seat].bit_count()
    return count


TRUE: Final[dict[tuple[str, str], tuple[Claim, Claim]]] = {
    ("lgame", "lay"): (lambda b, m, a: m.cells != b.first == b.cells(b.to_move), lambda *_: False),
    ("lgame", "turned"): (lambda b, m, a: not _slid(b, m, a), _slid),
    ("lgame", "neutral"): (
        lambda b, m, a: (a.neutrals & b.neutrals).bit_count() == 1,
        lambda b, m, a: a.neutrals == b.neutrals,
    ),
    ("lgame", "win"): (_shut_in, _open),
    ("lgame", "save"): (lambda b, m, a: distance(a) is None, lambda b, m, a: distance(a) == 1),
    ("lgame", "off-corners"): (
        lambda b, m, a: not any(a.play(reply).outcome for reply in a.legal_moves()),
        lambda b, m, a: bool({"a1", "d1"} & set(map(str, squares(m.cells)))),
    ),
    ("lgame", "block"): (_shut_in, _open),
    ("lgame", "sudden-death"): (lambda b, m, a: m.lifted.bit_count() == 2 and _shut_in(b, m, a), _open),
    ("lgame", "scoring"): (lambda b, m, a: _painted(b, m, a) == 3, lambda b, m, a: _painted(b, m, a) < 3),
    ("lgame", "symmetry"): (_left_to_right, lambda b, m, a: a.outcome is None),
    ("breakthrough", "forward"): (
        lambda b, m, a: abs(m.start.file - m.end.file) == 1,
        lambda b, m, a: m.start.file == m.end.file,
    ),
    ("breakthrough", "capture"): (
        lambda b, m, a: _men(a, 1) == _men(b, 1) - 1,
        lambda b, m, a: a.men[1] == b.men[1],
    ),
    ("breakthrough", "arrive"): (
        lambda b, m, a: a.outcome.reason is BEnding.REACHED,
        lambda b, m, a: a.outcome is None and m.end.rank < 4,
    ),
    ("breakthrough", "runner"): (lambda b, m, a: m.captures and not _arrives(b, m, a), _arrives),
    ("breakthrough", "safe"): (
        _then_arrives,
        lambda b, m, a: any(reply.captures and reply.end == m.end for reply in a.legal_moves()),
    ),
    ("breakthrough", "exchange"): (
        lambda b, m, a: len(on("b3", b.legal_moves())) == 2 and len(on("b3", a.legal_moves())) == 1,
        # A capture is answered on its cell, and not captured back there: one man for one.
        lambda b, m, a: (
            not m.captures
            or any(
                not on(str(m.end), a.play(reply).legal_moves()) for reply in on(str(m.end), a.legal_moves())
            )
        ),
    ),
    ("breakthrough", "guards"): (
        lambda b, m, a: (
            m.end == sq("c2")
            and all(
                any(back.start == sq("c1") and back.end == reply.end for back in a.play(reply).legal_moves())
                for reply in a.legal_moves()
            )
        ),
        lambda b, m, a: not lost(a),
    ),
    ("breakthrough", "misere"): (
        lambda b, m, a: all(reply.end.rank == 0 for reply in a.legal_moves()) and lost(a),
        lambda b, m, a: a.outcome.reason is BEnding.MISERE_REACHED,
    ),
}
"""What the words say of a right turn, and of a wrong one."""


@pytest.mark.parametrize(("game", "key"), TRUE)
def test_what_is_said_of_a_turn_is_true(game: str, key: str) -> None:
    task, (said_of_right, said_of_wrong) = known(game, key), TRUE[game, key]
    before = before_of(GAMES[game], task)
    for plies, after in turns(before):
        claim = said_of_right if task.right(before, plies, after) else said_of_wrong
        assert claim(before, plies[0], after), plies[0]


def test_every_task_of_these_games_has_claims() -> None:
    assert TRUE.keys() == RIGHT.keys()


def test_what_the_l_games_tasks_say_of_all_ls() -> None:
    """An L lies in eight ways, three painted cells are the most, and a shut-in L touches a corner."""
    ways = {frozenset((c.file - p.corner.file, c.rank - p.corner.rank) for c in p.cells) for p in PLACEMENTS}
    scoring = before_of(L, known("lgame", "scoring")).options
    corners = mask_of(map(sq, ("a1", "d1", "a4", "d4")))
    stuck = [each for each in arrangements(L.choose({})) if each.outcome]
    assert len(ways) == 8
    assert max((p.mask & scoring.painted).bit_count() for p in PLACEMENTS) == 3
    assert stuck
    assert all(each.cells(each.to_move) & corners for each in stuck)


def test_the_block_leaves_one_way_out_and_the_second_neutral_shuts_it() -> None:
    before = before_of(L, known("lgame", "block"))
    (move,) = L.notation.parse("L b1-b3-c3", before)
    after = before.play(move)
    d3 = mask_of([sq("d3")])
    (way_out,) = [cells for cells in fitting(move.cells | d3) if cells != after.second]
    assert way_out in images(AXES)[after.second]
    assert way_out & mask_of([sq("a2")])
    corner = mask_of(Square(file, rank) for file in (1, 2, 3) for rank in (0, 1, 2))
    assert (move.cells | d3) & ~corner == 0
    assert not after.second & corner


def test_a_man_straight_ahead_blocks_and_cannot_be_captured() -> None:
    with pytest.raises(IllegalMove) as refused:
        BREAKTHROUGH.notation.parse("b3-b4", before_of(BREAKTHROUGH, known("breakthrough", "capture")))
    assert refused.value.reason is Refusal.BLOCKED


@pytest.mark.parametrize("key", [task.key for task in BREAKTHROUGH.lesson])
def test_who_plays_what_is_right_in_breakthrough_wins(key: str) -> None:
    """All else loses, but for the first two tasks."""
    task = known("breakthrough", key)
    before = before_of(BREAKTHROUGH, task)
    for plies, after in turns(before):
        right = task.right(before, plies, after)
        if right or key not in ("forward", "capture"):
            assert lost(after) is right, plies[0]
