"""A quick game of two friends is one message that changes, on Discord and in a group of Telegram: what it costs them, and the platforms."""

from __future__ import annotations

import re
from datetime import timedelta
from random import Random
from typing import Any, Final

import pytest

from play.match import Match
from play.table import Table
from tests.platforms.discord.harness import DiscordHarness, begun, public
from tests.platforms.telegram.harness import keys, telegram_bot, words


def _move(table: Table, match: Match) -> tuple[int, str, tuple[str, ...]]:
    """Return who is on turn, a move that does not end the game, and its steps."""
    position, notation = table.course(match).position, table.games[match.game].notation
    going_on = [move for move in position.legal_moves() if position.play(move).outcome is None]
    move = Random(len(match.log)).choice(going_on)
    return int(position.to_move), notation.format(move), tuple(notation.steps(move))


async def _pressed(home: DiscordHarness, who: Any, move: str, steps: tuple[str, ...]) -> None:
    board = [each for each in public(who) if any(one.get("label") == "Move" for one in each.pressed())][-1]
    before = len(next(iter(home.matches.values())).log)
    await who.presses(board, "Move")
    for step in (*steps, "Play"):
        if len(next(iter(home.matches.values())).log) > before:
            return
        labels = [one.get("label") or "" for one in who.private()[-1].pressed()]
        await who.presses(
            who.private()[-1],
            move if move in labels else next(label for label in labels if label.startswith(step)),
        )


MOVES: Final = 30


@pytest.mark.parametrize("seconds", [10])
async def test_discord(seconds: int) -> None:
    async with DiscordHarness(live=True) as home:
        people = await begun(home, options="board:5x5")
        for one in people:
            await one.types("settings", warnings="off")
        shown, asked = len(public(people[0])), len(home.discord.requests)
        pings = sum(len(one.pinged()) for one in people)
        for _ in range(MOVES):
            (match,) = home.matches.values()
            for _ in range(seconds // 2):
                home.now += timedelta(seconds=2)
                await home.services.attention.call()
            await home.settle()
            home._paced = home.now
            seat, move, steps = _move(home.table, match)
            await _pressed(home, people[seat], move, steps)
        from collections import Counter

        c = Counter(
            (r.method, re.sub("[0-9]{5,}|/aW[^/]*", "N", r.path)[:60], r.status)
            for r in home.discord.requests[asked:]
        )
        print(
            "\n",
            seconds,
            len(public(people[0])) - shown,
            sum(len(one.pinged()) for one in people) - pings,
            len(home.discord.requests) - asked,
        )
        for k, v in c.items():
            print(v, k)
        print(public(people[0])[-1].content)


@pytest.mark.parametrize("seconds", [10])
async def test_telegram(seconds: int) -> None:
    async with telegram_bot(live=True) as home:
        ann, bob, hall = await home.begun("breakthrough 5x5")
        for one in (ann, bob):
            await home.say(one, hall, "/settings warnings:off")
        shown, asked = len(home.api.shown(hall)), len(home.api.calls)
        for _ in range(MOVES):
            match = home.matches[-1]
            for _ in range(seconds // 2):
                home.now += timedelta(seconds=2)
                await home.services.attention.call()
            await home.settled()
            seat, move, steps = _move(home.table, match)
            who = (ann, bob)[seat]
            before = len(home.matches[-1].log)
            for step in ("Move", *steps, "Play"):
                if len(home.matches[-1].log) > before:
                    break
                board = home.board(hall)
                print(before, step, move, [(k["text"], k["callback_data"]) for k in keys(board)][:20])
                found = [
                    k for k in keys(board) if k["text"].startswith(step) or k["callback_data"].endswith(step)
                ]
                if found:
                    await home.tap(who, board, found[0]["callback_data"])
        from collections import Counter

        print("\n", seconds, len(home.api.shown(hall)) - shown)
        print(Counter(c.method for c in home.api.calls[asked:]))
        print(words(home.board(hall)), [key["text"] for key in keys(home.board(hall))])
