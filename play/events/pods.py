"""Pods: events of a game for three and more, in which each round seats people in small groups.

The first round deals the strong ones out over all pods ("snake": 1 2 3, then 3 2 1 from below); later rounds seat
neighbours in the table together. Points are by the place in a pod.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, combinations, groupby, pairwise
from typing import Final, Generic, TypeAlias

from play.events.standings import P, StandingsRow

SIZE: Final = 4  # seats of a pod, where the number of players divides
FEWEST: Final = 3  # players that an event with pods needs

POINTS: Final[Mapping[int, tuple[int, ...]]] = {
    3: (4, 1, 0),
    4: (4, 2, 1, 0),
    5: (4, 3, 2, 1, 0),
}
"""Points by place, for each size of a pod. Pods of three and of four stand side by side, and give nearly the same points a seat."""

Pod: TypeAlias = tuple[P, ...]  # players of one match, in the order of their seats


@dataclass(frozen=True, slots=True)
class Placed(Generic[P]):
    """A pod that is over."""

    pod: tuple[P, ...]
    places: tuple[int, ...]  # the place of each, 0 for the best; equal ones share the points of their places
    void: bool = False


def sizes(players: int) -> tuple[int, ...]:
    """Return the sizes of the pods: as many fours as there can be, the others threes; five people are one pod."""
    if players < FEWEST:
        raise ValueError(players)
    if players == SIZE + 1:
        return (players,)
    count = -(-players // SIZE)
    threes = SIZE * count - players
    return (SIZE,) * (count - threes) + (SIZE - 1,) * threes


def shares(places: Sequence[int]) -> tuple[Fraction, ...]:
    """Return the points of the places of a pod; who shares places shares their points."""
    points = POINTS[len(places)]
    best_first = sorted(places)
    shared = {
        place: [points[at] for at, other in enumerate(best_first) if other == place] for place in places
    }
    return tuple(Fraction(sum(shared[place]), len(shared[place])) for place in places)


def seat(
    players: Sequence[P], done: Iterable[Placed[P]] = (), blocked: Collection[frozenset[P]] = ()
) -> tuple[Pod[P], ...]:
    """Return the pods of the next round of at least three players, the strongest first, after those of all rounds so far.

    Blocked pairs are kept apart where that can be had by exchanging neighbours of the table.
    """
    done = tuple(done)
    into = _dealt(players)
    if done:
        order = [row.player for row in table(players, done)]
        room = sizes(len(order))
        into = [order[end - size : end] for size, end in zip(room, accumulate(room), strict=True)]
    cost = Counter(frozenset(pair) for placed in done for pair in combinations(placed.pod, 2))
    cost.update(dict.fromkeys(blocked, _BLOCKED))
    _exchange(into, cost)
    late = _lateness(done)
    return tuple(tuple(sorted(pod, key=lambda player: -late.get(player, Fraction(0)))) for pod in into)


def _dealt(players: Sequence[P]) -> list[list[P]]:
    room = sizes(len(players))
    pods: list[list[P]] = [[] for _ in room]
    left = list(players)
    for row in range(max(room)):
        open_pods = [index for index, size in enumerate(room) if len(pods[index]) < size]
        for index in open_pods if row % 2 == 0 else reversed(open_pods):
            pods[index].append(left.pop(0))
    return pods


_BLOCKED: Final = 1000  # keeping a blocked pair apart is worth any number of repeated meetings


def _exchange(pods: list[list[P]], cost: Mapping[frozenset[P], int]) -> None:
    """Exchange players of pods next to each other while that makes a repeated or blocked meeting less."""

    def against(player: P, pod: Iterable[P], but: P) -> int:
        return sum(cost.get(frozenset((player, other)), 0) for other in pod if other != but)

    def gain(upper: list[P], lower: list[P], one: P, other: P) -> int:
        before = against(one, upper, one) + against(other, lower, other)
        return before - against(one, lower, other) - against(other, upper, one)

    better = True
    while better:  # each exchange makes the whole cost less, so this ends
        better = False
        for upper, lower in pairwise(pods):
            # The last of the upper pod and the first of the lower one are the nearest neighbours.
            swaps = [(one, other) for one in reversed(upper) for other in lower]
            one, other = max(swaps, key=lambda swap: gain(upper, lower, *swap))
            if gain(upper, lower, one, other) > 0:
                upper[upper.index(one)], lower[lower.index(other)] = other, one
                better = True


def _lateness(done: Iterable[Placed[P]]) -> dict[P, Fraction]:
    """How late each has sat so far, a share of the pod for each round; the latest sit first next."""
    late: dict[P, Fraction] = defaultdict(Fraction)
    for placed in done:
        for index, player in enumerate(placed.pod):
            late[player] += Fraction(index, len(placed.pod))
    return late


def table(
    players: Iterable[P], done: Iterable[Placed[P]], open_to: Iterable[P] = ()
) -> tuple[StandingsRow[P], ...]:
    """Return the table, best first: by points, then by the points of opponents; level players share a place.

    `open_to` names the players of the pods that are open.
    """
    left = Counter(open_to)
    counted = [placed for placed in done if not placed.void]
    points: dict[P, Fraction] = defaultdict(Fraction)
    for placed in counted:
        for player, share in zip(placed.pod, shares(placed.places), strict=True):
            points[player] += share
    opponents: dict[P, Fraction] = defaultdict(Fraction)
    for placed in counted:
        for player in placed.pod:
            opponents[player] += sum((points[other] for other in placed.pod if other != player), Fraction(0))

    def value(player: P) -> tuple[Fraction, Fraction]:
        return -points[player], -opponents[player]

    rows: list[StandingsRow[P]] = []
    for _, level in groupby(sorted(players, key=value), key=value):
        place = len(rows) + 1
        rows += [StandingsRow(place, player, 2 * points[player], left[player]) for player in level]
    return tuple(rows)
