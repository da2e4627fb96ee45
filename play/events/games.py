"""Games between two players of an event, as pairing and tables see them. A player is any hashable value."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, Generic, TypeVar

P = TypeVar("P", bound=Hashable)

WIN: Final = 2
"""Points of a won game. Points are counted in halves, so that tables add whole numbers."""

DRAW: Final = 1
"""Half points of a drawn game, for each player."""


class Score(StrEnum):
    """How a game stands."""

    OPEN = "open"
    FIRST = "first"  # won by who moved first
    SECOND = "second"
    DRAW = "draw"
    NEITHER = "neither"  # lost by both: neither came
    VOID = "void"  # counts for neither


_POINTS: Final = {
    Score.FIRST: (WIN, 0),
    Score.SECOND: (0, WIN),
    Score.DRAW: (DRAW, DRAW),
}


@dataclass(frozen=True, slots=True)
class Game(Generic[P]):
    """One game of an event.

    Attributes:
        first: Who moves first.
        second: Who moves second.
        score: How it stands.
        played: Whether it is decided on the board; a forfeit is not.
    """

    first: P
    second: P
    score: Score = Score.OPEN
    played: bool = True

    @property
    def players(self) -> tuple[P, P]:
        """Both, the first mover first."""
        return self.first, self.second

    @property
    def decided(self) -> bool:
        """Whether it is over and counts."""
        return self.score not in (Score.OPEN, Score.VOID)

    def points(self, player: P) -> int:
        """Return the half points that one of its players has from it; 0 while it is open."""
        first, second = _POINTS.get(self.score, (0, 0))
        return first if player == self.first else second

    def opponent(self, player: P) -> P:
        """Return the other player."""
        return self.second if player == self.first else self.first


@dataclass(frozen=True, slots=True)
class Bye(Generic[P]):
    """A round without an opponent.

    Attributes:
        player: Who has it.
        points: The half points that it gives.
    """

    player: P
    points: int = WIN


def withdrawn(games: Sequence[Game[P]], player: P) -> tuple[Game[P], ...]:
    """Return a round robin's games after a player has left it.

    Before half of their games are decided, all become void; after that, those still open are forfeits for the
    opponents. This is how chess federations keep a table fair: a few results against one player count for no one.
    """
    own = [game for game in games if player in game.players and game.score is not Score.VOID]
    stands = 2 * sum(game.decided for game in own) >= len(own)

    def after(game: Game[P]) -> Game[P]:
        if player not in game.players:
            return game
        if not stands:
            return replace(game, score=Score.VOID)
        return forfeited(game, player) if game.score is Score.OPEN else game

    return tuple(map(after, games))


def forfeited(game: Game[P], absent: P) -> Game[P]:
    """Return a game as lost by a player who did not come."""
    return replace(game, score=Score.SECOND if absent == game.first else Score.FIRST, played=False)


def meetings(games: Iterable[Game[P]]) -> dict[frozenset[P], int]:
    """Return how often each pair has been given a game, played or not, unless it is void."""
    met: dict[frozenset[P], int] = {}
    for game in games:
        if game.score is not Score.VOID:
            pair = frozenset(game.players)
            met[pair] = met.get(pair, 0) + 1
    return met
