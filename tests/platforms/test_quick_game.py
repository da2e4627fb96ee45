"""A quick game of two friends is one message that changes: what it leaves in a chat, and what it costs the platforms.

`pytest -q -s tests/platforms/test_quick_game.py` prints the figures of each pace.
"""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from datetime import timedelta
from random import Random
from typing import Any, Final, TypeAlias

import pytest

from bot.chat.sending.attention import CALLS_AFTER, CALLS_EVERY
from play.actions.playing import MakeMove
from play.match import Match
from play.request import Request
from play.table import Table
from tests.platforms.discord.harness import DiscordHarness, Settled, begun, public
from tests.platforms.telegram.harness import TelegramHarness, keys, telegram_bot, words
from tests.platforms.telegram.server import Human, Room

STEP: Final = timedelta(seconds=CALLS_EVERY)
BOARD: Final = "board:5x5"
PACES: Final = [(3, 30, 0), (10, 30, 0), (30, 30, 0), (70, 6, 1), (100, 6, 1), (7200, 6, 1)]
"""Seconds between the moves, how many of them, and how many messages and pings each of them leaves."""

Move: TypeAlias = tuple[int, str, tuple[str, ...]]
"""Who is on turn, a move, and the steps in which it is picked."""


def _move(table: Table, match: Match) -> Move:
    position, notation = table.course(match).position, table.games[match.game].notation
    going_on = [move for move in position.legal_moves() if position.play(move).outcome is None]
    move = Random(len(match.log)).choice(going_on)
    return int(position.to_move), notation.format(move), tuple(notation.steps(move))


async def _wait(home: Any, settle: Callable[[], Awaitable[None]], seconds: int) -> None:
    """Let time pass, and whoever is to be called by then be called."""
    begun, until = home.now, home.now + timedelta(seconds=seconds)
    for at in sorted({begun + STEP, begun + CALLS_AFTER, begun + CALLS_AFTER + STEP, until}):
        if at <= until:
            home.now = at
            await home.services.attention.call()
            await settle()


# Discord.


async def _pressed(home: DiscordHarness, who: Settled, move: str, steps: tuple[str, ...]) -> None:
    before = len(_log(home))
    (*_, board) = (each for each in who.sees() if "Move" in _labels(each))
    await who.presses(board, "Move")
    for step in (*steps, "Play"):
        if len(_log(home)) > before:
            return
        labels = _labels(who.private()[-1])
        (chosen, *_) = (
            label for label in labels if label == move or (move not in labels and label.startswith(step))
        )
        await who.presses(who.private()[-1], chosen)


def _labels(message: Any) -> list[str]:
    return [each.get("label") or "" for each in message.pressed()]


def _log(home: DiscordHarness) -> Any:
    (match,) = home.matches.values()
    return match.log


async def _typed(_home: DiscordHarness, who: Settled, move: str, _steps: tuple[str, ...]) -> None:
    await who.types("move", move=move)


async def _on_discord(seconds: int, moves: int, play: Callable[..., Awaitable[None]]) -> Counter[str]:
    """Play some moves, with so many seconds between them; return what they left, and what was asked of Discord."""
    async with DiscordHarness(live=True) as home:
        people = await begun(home, options=BOARD)
        for one in people:
            await one.types("settings", warnings="off")
        found = Counter[str]()
        found.subtract(_left_on_discord(home, people))
        for _ in range(moves):
            await _wait(home, home.settle, seconds)
            home._paced = max(home._paced, home.now)
            (match,) = home.matches.values()
            seat, move, steps = _move(home.table, match)
            await play(home, people[seat], move, steps)
        await _wait(home, home.settle, seconds)
        found.update(_left_on_discord(home, people))
        assert len(_log(home)) == moves
        assert len([each for each in public(people[0]) if "Move" in _labels(each)]) == 1
        return found


def _left_on_discord(home: DiscordHarness, people: tuple[Settled, Settled]) -> Counter[str]:
    pings = sum(len(one.pinged()) for one in people)
    requests = len(home.discord.requests)
    return Counter(messages=len(public(people[0])), pings=pings, requests=requests)


@pytest.mark.parametrize("play", [_pressed, _typed])
@pytest.mark.parametrize(("seconds", "moves", "each"), PACES)
async def test_on_discord(seconds: int, moves: int, each: int, play: Callable[..., Awaitable[None]]) -> None:
    found = await _on_discord(seconds, moves, play)
    _print("Discord", play, seconds, moves, found)
    assert (found["messages"], found["pings"]) == (each * moves, each * moves)
    assert found["requests"] <= (6 if each else 3) * moves


# Telegram.


async def _picked(home: TelegramHarness, who: Human, hall: Room, move: str, steps: tuple[str, ...]) -> None:
    before = len(home.matches[-1].log)
    begins = () if len(keys(home.board(hall))) > len(("Move", "More…")) else ("Move",)
    for step in (*begins, *steps, "Play"):
        board = home.board(hall)
        found = [
            key["callback_data"]
            for key in keys(board)
            if key["text"].startswith(step) or key["callback_data"].endswith(step)
        ]
        if found and len(home.matches[-1].log) == before:
            pressed_at = home._seconds()
            await home.tap(who, board, found[0])
            (*_, acknowledged) = (each.at for each in home.api.calls if each.method == "answerCallbackQuery")
            assert acknowledged == pressed_at, "however long the edits wait"


async def _said(home: TelegramHarness, who: Human, hall: Room, move: str, _steps: tuple[str, ...]) -> None:
    await home.say(who, hall, f"/move {move}")


async def _on_telegram(seconds: int, moves: int, play: Callable[..., Awaitable[None]]) -> Counter[str]:
    async with telegram_bot(live=True) as home:
        *people, hall = await home.begun(f"breakthrough {BOARD}")
        for one in people:
            await home.say(one, hall, "/settings warnings:off")
        found, asked = Counter(messages=-len(home.api.shown(hall))), len(home.api.calls)
        for _ in range(moves):
            await _wait(home, home.settled, seconds)
            seat, move, steps = _move(home.table, home.matches[-1])
            await play(home, people[seat], hall, move, steps)
        await _wait(home, home.settled, seconds)
        calls = home.api.calls[asked:]
        assert len(home.matches[-1].log) == moves
        found["messages"] += len(home.api.shown(hall))
        found["posts"] = sum(call.method.startswith("send") for call in calls)
        found["edits"] = sum(call.method.startswith("edit") for call in calls)
        times = [call.at for call in calls if call.method.startswith(("send", "edit"))]
        found["minute"] = max(sum(at <= each < at + 60 for each in times) for at in times)
        assert len([each for each in home.api.shown(hall) if keys(each)]) == 1
        return found


@pytest.mark.parametrize("play", [_picked, _said])
@pytest.mark.parametrize(("seconds", "moves", "each"), PACES)
async def test_on_telegram(seconds: int, moves: int, each: int, play: Callable[..., Awaitable[None]]) -> None:
    """A typed move leaves a message below the board, so there is a fresh one."""
    found = await _on_telegram(seconds, moves, play)
    _print("Telegram", play, seconds, moves, found)
    each = each if play is _picked else 1
    assert (found["messages"], found["posts"]) == (each * moves, each * moves)
    if each:  # one for each press, and the old board, which may have changed before
        assert found["edits"] <= (5 if play is _picked else 1) * moves
    else:  # a board that changes has keys to pick on; the first one has to be asked for them
        assert found["edits"] <= 3 * moves + 1
    assert found["minute"] <= 20


async def test_moves_that_come_while_an_edit_waits_are_one_edit_that_names_them() -> None:
    async with telegram_bot(live=True) as home:
        _, _, hall = await home.begun(f"breakthrough {BOARD}")
        pace, waiting = _Pace(home), ""
        while not pace.held.is_set():
            waiting = await _moved(home)
        shown = _edits(home)
        missed = [await _moved(home) for _ in range(2)]
        assert _edits(home) == shown
        pace.goes_on.set()
        await home.settled()
        assert _edits(home) == shown + 2, "what waited, and what came meanwhile"
        caption = words(home.board(hall))
        assert all(each in caption for each in missed), caption
        assert waiting not in caption


async def test_in_a_group_what_is_picked_does_not_hold_up_boards() -> None:
    async with telegram_bot(live=True) as home:
        ann, bob, hall = await home.begun(f"breakthrough {BOARD}")
        other = home.board(hall)
        await home.begin(hall, ann, bob, f"breakthrough {BOARD}")
        newer = home.board(hall)
        pace = _Pace(home)
        while not pace.held.is_set():
            await _moved(home)
        asked = len(home.api.calls)
        press = home.api.press(ann, other, keys(other)[0]["callback_data"])
        await home.api.until(lambda: press in home.api.answered)
        pace.goes_on.set()
        await home.settled()
        edited = [
            int(call.given["message_id"]) for call in home.api.calls[asked:] if call.method.startswith("edit")
        ]
        assert edited == [newer["message_id"], other["message_id"]]


class _Pace:
    """Holds back what waits for its turn on Telegram, until it `goes_on`."""

    def __init__(self, home: TelegramHarness) -> None:
        self.held, self.goes_on = asyncio.Event(), asyncio.Event()
        self._sleep, home.telegram._turns._sleep = home.telegram._turns._sleep, self._wait

    async def _wait(self, seconds: float) -> None:
        self.held.set()
        await self.goes_on.wait()
        await self._sleep(seconds)


async def _moved(home: TelegramHarness) -> str:
    """Make a move of the match that was changed last, as on another platform; have it read, and delivered if it is its turn."""
    match = home.matches[-1]
    seat, move, _ = _move(home.table, match)
    player = match.chairs[seat].player
    assert player is not None
    await home.table.act(match.id, MakeMove(move), Request(player, home.now))
    await home.sender._round()
    for _ in range(100):
        await asyncio.sleep(0)
    return move


def _edits(home: TelegramHarness) -> int:
    return sum(call.method.startswith("edit") for call in home.api.calls)


def _print(place: str, play: Callable[..., object], seconds: int, moves: int, found: Counter[str]) -> None:
    how = "pressed" if play in (_pressed, _picked) else "typed"
    figures = ", ".join(f"{count} {name}" for name, count in found.items())
    sys.stdout.write(f"\n{place}, {moves} moves {how}, {seconds} s between them: {figures} ")
