"""Recipients that can be written to again are shown the boards that they missed, each once, as it is now."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Any, Final

import pytest

from bot.chat.sending import Sender
from bot.chat.sending.composer import Composer
from bot.chat.sending.ports import Recipient
from bot.chat.sending.routing import pinged_at, state_address
from bot.chat.sending.unreached import MOST, Unreachable, reopen
from bot.features.events.announcing import EventComposer
from play.actions.playing import MakeMove
from play.errors import Unavailable
from play.match import Match
from play.people import Account, Address
from play.request import Request
from tests.bot.chat.sending import fakes
from tests.bot.chat.sending.fakes import Chats
from tests.bot.world import ANN, BOB, ROOM, World
from tests.support.memory import MemoryStore
from tests.support.memory.store import MemoryMatches
from tests.support.memory.streams import MemoryOutgoing

HOME: Final = Address("other", "home")


class Wall(Chats):
    """Chats of one platform: what each message said first, what it says now, and whom it called."""

    def __init__(self, platform: str = ROOM.platform, *, banned: Sequence[Recipient] = ()) -> None:
        super().__init__(banned=banned)
        self.platform = platform

    def _note(self, what: str, shelf: Any) -> None:
        """The views of these tests have words, not numbers."""

    def said(self, to: Recipient) -> list[tuple[str, list[Account], bool]]:
        return [
            ("; ".join((*one.view.lines, *one.view.after)), one.pings, one.retired) for one in self.at(to)
        ]


async def no_time(_: float) -> None:
    """Waiting takes none."""


def sender(world: World, *walls: Wall) -> Sender:
    store = world.store
    return Sender(
        store.outgoing(),
        store.bucket(),
        Composer(world.table, "en", events=EventComposer(world.table, "en")),
        walls,
        now=store.now,
        sleep=no_time,
        also=[Unreachable(world.table, store, lambda: world.now)],
    )


async def play(world: World, match: Match, *moves: str) -> Match:
    for number, text in enumerate(moves, len(match.log)):
        who = (ANN, BOB)[number % 2]
        match = (await world.table.act(match.id, MakeMove(text), Request(who, world.now))).match
    return match


async def missed(world: World, wall: Wall, match: Match, *moves: str, to: Recipient = ROOM) -> Match:
    """Some moves while nothing can be sent there; it can be again after them."""
    one = sender(world, wall)
    wall.banned = {to}
    match = await play(world, match, *moves)
    await one.drain()
    assert await world.store.outgoing().dead(state_address(to)) is not None
    wall.banned = set()
    return match


async def come_back(world: World, wall: Wall, to: Recipient = ROOM) -> None:
    await reopen(world.store.matches, world.store.outgoing(), to)
    assert await world.store.outgoing().dead(state_address(to)) is None
    await sender(world, wall).drain()


async def test_a_place_that_comes_back_is_shown_the_board_as_it_is_and_calls_the_player_on_turn() -> None:
    world, wall = World(), Wall()
    match = await world.begin("breakthrough", {"board": "4x5"})
    await sender(world, wall).drain()
    await missed(world, wall, match, "a2-a3", "b4-b3", "c2-c3")
    assert [called for _, called, _ in wall.said(ANN.account)] == [[]], "instead of there"
    assert [called for _, called, _ in wall.said(BOB.account)] == [[BOB.account]]
    shown = len(wall.said(ROOM))
    await come_back(world, wall)
    *before, (words, called, retired) = wall.said(ROOM)
    assert len(before) == shown
    assert words == f"ann: c2-c3; Breakthrough (board: 4×5) · #{match.id}; Turn: bob"
    assert (called, retired) == ([BOB.account], False)
    assert all(one[2] for one in before), "the old board is retired"
    await come_back(world, wall)
    assert len(wall.said(ROOM)) == shown + 1


async def test_many_missed_boards_are_the_latest_ten_and_a_line() -> None:
    world, wall = World(), Wall(banned=[ROOM])
    codes = [(await world.begin("breakthrough", {"board": "4x5"})).id for _ in range(MOST + 3)]
    await sender(world, wall).drain()
    wall.banned = set()
    await come_back(world, wall)
    said = [words for words, _, _ in wall.said(ROOM)]
    assert sorted(code for code in codes for words in said if code in words) == sorted(codes[-MOST:])
    assert [words.partition("; ")[0] for words in said if "/games" in words] == [
        "3 more matches are not shown: /games lists yours."
    ]


async def test_a_move_while_boards_are_queued_is_shown() -> None:
    world, wall = World(), Wall()
    match = await world.begin("breakthrough", {"board": "4x5"})
    await sender(world, wall).drain()
    match = await missed(world, wall, match, "a2-a3")
    outgoing = world.store.outgoing()
    clear = outgoing.set_dead

    async def set_dead(address: Address, at: datetime | None) -> None:
        await sender(world, wall).drain()
        await play(world, match, "b4-b3")
        await sender(world, wall).drain()
        assert "Turn: bob" in wall.said(ROOM)[-1][0], "the mark drops the move"
        await clear(address, at)

    outgoing.set_dead = set_dead  # type: ignore[method-assign]
    await reopen(world.store.matches, outgoing, ROOM)
    await sender(world, wall).drain()
    assert "Turn: ann" in wall.said(ROOM)[-1][0]
    assert wall.said(ROOM)[-1][1] == [ANN.account]


class Failing:
    """Calls of a store, one of which fails, before or after it was carried out."""

    def __init__(self, broken: int, *, carried_out: bool) -> None:
        self.left, self.carried_out = broken, carried_out

    async def call(self, work: Callable[[], Awaitable[Any]]) -> Any:
        self.left -= 1
        if self.left == 0 and not self.carried_out:
            raise Unavailable
        done = await work()
        if self.left == 0:
            raise Unavailable
        return done

    def around(self, held: Any, *names: str) -> Any:
        for name in names:
            call = getattr(held, name)
            setattr(held, name, lambda *given, call=call, **more: self.call(lambda: call(*given, **more)))
        return held


@pytest.mark.parametrize("carried_out", [False, True])
async def test_whichever_call_fails_each_board_is_shown_once(carried_out: bool) -> None:
    for broken in range(1, 12):
        world, wall = World(), Wall(banned=[ROOM])
        codes = [(await world.begin("breakthrough", {"board": "4x5"})).id for _ in range(3)]
        await sender(world, wall).drain()
        wall.banned = set()
        failing = Failing(broken, carried_out=carried_out)
        store: MemoryStore = world.store
        matches: MemoryMatches = failing.around(store.matches, "at", "announce")
        outgoing: MemoryOutgoing = failing.around(store.outgoing(), "dead", "set_dead", "shown")
        for _ in range(2):  # the second time is the next request
            try:
                await reopen(matches, outgoing, ROOM)
            except Unavailable:
                await sender(world, wall).drain()
        await sender(world, wall).drain()
        assert await store.outgoing().dead(ROOM) is None
        assert sorted(one.nonce.partition(":")[0] for one in wall.at(ROOM)) == sorted(codes)


def test_who_left_a_chat_is_called_in_none_of_its_topics() -> None:
    chat, topic, other = (Address("toy", place) for place in ("hall", "hall/7", "yard/7"))
    shown = fakes.match(at=(topic, other))
    for left, called in (
        ((), topic),
        ((topic,), other),
        ((chat,), other),
        ((chat, other), fakes.ANN.account),
    ):
        assert pinged_at(shown, fakes.ANN.account, left) == called
