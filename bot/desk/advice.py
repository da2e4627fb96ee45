"""Questions to the engines, refused while the engines have no time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from bot.desk.context import Context
from bot.desk.errors import BadCommand, CommandError
from bot.thinking import Busy, Job, NoAnswer, Reply, Thinker


async def best_turns(context: Context, job: Job) -> Reply:
    """Return the best turns of a position.

    Raises:
        CommandError: there are no engines, or they have no time.
    """
    with engines(context) as thinker:
        return await thinker.advice(job, str(context.visitor.account), str(context.visitor.place))


@contextmanager
def engines(context: Context) -> Iterator[Thinker]:
    """Lend the engines, and turn their failures into refusals.

    Raises:
        CommandError: there are no engines, or they have no time.
    """
    if context.resources.thinker is None:
        raise CommandError(BadCommand.NO_ENGINES)
    try:
        context.visitor.accepted()
        yield context.resources.thinker
    except Busy as busy:
        raise CommandError(BadCommand.ENGINES_BUSY if busy.everybody else BadCommand.ASKED_ENOUGH) from busy
    except NoAnswer as none:
        raise CommandError(BadCommand.NO_ADVICE) from none
