"""Random Swiss events, for the tests of pairing and tables: the stronger wins more often, some people leave."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from play.events.standings import Bye, GameScore, ScoredGame
from play.events.swiss import Round, pair, rounds


@dataclass
class Swiss:
    """An event under way.

    Attributes:
        history: All games and byes, in order.
        made: The rounds as they were paired.
        apart: For each round, the sum of the distances in half points over its pairs.
    """

    history: list[ScoredGame[int] | Bye[int]] = field(default_factory=list)
    made: list[Round[int]] = field(default_factory=list)
    apart: list[int] = field(default_factory=list)

    @property
    def games(self) -> list[ScoredGame[int]]:
        return [entry for entry in self.history if isinstance(entry, ScoredGame)]

    @property
    def byes(self) -> list[Bye[int]]:
        return [entry for entry in self.history if isinstance(entry, Bye)]

    def points(self, player: int) -> int:
        return sum(game.points(player) for game in self.games if player in game.players) + sum(
            bye.points for bye in self.byes if bye.player == player
        )


Pairing = Callable[[Sequence[int], Sequence[ScoredGame[int] | Bye[int]]], Round[int]]


def played(
    players: int, seed: int, pairing: Pairing = pair, leaving: float = 0.0, count: int | None = None
) -> Swiss:
    """Play a Swiss event; each player leaves before a round with the chance `leaving`."""
    random, swiss, present = Random(seed), Swiss(), list(range(players))
    for _ in range(count or rounds(players)):
        made = pairing(present, swiss.history)
        swiss.made.append(made)
        swiss.apart.append(sum(abs(swiss.points(g.first) - swiss.points(g.second)) for g in made.games))
        swiss.history += [replace(game, score=_score(random, game, players)) for game in made.games]
        if made.bye is not None:
            swiss.history.append(Bye(made.bye))
        present = [player for player in present if random.random() >= leaving]
        if len(present) < 2:
            break
    return swiss


def _score(random: Random, game: ScoredGame[int], players: int) -> GameScore:
    wins = 1 / (1 + 10 ** (2 * (game.first - game.second) / players))
    return random.choices(
        [GameScore.FIRST, GameScore.DRAW, GameScore.SECOND], [0.8 * wins, 0.2, 0.8 - 0.8 * wins]
    )[0]
