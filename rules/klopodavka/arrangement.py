"""Putting several starts as far from one another as can be, and as equally."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from typing import Final

from rules.klopodavka.geometry import Block, BoardShape, apart, distance

Arrangement = tuple[Block, ...]
Shifts = Callable[[Block], Iterable[Block]]
"""The places to which a block may be moved by one step."""

_IMPROVED: Final = 4
"""How many arrangements are worth improving: one often gets stuck a little below another's height."""


def best(shape: BoardShape, starts: Iterable[Arrangement], shifts: Shifts) -> Arrangement:
    """The best of some arrangements, the most promising of them made better by moving one block at a time."""
    promising = sorted(dict.fromkeys(starts), key=lambda blocks: _merit(shape, blocks), reverse=True)
    return max(
        (_improved(shape, blocks, shifts) for blocks in promising[:_IMPROVED]),
        key=lambda blocks: _merit(shape, blocks),
    )


def _improved(shape: BoardShape, arrangement: Arrangement, shifts: Shifts) -> Arrangement:
    merit = _merit(shape, arrangement)
    while True:
        tried = (
            (*arrangement[:at], shifted, *arrangement[at + 1 :])
            for at, block in enumerate(arrangement)
            for shifted in shifts(block)
        )
        better = max(tried, key=lambda blocks: _merit(shape, blocks))
        if _merit(shape, better) <= merit:
            return arrangement
        arrangement, merit = better, _merit(shape, better)


def along(shape: BoardShape, ring: Sequence[Block], count: int) -> Iterator[Arrangement]:
    """Arrangements on a ring: by equal steps, and by the largest distance at which a walk round it has room for all.

    Equal steps alone are cut short at corners, where three steps along the border may be two of a king.
    """
    size = len(ring)
    phases = range(-(-size // count))
    for phase in phases:
        yield tuple(ring[(phase + n * size // count) % size] for n in range(count))
    low, high = 1, size
    while low < high:
        far = (low + high + 1) // 2
        walked = [found for phase in phases if (found := _walk(shape, ring[phase:], far, count))]
        yield from walked
        low, high = (far, high) if walked else (low, far - 1)


def rows(files: int, ranks: Sequence[int], count: int, size: tuple[int, int]) -> Arrangement:
    """So many blocks shared out over rows, each row shifted by half a gap against the one below."""
    blocks = []
    for row, rank in enumerate(ranks):
        held = (row + 1) * count // len(ranks) - row * count // len(ranks)
        blocks += [Block((2 * n + row % 2) * files // (2 * held) % files, rank, *size) for n in range(held)]
    return tuple(blocks)


def next_on(ring: Sequence[Block]) -> Shifts:
    """The places one step forward and back on a ring."""
    place = {block: at for at, block in enumerate(ring)}
    return lambda block: (ring[place[block] - 1], ring[(place[block] + 1) % len(ring)])


def beside(shape: BoardShape, ranks: range) -> Shifts:
    """The places one step along the joined files, or the ranks within bounds."""
    files = shape.grid.files

    def shifts(block: Block) -> Iterable[Block]:
        for step in (-1, 1):
            yield replace(block, file=(block.file + step) % files)
            rank = block.rank + step
            if shape.topology.joined_ranks:
                rank %= shape.grid.ranks
            if rank in ranks:
                yield replace(block, rank=rank)

    return shifts


def _walk(shape: BoardShape, ring: Sequence[Block], far: int, count: int) -> Arrangement | None:
    """Blocks along a ring from its first, each the next one far enough from the last; None without room for all."""
    placed = [ring[0]]
    for block in ring[1:]:
        if distance(shape, placed[-1], block) >= far:
            if distance(shape, ring[0], block) < far:
                continue
            placed.append(block)
            if len(placed) == count:
                return tuple(placed)
    return None


def _merit(shape: BoardShape, blocks: Arrangement) -> tuple[int, int, int, int]:
    """The nearest two as far apart as can be; then as few so near; then neighbours, then all, equally far apart.

    Distances are a king's steps, as bugs go. They tell little of a large circle from a small one, so the last word
    is with straight lines.
    """
    gaps = [apart(shape, one, other) for one, other in combinations(blocks, 2)]
    steps = [max(gap) for gap in gaps]
    lines = [files * files + ranks * ranks for files, ranks in gaps]
    ring = [distance(shape, one, other) for one, other in pairwise((*blocks, blocks[0]))]
    nearest = min(steps)
    return nearest, min(ring) - max(ring), -steps.count(nearest), min(lines) - max(lines)
