"""Taps in their order: a press counts on top of what the person has just picked under the same message.

The buttons of one drawing carry the same half-made move, so of several that are pressed before the next drawing only the last
would count. What was picked last is in a note, by message and person, for a minute; without it each button picks what it says.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final

from bot.chat.callback_data import BadCallbackData, CallbackData, Verb
from bot.chat.context import Context
from bot.chat.presenting.selection import (
    PartialMove,
    PickTarget,
    Selection,
    follow,
    in_order,
    read_pick,
    touched,
)
from bot.chat.visitor import Visitor
from play.errors import Unavailable
from play.people import Account
from play.ports import NoteStore
from rules.core import AnyGame, Position, RulesError, sq

# Keys whose argument is a half-made move.
PICKING: Final = (Verb.STEP, Verb.PICK, Verb.LESSON_PICK, Verb.WHY, Verb.LINE_PICK)
KEPT: Final = timedelta(minutes=1)

_TOUCHED: Final = "?"  # in an argument, between what is picked and the square that was touched


def is_touch(button: CallbackData) -> bool:
    """Whether a button stands for a key that named a square, and could not be pressed when it was drawn."""
    return _TOUCHED in button.argument


async def touching(notes: NoteStore, visitor: Visitor, square: str) -> CallbackData | None:
    """Return what a touch of a key that only names a square asks for; None where nothing is being picked."""
    newest = await _newest(notes, visitor, visitor.account)
    if newest is None:
        return None
    asked = replace(newest, argument=f"{newest.argument}{_TOUCHED}{square}")
    return asked if asked.fits else None


async def picked(
    context: Context, button: CallbackData, game: AnyGame, start: Position[Any]
) -> tuple[PartialMove, bool] | None:
    """Return the half-made move after a press, and whether its board is flipped; None if a touched square is not to be picked."""
    text, touch, square = button.argument.partition(_TOUCHED)
    said, flipped = read_pick(text)
    target = PickTarget(button.match, button.seen, picks=button.verb, flipped=flipped)
    selection: Selection | None = said
    if touch:
        again = [square] == [str(each) for each in (said.taps or said.tokens)[-1:]]  # it is delivered again
        selection = said if again else touched(game, follow(game, start, said), sq(square))
    elif (newest := await _before(context, button)) is not None:
        with suppress(RulesError):
            selection = in_order(game, start, newest, said)
            selection = selection if target.pick(selection).fits else newest
    if selection is None:
        return None
    partial = follow(game, start, selection)
    await _note(context, target.pick(selection))
    return partial, flipped


async def forget(notes: NoteStore, visitor: Visitor, pressed: CallbackData) -> None:
    """Pick on top of nothing after a press that may draw the message anew: of any button that picks nothing."""
    if pressed.verb not in PICKING and await _newest(notes, visitor, visitor.account) is not None:
        with suppress(Unavailable):
            await notes.write(_name(visitor, visitor.account), None)


async def _before(context: Context, button: CallbackData) -> Selection | None:
    newest = await _newest(context.store.notes, context.visitor, context.asker)
    if newest is None or replace(newest, argument=button.argument) != button:
        return None
    with suppress(RulesError):
        return read_pick(newest.argument)[0]
    return None


async def _newest(notes: NoteStore, visitor: Visitor, account: Account) -> CallbackData | None:
    if visitor.keys is None:
        return None
    with suppress(Unavailable, BadCallbackData):
        (held,) = await notes.read(_name(visitor, account))
        return CallbackData.unpack(held) if held else None
    return None


async def _note(context: Context, button: CallbackData) -> None:
    if context.visitor.keys is not None and button.fits:
        with suppress(Unavailable):
            name = _name(context.visitor, context.asker)
            await context.store.notes.write(name, button.pack(), keep=KEPT)


def _name(visitor: Visitor, account: Account) -> str:
    return f"taps:{visitor.place.platform}:{visitor.keys}:{account}"
