"""Orphans: messages with the controls of a match that no sender remembers.

A process that ends between sending a board and storing that leaves one, where the platform does not compare nonces or the next
board tells more. So does each answer to one person: a board, a hint, a question. The press that comes too late is the first that
the bot sees of it, so its controls are taken away then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from bot.callback_data import CallbackData, Verb
from bot.sender.message_state import messages_of
from bot.sender.ports import Recipient
from bot.sender.routing import state_address
from play.errors import NoSuchMatch, Unavailable
from play.match import Phase
from play.table import Table
from storage.outgoing import Outgoing

_INVITING: Final = (Verb.ACCEPT, Verb.DECLINE, Verb.WITHDRAW, Verb.START)
"""What is offered until a match begins."""

_ALONE: Final = (
    Verb.MOVE, Verb.MOVES, Verb.STEP, Verb.UNDO, Verb.TAKEBACK, Verb.DRAW, Verb.PAUSE, Verb.RESUME, Verb.YES, Verb.NO, Verb.CLAIM,
    Verb.VOTE, Verb.RESIGN, Verb.LEAVE, Verb.HINT, *_INVITING,
)  # fmt: skip
"""What is offered of one match until it ends, and not in lists of several."""


async def orphaned(
    outgoing: Outgoing,
    where: Iterable[Recipient],
    pressed: CallbackData,
    same: Callable[[str], bool],
    table: Table | None = None,
) -> bool:
    """Whether a message is none of those that are remembered, and what is pressed under it is outdated or cannot be done any more.

    Args:
        outgoing: What is remembered.
        where: The place of the message, and the person who pressed: a match shown nowhere on a platform is sent to its players.
        pressed: The button.
        same: Whether a message, as its platform calls it, is the pressed one.
        table: Where the match is read, of a message that one person alone sees. In front of others a forged button of a match
            that is over would take the controls of another away.
    """
    if pressed.verb not in _ALONE:
        return False
    try:
        for to in where:
            shown = await outgoing.shown(pressed.match, state_address(to))
            if shown is not None and any(map(same, messages_of(shown))):
                return False
            if shown is not None and shown.revision > pressed.seen:
                return True
        return table is not None and await _in_vain(table, pressed)
    except Unavailable:
        return False


async def _in_vain(table: Table, pressed: CallbackData) -> bool:
    """Whether what is pressed can only be refused from now on."""
    try:
        match = await table.get(pressed.match)
    except NoSuchMatch:
        return True
    return not match.live or (pressed.verb in _INVITING and match.phase is not Phase.OPEN)
