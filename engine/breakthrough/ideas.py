"""What is behind a step, for hints that do not tell the step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from operator import or_
from typing import Final

from engine.breakthrough.engine_base import SideBoard, side_boards
from engine.core import GameValue, Idea, SearchResult
from rules.breakthrough import BreakthroughPosition, Move, Variant
from rules.breakthrough.position import bit, squares
from rules.core import Mark, Phrase, Sign

_REPLIES: Final = frozenset(
    {"arrive", "last", "stop", "gap", "run", "bar", "free", "trade", "save"}
    | {"misere-stuck", "misere-force", "misere-take", "misere-few"}
)
"""What is worth a word to the other side."""

_OWN: Final = frozenset({"force", "outpost", "home", "together", "misere-wait"})
"""What is only worth a word to the side that moves."""

KEYS: Final = {"breakthrough.reply.{}": (_REPLIES,), "breakthrough.idea.{}": (_REPLIES | _OWN,)}

_FORWARD: Final = 3  # ranks before the goal from which a man is dangerous
_FEW: Final = 5  # harmless steps in misère that are worth counting, at most


def idea(position: BreakthroughPosition, result: SearchResult[Move]) -> Idea:
    """Return the weightiest thing that a step does; the marks are on the men it is about, not on the step."""
    grid = position.options.grid
    ground = side_boards(grid.files, grid.ranks)[position.to_move]
    move = result.turn[0]
    own, foe, _ = position.state
    step = bit(grid, move.start) | bit(grid, move.end)
    if position.options.variant is Variant.MISERE:
        harmless = _harmless(ground.foe, foe & ~step, own ^ step)
        key, about = next(_backwards(ground, result, foe, step, harmless))
        fields = {"count": len(harmless)} if key == "misere-few" else {}
    else:
        key, about = next(_ideas(ground, result, own, foe, step))
        fields = {}
    marks = tuple(Mark(Sign.PICKED, square) for square in squares(grid, about))
    reply = Phrase(f"breakthrough.reply.{key}", fields) if key in _REPLIES else None
    return Idea(Phrase(f"breakthrough.idea.{key}", fields), marks, reply)


def _ideas(
    ground: SideBoard, result: SearchResult[Move], own: int, foe: int, step: int
) -> Iterator[tuple[str, int]]:
    enemy = ground.foe
    man, target = own & step, step & ~own
    mine, theirs = own ^ step, foe & ~step
    if target & ground.goal[0]:
        yield "arrive", man
    if not theirs:
        yield "last", foe
    if threat := foe & step & enemy.goal[1]:
        yield "stop", threat
    won = result.proof is not None and result.proof.result is GameValue.WIN
    if target & ground.goal[1] and not target & enemy.hits(theirs):
        yield "gap", man
    if won and ground.runs(target, mine, theirs):
        yield "run", man
    if (entered := enemy.arrivals(foe, own)) and not enemy.arrivals(theirs, mine):
        yield "bar", sum(man for man in _each(foe & enemy.goal[2]) if enemy.arrivals(man, own) & entered)
    yield from _of_material(ground, own, foe, step)
    if won:
        yield "force", 0
    near = sum(ground.goal[: _FORWARD + 1])
    if target & near and (not target & enemy.hits(theirs) or target & ground.hits(mine)):
        yield "outpost", man
    if man & enemy.goal[0] == 0 and mine & enemy.goal[0]:
        yield "home", mine & enemy.goal[0]
    yield "together", 0


def _of_material(ground: SideBoard, own: int, foe: int, step: int) -> Iterator[tuple[str, int]]:
    enemy = ground.foe
    mine, theirs = own ^ step, foe & ~step
    taken = foe & step
    if taken:
        yield ("free" if not taken & enemy.hits(theirs) else "trade"), taken
    hanging = own & enemy.hits(foe) & ~ground.hits(own)
    left = mine & enemy.hits(theirs) & ~ground.hits(mine)
    if left & step:  # it hangs where it has gone to
        left |= own & step
    if saved := hanging & ~left:
        yield "save", saved


def _each(men: int) -> Iterator[int]:
    while men:
        yield men & -men
        men &= men - 1


def _backwards(
    ground: SideBoard, result: SearchResult[Move], foe: int, step: int, harmless: Sequence[int]
) -> Iterator[tuple[str, int]]:
    enemy = ground.foe
    theirs = foe & ~step
    if theirs and not harmless:
        yield "misere-stuck", theirs & enemy.goal[1]
    if result.proof is not None and result.proof.result is GameValue.WIN:
        yield "misere-force", 0
    if taken := foe & step & ~enemy.goal[1]:
        yield "misere-take", taken
    if 0 < len(harmless) <= _FEW:
        yield "misere-few", reduce(or_, harmless) & theirs
    yield "misere-wait", 0


def _harmless(side: SideBoard, own: int, foe: int) -> list[int]:
    return [step for step in side.steps(own, foe) if not step & side.goal[0] and foe & ~step]
