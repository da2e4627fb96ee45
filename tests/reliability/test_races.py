"""Two bots, each a process of its own, with one turn: one of them plays it, the other is shown the board that came of it."""

from __future__ import annotations

import asyncio
import random
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from play.actions.seating import Join
from play.opening import Challenge
from play.people import Address
from play.request import Request
from play.table import Table
from rules import GAMES
from rules.core import Position
from storage.client.connecting import by_socket
from storage.redis.store import RedisStore
from tests.reliability.conftest import Figure, Scale
from tests.reliability.load import ANN, BOB, table_on
from tests.reliability.processes import Bot
from tests.reliability.worker import PLATFORM
from tests.support.servers import redis_server

PATIENCE: Final = 60.0
"""Seconds: a busy machine is not what is tried here."""
SIDE_BY_SIDE: Final = 4
"""Matches that are raced in at once."""
PLAYED: Final = ("breakthrough", {"board": "8x8"})


class Results:
    """What came of the races."""

    def __init__(self) -> None:
        self.races = 0
        self.wins = [0, 0]
        self.no_winner = 0
        self.two_winners = 0
        self.stale_boards = 0


async def test_races_for_one_turn(scale: Scale, figure: Figure, tmp_path: Path) -> None:
    races, results = scale(10_000, 300), Results()
    with redis_server(tmp_path / "data") as server:
        log = tmp_path / "log"
        bots = [await Bot.start(f"unix://{server}", log) for _ in range(2)]
        client = by_socket(server)
        try:
            for bot in bots:
                await bot.ready()
            table = table_on(RedisStore(client, PATIENCE))
            await asyncio.gather(*(_raced(table, bots, f"r{n}", results, races) for n in range(SIDE_BY_SIDE)))
        finally:
            await client.aclose()
            for bot in bots:
                await bot.end()
    figure(
        f"races: {results.races} of two processes for one turn, won {results.wins[0]} to {results.wins[1]};"
        f" {results.no_winner} without a winner, {results.two_winners} with two,"
        f" {results.stale_boards} losers shown another board than the one now"
    )
    assert results.races >= races
    assert results.no_winner == results.two_winners == results.stale_boards == 0
    assert all(results.wins), "neither is always first"


async def _raced(table: Table, bots: list[Bot], name: str, results: Results, races: int) -> None:
    """Race in one match after another until there have been enough."""
    luck, count = random.Random(name), 0
    game = GAMES[PLAYED[0]]
    while results.races < races:
        at = datetime.now(UTC)  # the bots' clockwork calls off what is of long ago
        made = await table.open(
            Challenge(Address(PLATFORM, name), *PLAYED, opponents=(BOB,)), Request(ANN, at)
        )
        match = (await table.act(made.match.id, Join(), Request(BOB, at))).match
        while results.races < races and match.live:
            position = table.position(match)
            texts = [game.notation.format(move) for move in _two(position, luck)]
            who = (ANN, BOB)[position.to_move].account.uid
            order = luck.sample((0, 1), 2)  # neither is always asked first
            count += 1
            answers: list[dict[str, Any]] = list(
                await asyncio.gather(
                    *(
                        _asked(
                            bots[one],
                            {"id": f"{name}.{count}.{one}", "race": match.id, "who": who,
                             "text": texts[one], "seen": match.revision},
                        )
                        for one in order
                    )
                )
            )  # fmt: skip
            before, match = match, await table.get(match.id)
            results.races += 1
            assert all("won" in answer for answer in answers), answers
            won = [one for one, answer in zip(order, answers, strict=True) if answer["won"]]
            results.no_winner += not won
            results.two_winners += len(won) > 1
            for one in won:
                results.wins[one] += 1
            shown = {(answer["revision"], answer["log"]) for answer in answers}
            now = (before.revision + 1, str(match.log))
            results.stale_boards += match.revision != now[0] or shown != {now}
            assert match.log[-1].text == texts[won[0]]  # type: ignore[union-attr]


async def _asked(bot: Bot, request: dict[str, Any]) -> dict[str, Any]:
    """The answer to a request, which is repeated where the store did not answer in time."""
    while (answer := await bot.ask(request)).get("said") == ["unavailable"]:
        pass
    return answer


def _two(position: Position[Any], luck: random.Random) -> tuple[Any, Any]:
    moves = position.legal_moves()
    return luck.choice(moves), luck.choice(moves)
