"""Tables of events: points, and the tie-breaks that tell equal points apart.

Tie-breaks, in order (FIDE Handbook C.07 defines the first three):

1. direct encounter: points from the games between those who are level, where each has met each;
2. Sonneborn-Berger in a round robin, Buchholz without the weakest opponent in a Swiss event;
3. wins on the board with the second move;
4. fewer byes.

Who is level after that shares the place: never lots, never ratings. A table does not depend on the order of results.

Games between two players of an event, as pairing and tables see them. A player is any hashable value.

Round robin: every player meets every other; Berger tables.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from itertools import combinations, groupby
from typing import Final, Generic, TypeVar

P = TypeVar("P", bound=Hashable)

WIN: Final = 2
"""Points of a won game. Points are counted in halves, so that tables add whole numbers."""

DRAW: Final = 1  # half points of a drawn game, for each player


class GameScore(StrEnum):
    """How a game stands."""

    OPEN = "open"
    FIRST = "first"  # won by who moved first
    SECOND = "second"
    DRAW = "draw"
    VOID = "void"  # counts for neither


_POINTS: Final = {
    GameScore.FIRST: (WIN, 0),
    GameScore.SECOND: (0, WIN),
    GameScore.DRAW: (DRAW, DRAW),
}


@dataclass(frozen=True, slots=True)
class ScoredGame(Generic[P]):
    """One game of an event."""

    first: P
    second: P
    score: GameScore = GameScore.OPEN
    played: bool = True  # whether it is decided on the board; a forfeit is not

    @property
    def players(self) -> tuple[P, P]:
        return self.first, self.second

    @property
    def decided(self) -> bool:
        """Whether it is over and counts."""
        return self.score not in (GameScore.OPEN, GameScore.VOID)

    def points(self, player: P) -> int:
        """Return the half points that one of its players has from it; 0 while it is open."""
        first, second = _POINTS.get(self.score, (0, 0))
        return first if player == self.first else second

    def opponent(self, player: P) -> P:
        return self.second if player == self.first else self.first


@dataclass(frozen=True, slots=True)
class Bye(Generic[P]):
    """A round without an opponent."""

    player: P
    points: int = WIN


def meetings(games: Iterable[ScoredGame[P]]) -> dict[frozenset[P], int]:
    """Return how often each pair has been given a game, played or not, unless it is void."""
    return Counter(frozenset(game.players) for game in games if game.score is not GameScore.VOID)


class PairingSystem(StrEnum):
    """How an event pairs; for tables of games for two it decides the second tie-break."""

    ROUND_ROBIN = "round-robin"
    SWISS = "swiss"
    PODS = "pods"


@dataclass(frozen=True, slots=True)
class StandingsRow(Generic[P]):
    """A player's line of a table."""

    place: int  # 1 for the best; the same for who shares it
    player: P
    points: int | Fraction  # half points from decided games and byes
    left: int  # games that are open

    @property
    def total(self) -> Fraction:
        """The points as people count them."""
        return Fraction(self.points) / 2


def table(
    players: Iterable[P],
    games: Iterable[ScoredGame[P]],
    byes: Iterable[Bye[P]] = (),
    system: PairingSystem = PairingSystem.SWISS,
) -> tuple[StandingsRow[P], ...]:
    """Return the table of an event, best first; those who share a place in the order of `players`.

    Void games count for nothing, open ones give no points yet. Games with others are left out.
    """
    whole = _Standings(tuple(dict.fromkeys(players)), games, byes, system)
    rows: list[StandingsRow[P]] = []
    for group in whole.ranked():
        place = len(rows) + 1
        for player in group:
            left = sum(game.score is GameScore.OPEN for game in whole.own[player])
            rows.append(StandingsRow(place, player, whole.points[player], left))
    return tuple(rows)


class _Standings(Generic[P]):
    def __init__(
        self,
        players: Sequence[P],
        games: Iterable[ScoredGame[P]],
        byes: Iterable[Bye[P]],
        system: PairingSystem,
    ) -> None:
        self.players, self.system = players, system
        known = set(players)
        self.own: dict[P, list[ScoredGame[P]]] = {player: [] for player in players}
        self.byes: dict[P, list[Bye[P]]] = defaultdict(list)
        for game in games:
            if game.score is not GameScore.VOID and known.issuperset(game.players):
                for player in game.players:
                    self.own[player].append(game)
        for bye in byes:
            self.byes[bye.player].append(bye)
        self.points = {
            player: sum(game.points(player) for game in own) + sum(bye.points for bye in self.byes[player])
            for player, own in self.own.items()
        }
        self.quality = {player: self._quality(player) for player in players}

    def _decided(self, player: P) -> list[ScoredGame[P]]:
        return [game for game in self.own[player] if game.decided]

    def _quality(self, player: P) -> int:
        decided = self._decided(player)
        if self.system is PairingSystem.ROUND_ROBIN:
            return sum(game.points(player) * self.points[game.opponent(player)] for game in decided)
        # A round without a game counts as one against an opponent with the player's own points (C.07, 16).
        met = [self.points[game.opponent(player)] if game.played else self.points[player] for game in decided]
        met += [self.points[player]] * len(self.byes[player])
        return sum(met) - min(met, default=0)

    def _second_wins(self, player: P) -> int:
        return sum(
            game.played and game.score is GameScore.SECOND and game.second == player
            for game in self.own[player]
        )

    def ranked(self) -> Iterator[Sequence[P]]:
        for level in _groups(self.players, self.points.__getitem__):
            for even in self._directly(level):
                for near in _groups(even, self.quality.__getitem__):
                    for same in _groups(near, self._second_wins):
                        yield from _groups(same, lambda player: -len(self.byes[player]))

    def _directly(self, level: Sequence[P]) -> Iterator[Sequence[P]]:
        """Tell players with equal points apart by their games with each other, as long as that tells any apart."""
        group = set(level)
        among = {
            player: [game for game in self._decided(player) if game.opponent(player) in group]
            for player in level
        }
        met = {frozenset(game.players) for games in among.values() for game in games}
        if len(level) < 2 or any(frozenset(pair) not in met for pair in combinations(level, 2)):
            yield level
            return
        parts = list(_groups(level, lambda player: sum(game.points(player) for game in among[player])))
        if len(parts) == 1:
            yield level
            return
        for part in parts:
            yield from self._directly(part)


def _groups(players: Sequence[P], value: Callable[[P], int]) -> Iterator[Sequence[P]]:
    for _, group in groupby(sorted(players, key=lambda player: -value(player)), key=value):
        yield tuple(group)


MOST_PLAYERS: Final = 10  # players of a round robin: nine games are enough for one event
_FEW: Final = 5  # up to so many players meet twice, once with each first move, where the game takes two


def cycles(players: int) -> int:
    """Return how often each pair of a two-player game meets: twice among few players, else once."""
    return 2 if players <= _FEW else 1


def berger(players: Sequence[P], cycles: int = 1) -> tuple[tuple[ScoredGame[P], ...], ...]:
    """Return the rounds of a round robin, by the Berger tables (FIDE Handbook C.05, annex 1).

    With an odd number of players one of them is free in each round. No player moves first more than once oftener than
    second in a single cycle; in every second cycle the first move changes sides.
    """
    single = tuple(_rounds(players))
    swapped = tuple(tuple(ScoredGame(game.second, game.first) for game in games) for games in single)
    return tuple(games for cycle in range(cycles) for games in (swapped if cycle % 2 else single))


def _rounds(players: Sequence[P]) -> Iterator[tuple[ScoredGame[P], ...]]:
    count = len(players)
    last = count + count % 2 - 1  # of the player, or of the free place, that stays while the others turn
    for turn in range(last):
        # Each round turns the others by half a table, which alternates the first move of everybody.
        top = turn * ((last + 1) // 2) % last if last > 1 else 0
        pairs = [(top, last) if turn % 2 == 0 else (last, top)]
        pairs += [((top + step) % last, (top - step) % last) for step in range(1, (last + 1) // 2)]
        yield tuple(ScoredGame(players[a], players[b]) for a, b in pairs if max(a, b) < count)
