"""Counts of games between two players, or of one player against all others, and the driver that plays them."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from itertools import islice


@dataclass(slots=True)
class Tally:
    """Counts of some games. Of each player, first and second, where there are two numbers.

    Attributes:
        games: How many were played.
        won: How many the first player won; a draw counts half.
        seconds: What their turns took, of the processor.
        work: Nodes or simulations.
        turns: How many turns.
        longest: Seconds of the first player's longest turn.
        falls: How often the first player's value fell suddenly between two of its turns; None where that is not counted.
    """

    games: int = 0
    won: float = 0.0
    seconds: list[float] = field(default_factory=lambda: [0.0, 0.0])
    work: list[int] = field(default_factory=lambda: [0, 0])
    turns: list[int] = field(default_factory=lambda: [0, 0])
    longest: float = 0.0
    falls: int | None = None

    def turn(self, player: int, seconds: float, work: int) -> None:
        """Count a turn of the first player, 0, or of the second, 1."""
        self.seconds[player] += seconds
        self.work[player] += work
        self.turns[player] += 1
        if player == 0:
            self.longest = max(self.longest, seconds)

    def add(self, other: Tally) -> None:
        """Add the counts of other games."""
        self.games += other.games
        self.won += other.won
        for at in (0, 1):
            self.seconds[at] += other.seconds[at]
            self.work[at] += other.work[at]
            self.turns[at] += other.turns[at]
        self.longest = max(self.longest, other.longest)
        if other.falls is not None:
            self.falls = (self.falls or 0) + other.falls

    @property
    def share(self) -> float:
        """The part of the games that the first player won."""
        return self.won / self.games if self.games else 0.0

    @property
    def spread(self) -> float:
        """Half the width of the 95 % confidence interval of the share."""
        games = max(self.games, 1)
        return 1.96 * math.sqrt(max(self.share * (1 - self.share), 0.25 / games) / games)

    def bounds(self, doubt: float = 0.05) -> tuple[float, float]:
        """Return an interval that misses the true share at no number of games, but for a small doubt.

        So a match may stop as soon as it has told enough. These are the shares that a mixture of likelihood ratios, with every
        share as likely as any other, does not refute (Robbins 1970; Howard et al., "Time-uniform Chernoff bounds", 2021).
        """
        won, lost = self.won, self.games - self.won
        most = math.lgamma(won + 1) + math.lgamma(lost + 1) - math.lgamma(self.games + 2) + math.log(doubt)

        def refuted(share: float) -> bool:
            told = won and won * math.log(share)
            return told + (lost and lost * math.log(1 - share)) < most

        def edge(share: float) -> float:
            near, far = self.share, share
            for _ in range(40):
                middle = (near + far) / 2
                near, far = (near, middle) if refuted(middle) else (middle, far)
            return near

        return edge(0.0), edge(1.0)

    def line(self, names: Sequence[str], goal: float | None = None) -> str:
        """Return the result in words.

        Args:
            names: Of both players.
            goal: The share that is wanted.
        """
        wanted = "" if goal is None else f", goal {goal:.0%} {'met' if self.share >= goal else 'MISSED'}"
        each = [
            f"{name} {1000 * self.seconds[at] / self.turns[at]:.1f} ms a turn"
            + (f", {self.work[at] / max(self.seconds[at], 1e-9) / 1000:.0f} k/s" if self.work[at] else "")
            for at, name in enumerate(names)
            if self.turns[at]
        ]
        result = f"{self.won:g} of {self.games}, {self.share:.1%} +- {self.spread:.1%}{wanted}"
        if self.falls is not None and self.games:
            each.append(
                f"{100 * self.falls / self.games:.0f} sudden falls of {names[0]}'s value in 100 games"
            )
        return "; ".join([f"{names[0]} against {names[1]}: {result}", *each])


def summed(tallies: Iterable[Tally]) -> Tally:
    """Return the counts of all games together."""
    total = Tally()
    for tally in tallies:
        total.add(tally)
    return total


def played(
    play: Callable[[int], Tally], numbers: Iterable[int], processes: int, until: float
) -> Generator[tuple[int, Tally]]:
    """Play games by number in processes; yield each as it ends. No game begins after `until`, of `time.monotonic`."""
    missing = iter(numbers)
    with ProcessPoolExecutor(processes) as pool:
        running = {pool.submit(play, number): number for number in islice(missing, processes)}
        while running:
            done = next(as_completed(running))
            yield running.pop(done), done.result()
            if time.monotonic() < until and (after := next(missing, None)) is not None:
                running[pool.submit(play, after)] = after
