"""Orphans: messages with the controls of a match that no sender remembers.

A process that ends between sending a board and storing that leaves one, where the platform does not compare nonces or the next
board tells more. The press that comes too late is the first that the bot sees of it, so its controls are taken away then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from bot.callback_data import CallbackData, Verb
from bot.sender.message_state import messages_of
from bot.sender.ports import Recipient
from bot.sender.routing import state_address
from play.errors import Unavailable
from storage.outgoing import Outgoing

_ALONE: Final = (
    Verb.MOVE, Verb.MOVES, Verb.STEP, Verb.UNDO, Verb.TAKEBACK, Verb.DRAW, Verb.PAUSE, Verb.RESUME, Verb.YES, Verb.NO, Verb.CLAIM,
    Verb.ACCEPT, Verb.DECLINE, Verb.VOTE,
)  # fmt: skip
"""What is offered under the board or the card of one match, and not in lists of several."""


async def orphaned(
    outgoing: Outgoing, where: Iterable[Recipient], pressed: CallbackData, same: Callable[[str], bool]
) -> bool:
    """Whether a button under a message shows a match as it was before what is remembered there, and its message is none of those.

    Args:
        outgoing: What is remembered.
        where: The place of the message, and the person who pressed: a match shown nowhere on a platform is sent to its players.
        pressed: The button.
        same: Whether a message, as its platform calls it, is the pressed one.
    """
    if pressed.verb not in _ALONE:
        return False
    try:
        for to in where:
            shown = await outgoing.shown(pressed.match, state_address(to))
            if shown is not None:
                return shown.revision > pressed.seen and not any(map(same, messages_of(shown)))
    except Unavailable:
        return False
    return False
