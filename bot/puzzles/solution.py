"""Solutions of puzzles: engines prove more moves than their variation shows."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Final

from bot.desk.errors import CommandError
from bot.presenter.variations import played, variation_text
from bot.thinking import Busy, NoAnswer
from bot.thinking.jobs import Job, Reply, Variation, job_for
from rules.core import AnyGame, Position

FIRST: Final = 1.5
"""Seconds of search in the position of the puzzle."""

NEXT: Final = 0.5
"""Seconds of search for each further turn; what is proved takes less."""

ALL: Final = 5.0
"""Seconds for all further turns."""

MOST: Final = 24
"""Further turns, at most."""

_UNPROVED: Final = 4  # turns shown of a solution that is no win


async def solution_of(
    game: AnyGame, options: Any, position: Position[Any], ask: Callable[[Job], Awaitable[Reply]]
) -> tuple[Variation, str]:
    """Return the best variation, and its text: to the end of the game where it is won or lost for sure.

    Raises:
        CommandError, Busy, NoAnswer: `ask` cannot have the position searched.
    """
    best = (await ask(job_for(game, options, position, seconds=FIRST))).lines[0]
    plies = list(best.line)
    if best.plies is not None and round(best.value):
        _, here = played(game, position, plies)
        until = time.monotonic() + ALL
        with suppress(CommandError, Busy, NoAnswer):
            for _ in range(MOST):
                if here.outcome is not None or time.monotonic() >= until:
                    break
                line = (await ask(job_for(game, options, here, seconds=NEXT))).lines[0]
                if line.plies is None:
                    break
                _, here = played(game, here, line.turn)
                plies += line.turn
    won = best.plies is not None and best.value > 0
    return best, variation_text(game, position, plies, None if won else _UNPROVED)
