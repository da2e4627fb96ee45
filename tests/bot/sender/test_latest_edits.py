"""The newest edit of each message: what becomes of it while the platform takes none."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from bot.chat.sending import posted
from bot.chat.sending.ports import RetryAfter, Transient
from bot.chat.sending.posted import LatestEdits
from tests.support.waiting import eventually


async def _never(_seconds: float) -> None:
    await asyncio.Event().wait()


def _failing(*errors: Exception, made: list[str], name: str = "") -> Callable[[], Awaitable[None]]:
    left = list(errors)

    async def edit() -> None:
        if left:
            raise left.pop(0)
        made.append(name)

    return edit


async def test_an_edit_is_made_again_after_the_time_that_the_platform_demands() -> None:
    made: list[str] = []
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    edits = LatestEdits(sleep)
    await edits.show("a", _failing(Transient(), Transient(), RetryAfter(7), made=made))
    assert made == [""]
    assert pauses == [0.5, 1.0, 7]
    with pytest.raises(ValueError, match="wrong"):
        await edits.show("a", _failing(ValueError("wrong"), made=made))


async def test_an_edit_is_replaced_by_a_newer_one_and_goes_on_without_the_one_who_waits() -> None:
    made: list[str] = []
    go = asyncio.Event()

    async def sleep(_seconds: float) -> None:
        await go.wait()

    edits = LatestEdits(sleep)
    older = asyncio.create_task(edits.show("a", _failing(RetryAfter(2), made=made, name="older")))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    newer = asyncio.create_task(edits.show("a", _failing(made=made, name="newer")))
    await older
    newer.cancel()
    go.set()
    await eventually(lambda: made == ["newer"])


async def test_edits_that_wait_are_bounded_in_number_and_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posted, "MOST", 2)
    made: list[str] = []
    edits = LatestEdits(_never)
    waiting = [
        asyncio.create_task(edits.show(ref, _failing(RetryAfter(9), made=made))) for ref in ("a", "b", "c")
    ]
    await waiting[0]  # given up for the third
    edits.close()
    await asyncio.gather(*waiting)
    await LatestEdits(_never, lasts=0).show("a", _failing(RetryAfter(9), made=made))
    assert made == []
