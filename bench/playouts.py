"""Games played at random from a seed, the same in every run; and matches with such a log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any, Final

from bot.platforms.console.integration import PLATFORM, place
from play.match import Chair, Match, Phase, Ply
from play.people import Account, Player
from rules.core import AnyGame, Position

PLAYERS: Final = tuple(Player(Account(PLATFORM, name), name) for name in ("anna", "boris"))
"""Who plays, by seat."""

_BEGAN: Final = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Playout:
    """A game: its moves, and the position before each."""

    game: AnyGame
    chosen: Mapping[str, str]
    moves: tuple[Any, ...]
    positions: tuple[Position[Any], ...]


def playouts(
    game: AnyGame, chosen: Mapping[str, str], *, least: int = 0, most: int | None = None
) -> Iterator[Playout]:
    """Games without end, one for each seed that gives one of at least `least` plies, each cut after `most`."""
    seed = 0
    while True:
        played = _playout(game, chosen, Random(seed), most)
        seed += 1
        if len(played.moves) >= least:
            yield played


def _playout(game: AnyGame, chosen: Mapping[str, str], random: Random, most: int | None) -> Playout:
    position = game.start(game.choose(chosen))
    moves: list[Any] = []
    positions: list[Position[Any]] = []
    while position.outcome is None and (most is None or len(moves) < most):
        move = random.choice(position.legal_moves())
        positions.append(position)
        moves.append(move)
        position = position.play(move)
    return Playout(game, chosen, tuple(moves), tuple(positions))


def logged(played: Playout, match_id: str, where: str = "room") -> Match:
    """A match between `PLAYERS` that has come so far, a ply a second."""
    game = played.game
    log = tuple(
        Ply(position.to_move, game.notation.format(move), _BEGAN + timedelta(seconds=count))
        for count, (position, move) in enumerate(zip(played.positions, played.moves, strict=True))
    )
    return Match(
        id=match_id,
        game=game.key,
        rules_version=game.rules_version,
        options=tuple(game.describe(game.choose(played.chosen)).items()),
        chairs=tuple(map(Chair, PLAYERS)),
        host=PLAYERS[0],
        lobby=False,
        addresses=(place(where),),
        opened=_BEGAN,
        expires=_BEGAN + timedelta(days=1),
        phase=Phase.PLAYING,
        log=log,
        revision=1 + len(log),
    )
