"""A board that changed in place calls those whom the match waits for once, a minute later: whatever happens meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest

from bot.chat.sending.attention import CALLS_AFTER, CALLS_EVERY, LOOKS
from play.errors import Unavailable
from tests.platforms.discord.gateway import Fault
from tests.platforms.discord.harness import DiscordHarness, Settled, begun, public
from tests.support.memory import MemoryStore

STEP = timedelta(seconds=CALLS_EVERY)


class Quick:
    """Ann and Bob in a quick game: Ann has moved, and Bob, who looks, has not been called."""

    def __init__(self, home: DiscordHarness, ann: Settled, bob: Settled) -> None:
        self.home, self.ann, self.bob = home, ann, bob
        self._before = self._seen()

    async def passes(self, time: timedelta) -> None:
        self.home.now += time
        self.home._paced = max(self.home._paced, self.home.now)
        await self.home.services.attention.call()
        await self.home.settle()

    def since(self) -> tuple[int, int]:
        """The messages there, and the pings of Bob, since Ann's move."""
        return self._seen()[0] - self._before[0], self._seen()[1] - self._before[1]

    def _seen(self) -> tuple[int, int]:
        return len(public(self.ann)), len(self.bob.pinged())

    async def due(self) -> list[str]:
        return list(await self.home.store.timelines.read("calls"))


@asynccontextmanager
async def quick() -> AsyncIterator[Quick]:
    async with DiscordHarness(live=True) as home:
        ann, bob = await begun(home, clock="1d")
        await bob.types("settings", warnings="off")
        before = Quick(home, ann, bob)
        home.now += timedelta(seconds=10)
        await ann.types("move", move="a2-a3")
        assert before.since() == (0, 0)
        assert len(await before.due()) == 1
        yield Quick(home, ann, bob)


async def test_who_does_nothing_is_called_once() -> None:
    async with quick() as game:
        await game.passes(CALLS_AFTER - STEP)
        assert game.since() == (0, 0)
        await game.passes(STEP)
        assert game.since() == (1, 1)
        await game.passes(CALLS_AFTER)
        await game.passes(LOOKS)
        assert (game.since(), await game.due()) == ((1, 1), [])
        assert "a2-a3" in public(game.bob)[-1].content


async def test_who_acts_is_called_a_minute_after_that() -> None:
    async with quick() as game:
        await game.passes(timedelta(seconds=50))
        await game.bob.types("board")
        await game.passes(timedelta(seconds=20))
        assert game.since()[1] == 0
        await game.passes(timedelta(seconds=40))
        assert game.since()[1] == 1


async def test_another_process_calls_after_the_first_has_ended() -> None:
    async with quick() as game:
        await game.home.close()
        await game.home.open()
        await game.passes(CALLS_AFTER)
        assert (game.since(), await game.due()) == ((1, 1), [])


async def test_two_processes_that_call_do_so_once() -> None:
    async with quick() as game:
        game.home.now += CALLS_AFTER
        await asyncio.gather(*(game.home.services.attention.call() for _ in range(2)))
        await game.home.settle()
        assert game.since() == (1, 1)


async def test_a_move_that_comes_with_a_call_is_all_that_is_shown() -> None:
    async with quick() as game:
        game.home.now += CALLS_AFTER
        await game.home.services.attention.call()
        await game.bob.types("move", move="a4-b3")
        assert game.since() == (0, 0)
        assert len(await game.due()) == 1, "that of Ann"


async def test_a_note_that_comes_with_a_call_does_not_take_its_place() -> None:
    async with quick() as game:
        game.home.now += CALLS_AFTER
        await game.home.services.attention.call()
        await game.ann.types("pause")
        assert game.since() == (1, 1)
        assert "Turn: Bob" in public(game.bob)[-1].content, "a board, and the question below it"


async def test_no_one_is_called_to_what_does_not_wait() -> None:
    async with quick() as game:
        await game.ann.types("pause")
        await game.bob.types("pause", answer="yes")
        pinged = game.since()
        await game.passes(CALLS_AFTER)
        assert (game.since(), await game.due()) == (pinged, [])
    async with quick() as game:
        await game.bob.types("resign")
        await game.bob.presses(game.bob.private()[-1], "Yes, resign")
        shown = game.since()
        await game.passes(CALLS_AFTER)
        assert (game.since(), await game.due()) == (shown, [])


async def test_a_clock_that_is_set_back_does_not_keep_a_call() -> None:
    async with quick() as game:
        await game.passes(timedelta(hours=-1))
        await game.passes(STEP)
        assert (game.since(), await game.due()) == ((1, 1), [])


async def test_who_has_muted_a_match_finds_a_fresh_board_that_calls_no_one() -> None:
    async with quick() as game:
        await game.bob.types("mute")
        await game.passes(CALLS_AFTER)
        assert game.since() == (1, 0)


async def test_who_is_away_at_the_end_finds_a_fresh_board() -> None:
    async with quick() as game:
        game.home.now += timedelta(hours=2)
        await game.ann.types("resign")
        await game.ann.presses(game.ann.private()[-1], "Yes, resign")
        assert game.since()[0] == 1


async def test_a_store_that_does_not_answer_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    async with quick() as game:
        store, calls = game.home.store, ("read", "load", "announce", "cut")
        assert isinstance(store, MemoryStore)
        await game.passes(CALLS_AFTER - STEP)
        for name in calls:
            part = store.matches if name in ("load", "announce") else store.timelines

            async def fails(*_: object, **__: object) -> None:
                raise Unavailable

            with monkeypatch.context() as patched:
                patched.setattr(part, name, fails)
                game.home.now += STEP
                with pytest.raises(Unavailable):
                    await game.home.services.attention.call()
        await game.passes(STEP)
        assert (game.since(), await game.due()) == ((1, 1), [])


async def test_who_was_to_be_called_in_a_chat_that_is_lost_is_called_in_private() -> None:
    async with quick() as game:
        game.home.discord.faults.append(Fault("POST", "/channels/[0-9]+/messages", 403, 50001, times=1))
        before = len(game.bob.pinged())
        await game.passes(CALLS_AFTER)
        assert len(game.bob.pinged()) == before + 1
        assert game.since()[0] == 0
