"""Matches in which something was played, by people with names of many scripts."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Final

from play.actions.playing import MakeMove
from play.actions.seating import Join
from play.match import Match
from play.opening import Challenge
from play.request import Request
from rules import GAMES
from tests.bot.world import ROOM, World, person

CROWD: Final = tuple(
    person(name) for name in ("ann", "Боб", "Їжачок", "ד", "Ngọc", "fay", "gus", "hal", "ira", "Ёлка")
)


async def played(world: World, game: str, chosen: Mapping[str, str], plies: int, seed: int) -> Match:
    """A match after some plies at random."""
    host, *others = CROWD[: GAMES[game].seats(GAMES[game].choose(chosen))]
    match = (
        await world.table.open(Challenge(ROOM, game, chosen, opponents=others), Request(host, world.now))
    ).match
    for other in others:
        match = (await world.table.act(match.id, Join(), Request(other, world.now))).match
    chance = Random(seed)
    for _ in range(plies):
        position = world.table.position(match)
        if position.outcome:
            break
        text = GAMES[game].notation.format(chance.choice(position.legal_moves()))
        mover = match.chairs[position.to_move].player
        assert mover
        match = (await world.table.act(match.id, MakeMove(text), Request(mover, world.now))).match
        if not match.live:
            break
    return match
