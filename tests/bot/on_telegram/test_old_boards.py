"""Old boards stay, shrink or are deleted, as the admins of a group choose."""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO

import pytest
from PIL import Image

from tests.platforms.telegram.harness import HALL, TelegramHarness, keys, telegram_bot
from tests.platforms.telegram.server import Json, Refusal


@pytest.mark.parametrize("chosen", ["keep", "shrink", "delete", "too late to delete"])
async def test_an_old_board_becomes_what_was_chosen(monkeypatch: pytest.MonkeyPatch, chosen: str) -> None:
    async with telegram_bot(pictures=True) as f:
        ann, bob = f.api.human("Ann"), f.api.human("Bob")
        hall = f.api.group(HALL, "Hall", ann, bob, admin=True)
        hall.admins.add(ann.id)
        await f.say(ann, hall, f"/config old-boards:{chosen.rsplit(maxsplit=1)[-1]}")
        await f.begin(hall, ann, bob)
        board, before = f.board(hall), len(f.api.shown(hall))
        whole = _size(board["png"])
        if chosen.startswith("too late"):
            monkeypatch.setattr(f.api, "_deleteMessage", _late)
        await f.say(ann, hall, "/move a2-a3")
        if chosen == "delete":
            assert len(f.api.shown(hall)) == before
            assert board not in f.api.shown(hall)
            return
        assert len(f.api.shown(hall)) == before + 1
        assert keys(board) == []
        assert (_size(board["png"]) == whole) is (chosen != "shrink")
        assert _size(f.board(hall)["png"]) == whole


async def _late(_given: Json, _files: Mapping[str, bytes]) -> bool:
    raise Refusal(400, "Bad Request: message can't be deleted for everyone")


def _size(picture: bytes) -> tuple[int, int]:
    with Image.open(BytesIO(picture)) as image:
        return image.size


async def test_an_orphan_loses_its_keys_once_it_is_pressed(f: TelegramHarness) -> None:
    """A process ended after it sent a board, and before it stored that."""
    ann, bob, hall = await f.begun()
    stored = f.store.outgoing()
    (match,) = f.matches
    before = await stored.shown(match.id, match.addresses[0])
    await f.say(ann, hall, "/move a2-a3")
    orphan = f.board(hall)
    await stored.set_shown(match.id, match.addresses[0], before)
    await f.say(bob, hall, "/move d4-d3")
    assert keys(orphan)
    assert f.board(hall) != orphan
    alert = await f.press(bob, orphan, "Move")
    assert alert
    assert alert.startswith("The match has moved on meanwhile")
    assert not keys(orphan)
    assert keys(f.board(hall))


async def test_a_late_press_leaves_the_board_its_keys(f: TelegramHarness) -> None:
    """It is refused, and the message is the one that is remembered."""
    ann, bob, hall = await f.begun()
    board = f.board(hall)
    old = next(key["callback_data"] for key in keys(board) if key["text"] == "Move")
    await f.say(ann, hall, "/move a2-a3")
    await f.say(bob, hall, "/move d4-d3")
    assert await f.tap(ann, f.board(hall), old)
    assert keys(f.board(hall))
