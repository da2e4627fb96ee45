"""Solutions played to the end: engines prove more moves than their variation shows."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Any, Final

from bot.thinking.jobs import Job, Reply, Variation, job_for
from rules.core import AnyGame, Position

MOST: Final = 24
"""Turns that are asked for at most."""

SECONDS: Final = 0.5
"""For each of them; what is proved takes less."""

ALL: Final = 5.0
"""Seconds for all of them."""


async def to_the_end(
    game: AnyGame,
    options: Any,
    position: Position[Any],
    line: Variation,
    ask: Callable[[Job], Awaitable[Reply | None]],
) -> tuple[str, ...]:
    """A line as far as the end of the game where it is won or lost for sure, else as it is.

    Args:
        game: The rules.
        options: Of the game.
        position: Where the line begins.
        line: What was found there.
        ask: Has a position searched; says nothing where that cannot be done.
    """
    if line.plies is None or not round(line.value):
        return line.line
    plies, here = list(line.line), position
    for text in plies:
        here = _after(game, here, text)
    until = time.monotonic() + ALL
    for _ in range(MOST):
        if here.outcome is not None or time.monotonic() >= until:
            break
        reply = await ask(job_for(game, options, here, seconds=SECONDS))
        if reply is None or reply.lines[0].plies is None:
            break
        for text in reply.lines[0].turn:
            here = _after(game, here, text)
            plies.append(text)
    return tuple(plies)


def _after(game: AnyGame, position: Position[Any], text: str) -> Position[Any]:
    (move,) = game.notation.parse(text, position)
    after: Position[Any] = position.play(move)
    return after
