"""Lines without a slash that are commands all the same: `help`, `accept`, `yes`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bot.desk import corrections
from bot.desk.command_spec import names_of
from bot.desk.context import Context
from bot.desk.grammar import NO, YES
from bot.view import Message
from play.match import VOTES, Ask

_HELP: Final = "/help"
_PLAY: Final = "/challenge"  # alone it acts on nothing, but asks what to play

_FEW: Final = 4
"""Words of a command typed without its slash, at most; a longer line is talk."""


async def answer(context: Context, line: str) -> Sequence[Message]:
    """Answer a line that asks for the help, or to play; ask whether another command was meant; nothing to talk."""
    meant = await _commands_in(context, line)
    if context.hear and len(meant) == 1 and (meant[0] == _PLAY or meant[0].split()[0] == _HELP):
        return await context.hear(context.visitor, meant[0])
    return [await corrections.question(context, meant)] if meant else []


async def _commands_in(context: Context, line: str) -> list[str]:
    """Return the commands that a line may be, with their slashes."""
    words = line.strip().rstrip("!?.…").split()
    if not 1 <= len(words) <= _FEW:
        return []
    first = words[0].casefold()
    if len(words) == 1 and first in YES | NO:
        return await _answers(context, yes=first in YES)
    if spec := names_of(tuple(context.commands.values())).get(first):
        return [" ".join((f"/{spec.name}", *words[1:]))]
    return []


async def _answers(context: Context, *, yes: bool) -> list[str]:
    """Return the commands that answer what the visitor is asked."""
    finder, word = context.finder, "yes" if yes else "no"
    asked = [
        f"/{'end' if ask is Ask.REMOVE else ask.value} #{match.id} {word}"
        for ask in (Ask.DRAW, Ask.TAKEBACK, Ask.PAUSE, *VOTES)
        for match in await finder.fitting(finder.asked(ask))
    ]
    name = "accept" if yes else "decline"
    return asked + [f"/{name} #{match.id}" for match in await finder.fitting(finder.for_me)]
