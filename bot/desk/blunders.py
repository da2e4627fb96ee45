"""A move that loses at once is asked back before it is played, for beginners and for people who want that."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from bot.callback_data import CallbackData, Verb
from bot.desk.context import Context
from bot.presenter import refusals
from bot.view import Message
from play.actions.playing import MakeMove
from play.blunders import losing_reply
from play.errors import Unavailable
from play.match import Match, Phase
from rules.core import RulesError

KEPT: Final = timedelta(hours=1)
"""How long a move that was asked back is played when it comes again."""

MEANT: Final = "!"
"""Ends the move in the button that answers the question."""

PAUSE: Final = timedelta(seconds=2)
"""How long after the question a second press of the same button is taken for a slip of the finger."""


async def played(context: Context, match: Match, text: str) -> Sequence[Message]:
    """Play a move; ask first whether it is meant, where it loses at once and the match is unrated."""
    asked = await _asked_back(context, match, text)
    return asked or await context.play(match, MakeMove(text))


async def _asked_back(context: Context, match: Match, text: str) -> Sequence[Message]:
    if match.rated or not context.own.warnings or match.phase is not Phase.PLAYING or match.paused:
        return ()
    course = context.course(match)
    if course.position.to_move not in match.seats_of(context.visitor.account):
        return ()
    notation = course.game.notation
    try:
        text = " ".join(map(notation.format, notation.parse(text, course.position)))
    except RulesError:
        return ()  # it is refused anyway
    reply = await asyncio.to_thread(losing_reply, course, text)
    if reply is None or not await _wants_warning(context, match) or await _insists(context, match, text):
        return ()
    revision = match.revision if context.seen is None else context.seen
    again = CallbackData(Verb.MOVE, match.id, revision, text + MEANT)
    other = CallbackData(Verb.MOVE, match.id, revision)
    view = refusals.loses_at_once(" ".join(reply), again, other, context.words)
    return [context.private(view, refused=True, secret=True)]


async def _wants_warning(context: Context, match: Match) -> bool:
    """Whether the person has asked for warnings, or is a beginner in the game."""
    if context.own.warned:
        return True
    try:
        (rating,) = await context.store.ratings.get(match.game, context.visitor.account)
    except Unavailable:
        return False
    return rating is None or rating.provisional


async def _insists(context: Context, match: Match, text: str) -> bool:
    """Whether the person was asked about this move before, and this is no second delivery or accidental press."""
    moves = hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
    name = f"blunder:{match.id}:{match.position_since}:{context.visitor.account}:{moves}"
    request = context.operation.id if context.operation else ""
    try:
        if await context.store.notes.write_once(name, f"{context.at.isoformat()} {request}", keep=KEPT):
            return False
        (note,) = await context.store.notes.read(name)
    except Unavailable:
        return True  # a failed search must not keep anyone from moving
    at, _, by = (note or "").partition(" ")
    if not at:
        return True
    typed = context.seen is None
    return (by != request or not request) and (typed or context.at - datetime.fromisoformat(at) >= PAUSE)
