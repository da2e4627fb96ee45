"""External engines that play at the table."""

from __future__ import annotations

from collections.abc import Sequence

from bot.thinking.jobs import Job, Reply, Variation
from bot.thinking.ports import SearchFailed
from engine.wire import EngineClient, EngineTimeout, ProtocolViolation
from rules import GAMES


class EngineProgram:
    """An external engine that the operator has configured."""

    def __init__(self, name: str, command: Sequence[str]) -> None:
        self._name = name
        self._client = EngineClient(command)

    async def turn(self, job: Job) -> Reply:
        """See `ExternalEngine.turn`. A program without an answer, or with an illegal one, has been killed."""
        game = GAMES[job.game]
        options = dict(job.options)
        position = game.notation.parse_position(job.position, game.choose(options))
        try:
            turn = await self._client.turn(game, options, position, seconds=job.seconds, seed=job.seed)
        except (EngineTimeout, ProtocolViolation) as failed:
            raise SearchFailed(str(failed)) from failed
        return Reply(self._name, "outside", 0, (Variation(turn, 0.0, None, turn, 0),))

    async def close(self) -> None:
        """End the program."""
        await self._client.close()
