"""Matches in which something was played, by people with names of many scripts."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Final

from play.match import Match
from rules import GAMES
from tests.bot.world import ROOM, World, person

CROWD: Final = tuple(
    person(name) for name in ("ann", "Боб", "Їжачок", "ד", "Ngọc", "fay", "gus", "hal", "ira", "Ёлка")
)


async def played(world: World, game: str, chosen: Mapping[str, str], plies: int, seed: int) -> Match:
    """A match after some plies at random."""
    host, *others = CROWD[: GAMES[game].seats(GAMES[game].choose(chosen))]
    match = (await world.table.challenge(host, ROOM, game, chosen, at=world.now, opponents=others)).match
    for other in others:
        match = (await world.table.accept(match.id, other, at=world.now)).match
    chance = Random(seed)
    for _ in range(plies):
        position = world.table.position(match)
        if position.outcome:
            break
        text = GAMES[game].notation.format(chance.choice(position.legal_moves()))
        mover = match.chairs[position.to_move].player
        assert mover
        match = (await world.table.move(match.id, mover, text, at=world.now)).match
        if not match.live:
            break
    return match
