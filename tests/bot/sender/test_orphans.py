"""Which messages are orphans: outdated, and not remembered."""

from __future__ import annotations

import pytest

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.sending.delivery import MessageState, unowned
from play.people import Account, Address
from tests.bot.world import ANN as PLAYER
from tests.bot.world import World

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
    world = World()
    outgoing, match = world.store.outgoing(), await world.begin("breakthrough", {})
    await outgoing.set_shown(match.id, HALL, MessageState(4, "board").pack())
    pressed = CallbackData(verb, match.id, seen)
    assert await unowned(outgoing, (HALL, ANN), pressed, message.__eq__) is orphan
    assert not await unowned(outgoing, (ANN,), pressed, message.__eq__)


async def test_what_can_only_be_refused_is_an_orphan_where_no_message_is_remembered() -> None:
    world = World()
    outgoing, match = world.store.outgoing(), await world.begin("breakthrough", {})
    hint, accept = (CallbackData(verb, match.id, match.revision) for verb in (Verb.HINT, Verb.ACCEPT))
    assert not await unowned(outgoing, (ANN,), hint, "left".__eq__, world.table)
    assert await unowned(outgoing, (ANN,), accept, "left".__eq__, world.table)  # the match has begun
    await world.say(PLAYER, "/resign yes")
    assert await unowned(outgoing, (ANN,), hint, "left".__eq__, world.table)
    assert not await unowned(outgoing, (ANN,), hint, "left".__eq__)  # others see it: the press may be forged
    await outgoing.set_shown(match.id, HALL, MessageState(match.revision, "board").pack())
    # Else the sender changes it.
    assert not await unowned(outgoing, (HALL, ANN), hint, "board".__eq__, world.table)
