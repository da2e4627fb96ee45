"""Finds the weights of Breakthrough's evaluation by self-play: `python -m bench.tune_breakthrough --games 2000`.

The native core plays itself with a few thousand nodes a move from random openings. Every position of these games that
was not proved is kept with the result and with what the search thought of it, and logistic regression finds the
weights that foretell both best. Repeat: better weights play better games. `--keep` adds the games of earlier runs.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np

from engine.breakthrough import evaluation as shape
from engine.breakthrough.evaluation import PatternWeights, from_ends

BOARDS: Final = ((8, 8), (8, 8), (8, 8), (8, 8), (7, 7), (6, 6), (5, 5), (10, 6), (6, 8))
"""Mostly the usual board: what is learned there is used on all others but those with weights of their own."""

PROVED: Final = 29000
UNKNOWN: Final = 2
"""The result of what was not played."""


Row: TypeAlias = tuple[int, int, int, int, int, int, int]
"""Files, ranks, White, Black, who is to move; result and score for the side to move."""

Here: TypeAlias = tuple[int, int, int]
"""White, Black, who is to move."""


@dataclass(frozen=True, slots=True)
class Run:
    """What one process is to play."""

    kind: str
    games: int
    nodes: int
    seed: int


def boards(kind: str) -> Sequence[tuple[int, int]]:
    """Where games of a kind are played, those that are played more often named more often."""
    return ((8, 8),) if kind.endswith("8x8") else BOARDS


def misere(kind: str) -> bool:
    """Return whether weights are for misère."""
    return kind.startswith("misere")


def play(run: Run) -> list[Row]:
    """The positions of self-played games."""
    from engine.breakthrough import native  # noqa: PLC0415 - in a process of its own

    chance = random.Random(run.seed)
    of = shape.weights(run.kind)
    cores: dict[tuple[int, int], Any] = {}
    kept: list[Row] = []
    for _ in range(run.games):
        board = chance.choice(boards(run.kind))
        if board not in cores:
            cores[board] = native.Core(*board, misere(run.kind), list(of.bricks), list(of.crosses), 4)
        kept += _game(run, board, cores[board], chance)
    return kept


def _game(run: Run, board: tuple[int, int], core: Any, chance: random.Random) -> list[Row]:
    """One game, and beside it what becomes of a random move here and there.

    Without the latter the weights would never see a man thrown away, and think that men who hang do so for a reason.
    """
    files, ranks = board
    here: Here = ((1 << 2 * files) - 1, (1 << 2 * files) - 1 << files * (ranks - 2), 0)
    opening = chance.randint(2, 10)
    seen: list[tuple[Here, int]] = []
    aside: list[Row] = []
    ply, winner = 0, 0
    while steps := core.legal(*here):
        if ply < opening or chance.random() < 0.02:
            step = chance.choice(steps)
        else:
            _, _, ((score, line),) = core.think(*here, 0, run.nodes, 1, chance.getrandbits(32), None, None)
            step = line[0]
            if abs(score) < PROVED:
                seen.append((here, score))
            elif not misere(run.kind):
                winner = here[2] if score > 0 else 1 - here[2]
                break
            there = _after(here, chance.choice(steps))
            if chance.random() < 0.7 and core.legal(*there):
                depth, _, ((score, _),) = core.think(
                    *there, 0, run.nodes, 1, chance.getrandbits(32), None, None
                )
                if depth > 2 or abs(score) < PROVED:
                    aside.append((*board, *there, UNKNOWN, score))
        here = _after(here, step)
        ply += 1
    else:
        winner = here[2] if misere(run.kind) else 1 - here[2]
    return aside + [(*board, *there, int(there[2] == winner), score) for there, score in seen]


def _after(here: Here, step: int) -> Here:
    *men, turn = here
    start, end = 1 << (step & 1023), 1 << (step >> 10 & 1023)
    men[turn] ^= start | end
    men[1 - turn] &= ~end
    return men[0], men[1], 1 - turn


def features(files: int, ranks: int, rows: Sequence[tuple[int, int, int]]) -> np.ndarray:
    """The weights that each position adds up, as places in one list: bricks first, then crosses."""
    cells = np.zeros((len(rows), ranks, files), dtype=np.int32)
    places = np.arange(files * ranks, dtype=np.uint64)
    white = np.array([row[0] for row in rows], dtype=np.uint64)
    black = np.array([row[1] for row in rows], dtype=np.uint64)
    turn = np.array([row[2] for row in rows])
    men = [
        (side[:, None] >> places & np.uint64(1)).astype(np.int32).reshape(cells.shape)
        for side in (white, black)
    ]
    for mover in (0, 1):
        seen = men[mover] + 2 * men[1 - mover]
        cells[turn == mover] = (seen if mover == 0 else seen[:, ::-1])[turn == mover]
    found = []
    wide = max(1, files - 2)
    padded = np.pad(cells, ((0, 0), (1, 1), (1, 2)))
    for rank in range(ranks - 1):
        for start in range(wide):
            mirrored = start > wide - 1 - start
            pattern = np.zeros(len(rows), dtype=np.int32)
            for at in range(6):
                file = 2 - at % 3 if mirrored else at % 3
                pattern += 3**at * padded[:, rank + at // 3 + 1, start + file + 1]
            place = from_ends(rank, ranks - 1, shape.BRICK_RANKS) * shape.BRICK_FILES
            place += min(start, wide - 1 - start, shape.BRICK_FILES - 1)
            found.append(place * shape.BRICKS + pattern)
    offset = shape.BRICK_RANKS * shape.BRICK_FILES * shape.BRICKS
    for rank in range(ranks):
        for file in range(files):
            left = 1 if file > files - 1 - file else -1
            around = ((0, 0), (-1, left), (-1, -left), (1, left), (1, -left))
            pattern = sum(
                3**at * padded[:, rank + up + 1, file + aside + 1] for at, (up, aside) in enumerate(around)
            )
            place = from_ends(rank, ranks, shape.CROSS_RANKS) * shape.CROSS_FILES
            place += min(file, files - 1 - file, shape.CROSS_FILES - 1)
            found.append(offset + place * shape.CROSSES + pattern)
    return np.stack(found, axis=1).astype(np.int32)


def fit(
    groups: Sequence[tuple[np.ndarray, np.ndarray]], start: np.ndarray, epochs: int, decay: float, seed: int
) -> tuple[np.ndarray, float, float]:
    """Weights in logits, and the error they make on positions they have and have not seen.

    Args:
        groups: Features and targets of the positions of each board.
        start: Where to begin.
        epochs: How often each position is looked at.
        decay: How strongly weights are drawn to nothing.
        seed: For the order.
    """
    chance = np.random.default_rng(seed)
    kinds = _kinds()
    sizes = [len(start), *(int(kind.max()) + 1 for kind in kinds)]
    ends = np.cumsum(sizes)
    parts = np.concatenate([start, np.zeros(ends[-1] - len(start))])
    first, second = np.zeros_like(parts), np.zeros_like(parts)

    def summed() -> np.ndarray:
        found = parts[: len(start)].copy()
        for kind, low, high in zip(kinds, ends, ends[1:], strict=False):
            found += parts[low:high][kind]
        return found

    split = [(places, targets, len(targets) * 19 // 20) for places, targets in groups]
    batches = [(which, at) for which, (_, _, until) in enumerate(split) for at in range(0, until, 4096)]
    step = 0
    found = summed()
    for epoch in range(epochs):
        rate = 0.004 * (1 - epoch / epochs) + 0.0002
        for choice in chance.permutation(len(batches)):
            which, at = batches[choice]
            places, targets, until = split[which]
            rows = places[at : min(at + 4096, until)]
            guess = 1 / (1 + np.exp(-found[rows].sum(axis=1)))
            wrong = guess - targets[at : min(at + 4096, until)]
            slope = np.bincount(rows.ravel(), np.repeat(wrong, rows.shape[1]), len(start)) / len(rows)
            slope = np.concatenate([slope, *(np.bincount(kind, slope) for kind in kinds)])
            step += 1
            first = 0.9 * first + 0.1 * slope
            second = 0.999 * second + 0.001 * slope**2
            move = (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-7)
            parts -= rate * (move + decay * parts * (slope != 0))
            found = summed()
    before = [(places[:until], targets[:until]) for places, targets, until in split]
    after = [(places[until:], targets[until:]) for places, targets, until in split]
    return found, _loss(found, before), _loss(found, after)


def _kinds() -> list[np.ndarray]:
    """Ways to put weights together that should be alike: what is rare in one place is learned from all.

    Patterns of one rank wherever the file; and patterns wherever they are.
    """
    bricks = np.arange(shape.BRICK_RANKS * shape.BRICK_FILES * shape.BRICKS)
    crosses = np.arange(shape.CROSS_RANKS * shape.CROSS_FILES * shape.CROSSES)
    brick, cross = bricks % shape.BRICKS, crosses % shape.CROSSES
    by_rank = (
        bricks // (shape.BRICK_FILES * shape.BRICKS) * shape.BRICKS + brick,
        crosses // (shape.CROSS_FILES * shape.CROSSES) * shape.CROSSES + cross,
    )
    return [
        np.concatenate([of_bricks, of_crosses + of_bricks.max() + 1])
        for of_bricks, of_crosses in (by_rank, (brick, cross))
    ]


def _loss(found: np.ndarray, groups: Sequence[tuple[np.ndarray, np.ndarray]]) -> float:
    total, count = 0.0, 0
    for places, targets in groups:
        guess = np.clip(1 / (1 + np.exp(-found[places].sum(axis=1))), 1e-6, 1 - 1e-6)
        total -= float((targets * np.log(guess) + (1 - targets) * np.log(1 - guess)).sum())
        count += len(targets)
    return total / max(1, count)


def _packed(rows: Sequence[Row]) -> np.ndarray:
    """Rows as they are kept in a file; scores are moved so that none is negative."""
    return np.array([(*row[:6], row[6] + 2 * PROVED) for row in rows], dtype=np.uint64)


def _unpacked(rows: np.ndarray) -> list[Row]:
    return [(*map(int, row[:6]), int(row[6]) - 2 * PROVED) for row in rows]  # type: ignore[misc]


def as_weights(found: np.ndarray) -> PatternWeights:
    """Whole numbers, as the file holds them."""
    numbers = [round(float(number) * shape.LOGIT * 2**shape.SHIFT) for number in found]
    bricks = shape.BRICK_RANKS * shape.BRICK_FILES * shape.BRICKS
    return PatternWeights(tuple(numbers[:bricks]), tuple(numbers[bricks:]))


_NUMBERS: Final = 81  # in a line of the file


def write(found: Mapping[str, PatternWeights], to: Path = shape.FILE) -> None:
    """Write the file, some numbers a line, so that a diff can be read."""
    parts = []
    for kind, of in found.items():
        kinds = (
            f'  "bricks": [\n{_lines(of.bricks)}\n  ],\n',
            f'  "crosses": [\n{_lines(of.crosses)}\n  ]\n',
        )
        parts.append(f'"{kind}": {{\n{"".join(kinds)}}}')
    to.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="ascii")


def _lines(numbers: Sequence[int]) -> str:
    rows = (numbers[at : at + _NUMBERS] for at in range(0, len(numbers), _NUMBERS))
    return ",\n".join(",".join(map(str, row)) for row in rows)


def as_logits(of: PatternWeights) -> np.ndarray:
    """The inverse of `as_weights`."""
    return np.array([*of.bricks, *of.crosses]) / (shape.LOGIT * 2**shape.SHIFT)


def main(arguments: Sequence[str] | None = None) -> int:
    """Play, fit, and write the file of weights."""
    parser = argparse.ArgumentParser(prog="python -m bench.tune_breakthrough", description=__doc__)
    parser.add_argument("--kind", choices=shape.KINDS, default="classic 8x8")
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--nodes", type=int, default=2000, help="of each move")
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="positions of earlier runs, added to and written back")
    parser.add_argument("--trust", type=float, default=0.35, help="how much the search's opinion counts")
    parser.add_argument("--decay", type=float, default=0.02)
    parser.add_argument("--fresh", action="store_true", help="forget the weights there are")
    chosen = parser.parse_args(arguments)
    began = time.perf_counter()
    share = -(-chosen.games // (4 * chosen.processes))
    runs = [
        Run(chosen.kind, share, chosen.nodes, chosen.seed * 1000 + at) for at in range(4 * chosen.processes)
    ]
    with ProcessPoolExecutor(chosen.processes) as pool:
        rows = [row for part in pool.map(play, runs) for row in part]
    print(f"{len(rows)} positions of {chosen.games} games in {time.perf_counter() - began:.0f} s", flush=True)
    if chosen.keep:
        if chosen.keep.is_file():
            rows += _unpacked(np.load(chosen.keep)["rows"])
        np.savez_compressed(chosen.keep, rows=_packed(rows))
    groups = []
    for board in sorted(set(boards(chosen.kind))):
        mine = [row for row in rows if row[:2] == board]
        random.Random(chosen.seed).shuffle(mine)
        places = features(*board, [(row[2], row[3], row[4]) for row in mine])
        opinion = 1 / (1 + np.exp(-np.clip([row[6] for row in mine], -1000, 1000) / shape.LOGIT))
        results = np.array([row[5] for row in mine])
        targets = np.where(results == UNKNOWN, opinion, (1 - chosen.trust) * results + chosen.trust * opinion)
        groups.append((places, targets))
    start = as_logits(shape.weights(chosen.kind)) * (not chosen.fresh)
    found, seen, unseen = fit(groups, start, chosen.epochs, chosen.decay, chosen.seed)
    print(
        f"{len(rows)} positions: error {seen:.4f}, on others {unseen:.4f}; {time.perf_counter() - began:.0f} s"
    )
    write({name: shape.weights(name) for name in shape.KINDS} | {chosen.kind: as_weights(found)})
    return 0


if __name__ == "__main__":
    sys.exit(main())
