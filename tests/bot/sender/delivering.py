"""A sender and its drain, for tests."""

from __future__ import annotations

from bot.chat.sending import Sender
from bot.chat.sending.ports import Courier
from play import facts
from tests.bot.sender.fakes import (
    HALL,
    Chats,
    Numbers,
    Stream,
)
from tests.bot.virtual import moment, play
from tests.support.memory.outgoing import MemoryBucket


def sender(stream: Stream, *couriers: Courier, composer: Numbers | None = None) -> Sender:
    return Sender(
        stream.reader(), MemoryBucket({}), composer or Numbers(), couriers, now=moment, paced=moment
    )


def delivered(stream: Stream, *couriers: Courier, composer: Numbers | None = None) -> None:
    play(sender(stream, *couriers, composer=composer).drain())


def one_by_one(
    stream: Stream, chats: Chats, *told: facts.Fact, composer: Numbers | None = None
) -> list[list[tuple[int | bool, ...]]]:
    """Deliver each fact before the next; what stood in the hall after each: the revisions, and whether it has buttons."""
    states: list[list[tuple[int | bool, ...]]] = []

    async def evening() -> None:
        one = sender(stream, chats, composer=composer)
        for fact in told:
            stream.add(fact)
            await one.drain()
            states.append([(*shelf.revisions, bool(shelf.view.buttons)) for shelf in chats.at(HALL)])

    play(evening())
    assert not stream.entries
    return states
