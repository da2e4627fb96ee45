"""Which messages are orphans: outdated, and not remembered."""

from __future__ import annotations

import pytest

from bot.callback_data import CallbackData, Verb
from bot.sender.message_state import MessageState
from bot.sender.orphans import orphaned
from play.people import Account, Address
from tests.support.memory import MemoryStore

HALL = Address("chat", "hall")
ANN = Account("chat", "ann")


@pytest.mark.parametrize(
    ("message", "verb", "seen", "orphan"),
    [
        ("left", Verb.MOVE, 3, True),
        ("left", Verb.MOVE, 4, False),  # it shows what is remembered
        ("board", Verb.MOVE, 3, False),  # the board itself, below which notes came
        ("left", Verb.JOIN, 3, False),  # it may stand in a list of several matches
    ],
)
async def test_an_outdated_message_that_is_not_remembered_is_an_orphan(
    message: str, verb: Verb, seen: int, orphan: bool
) -> None:
    outgoing = MemoryStore().outgoing()
    await outgoing.set_shown("aaaaaa", HALL, MessageState(4, "board").pack())
    pressed = CallbackData(verb, "aaaaaa", seen)
    assert await orphaned(outgoing, (HALL, ANN), pressed, message.__eq__) is orphan
    assert not await orphaned(outgoing, (ANN,), pressed, message.__eq__)
