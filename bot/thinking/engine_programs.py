"""Programs from outside that sit at the table."""

from __future__ import annotations

from collections.abc import Sequence

from bot.thinking.jobs import Job, Reply, Variation
from bot.thinking.ports import SearchFailed
from engine.wire import EngineClient, EngineTimeout, ProtocolViolation
from rules import GAMES


class EngineProgram:
    """A program that the operator has named.

    Args:
        name: Of its account.
        command: What is run.
    """

    def __init__(self, name: str, command: Sequence[str]) -> None:
        self._name = name
        self._client = EngineClient(command)

    async def turn(self, job: Job) -> Reply:
        """Its turn.

        Raises:
            Failed: it has none, or not in time, or an illegal one. It is killed then.
        """
        game = GAMES[job.game]
        options = dict(job.options)
        position = game.notation.parse_position(job.position, game.choose(options))
        try:
            turn = await self._client.turn(game, options, position, seconds=job.seconds, seed=job.seed)
        except (EngineTimeout, ProtocolViolation) as failed:
            raise SearchFailed(str(failed)) from failed
        return Reply(self._name, "outside", 0, (Variation(turn, 0.0, None, turn, 0),))

    async def close(self) -> None:
        """End it."""
        await self._client.close()
