"""Five hundred people of one channel press a letter within a second, on Telegram and on Discord.

The bot runs as its own process with its embedded server, and speaks to a platform on this machine, which is in this process. A third
of the people vote for each of three proposals; then a quarter change their vote. Every press is a sample: the wait for its
acknowledgement, beside what is wanted of 99 of 100. The votes are counted as a voter is told them afterwards; a wrong count fails. How
often the board was edited meanwhile, and how long until all is decided, is printed.
"""

from __future__ import annotations

import asyncio
import re
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Any, Final

from bench.measure import Budget, Goal, Row, Series
from bench.presses import spent
from tests.platforms.discord.people import Person
from tests.platforms.discord.process import BotProcess
from tests.platforms.discord.server import Discord
from tests.platforms.discord.world import Channel, Guild, Interaction, Message
from tests.platforms.telegram.crowd import NAME
from tests.platforms.telegram.process import running
from tests.platforms.telegram.server import BotApi, Json, keys, words

VOTERS: Final = 500
WITHIN: Final = 1.0  # seconds in which all press
WANTED: Final = 0.5
AGAIN: Final = 0.2  # seconds until a voter asks again how the vote stands
LETTERS: Final = "ABC"
MOVES: Final = "a2-a3", "b2-b3", "c2-c3"

_GAME: Final = "breakthrough 5x5"
_COUNTS: Final = re.compile(r"([A-H]) (\d+)")


def rows(budget: Budget) -> Sequence[Row]:
    """The bursts."""
    return asyncio.run(_rows(budget))


async def _rows(budget: Budget) -> Sequence[Row]:
    taken: list[Row] = []
    for name, play in (("Telegram", _telegram), ("Discord", _discord)):
        waits = await play(VOTERS if budget.rounds > 2 else VOTERS // 10)
        wanted = Series("wanted", (WANTED,) * len(waits))
        waited = Series("waited", tuple(waits))
        what = f"{name}: {VOTERS} people vote within a second, a quarter change their vote"
        taken.append(Row(what, "press", waited, wanted, cost=True, rate=False, goal=Goal(below=1), tail=True))
    return taken


async def _pressed(voters: int, press: Callable[[int, str], Any]) -> dict[str, int]:
    """Have people vote, and then a quarter of them change their votes, each time spread over a second; return what they voted for."""
    votes = [LETTERS[number % 3] for number in range(voters)]
    for changing in (range(voters), range(0, voters, 4)):
        if len(changing) < voters:
            for number in changing:
                votes[number] = "C"
        began = time.monotonic()
        for nth, number in enumerate(changing):
            await asyncio.sleep(max(0.0, began + nth * WITHIN / voters - time.monotonic()))
            sent = press(number, votes[number])
            if asyncio.iscoroutine(sent):
                await sent
    return {letter: votes.count(letter) for letter in LETTERS}


def _counts(said: str) -> dict[str, int]:
    return {letter: int(count) for letter, count in _COUNTS.findall(said)}


def _tell(name: str, waits: Sequence[float], then: str) -> None:
    tail = quantiles(waits, n=100, method="inclusive")[98]
    sys.stdout.write(
        f"{name}: {len(waits)} presses acknowledged in {median(waits):.3f} s (median), {tail:.3f} s (p99),"
        f" {max(waits):.3f} s (longest); {then}\n"
    )


def _then(counts: object, edits: int, seconds: float, work: float) -> str:
    return (
        f"counts {counts} exact; {edits} edits of the board; all decided {seconds:.1f} s after the first press,"
        f" with {work:.1f} s of processor time"
    )


async def _telegram(voters: int) -> Sequence[float]:
    api = BotApi()
    with TemporaryDirectory() as directory:
        async with api.serving(), running(api, Path(directory) / "data", KLOP_LOG="error") as bot:
            pid = bot.process.pid if bot.process else 0
            people = [api.human(f"Voter{number}") for number in range(voters)]
            room = api.group(-1_001, "Chess club", *people[:1])
            room.people = {each.id for each in people}

            def board() -> Json:
                return next(each for each in reversed(api.shown(room)) if "#" in words(each))

            async def shows(said: str) -> None:
                await api.until(lambda: any(said in words(each) for each in api.shown(room)))

            api.say(people[0], room, f"/challenge @{NAME} channel {_GAME} side:first")
            await shows("Propose moves")
            for number, move in enumerate(MOVES):
                api.say(people[number], room, f"/move {move}")
            await shows(f"C: {MOVES[-1]}")
            for number in range(3):
                api.say(people[3 + number], room, f"/vote {LETTERS[number]}")
            api.say(people[0], room, "/vote now")
            await shows("Vote until")
            edits, before, began = len(api.history[room.id]), spent(pid), time.monotonic()
            data = {key["text"]: key["callback_data"] for key in keys(board()) if key["text"] in LETTERS}
            at: dict[str, float] = {}

            def press(number: int, letter: str) -> None:
                at[api.press(people[number], board(), data[letter])] = api.clock()

            expected = await _pressed(voters, press)
            await api.until(lambda: at.keys() <= api.answered.keys())
            counts: dict[str, int] = {}
            while not counts:  # while many votes wait, it is not told
                await asyncio.sleep(AGAIN)
                last = api.press(people[-1], board(), data[LETTERS[(voters - 1) % 3]])
                await api.until(lambda: last in api.answered)  # noqa: B023
                counts = _counts(str(api.answered[last]["text"]))
            seconds, work = time.monotonic() - began, spent(pid) - before
            edits = len(api.history[room.id]) - edits
    answers = [each for each in api.calls if each.method == "answerCallbackQuery"]
    waits = [each.at - at[query] for each in answers if (query := each.given["callback_query_id"]) in at]
    assert len(waits) == len(at), "a press was acknowledged twice"
    assert counts == expected, (counts, expected)
    _tell("Telegram", waits, _then(counts, edits, seconds, work))
    return waits


async def _discord(voters: int) -> Sequence[float]:
    guild = Guild("Bench", channels=[hall := Channel(name="chess")])
    hall.guild = guild
    with TemporaryDirectory() as directory:
        async with Discord(guild) as discord:
            people = [
                Person(discord, discord.named(f"voter{number}", f"Voter{number}", "en-US"), hall)
                for number in range(voters)
            ]
            async with BotProcess(discord, Path(directory) / "data", {"KLOP_LOG": "error"}) as bot:
                pid = bot.process.pid
                await discord.until(lambda: discord.commands)

                def board() -> Message:
                    return next(
                        each for each in reversed(hall.messages.values()) if each.components and not each.only
                    )

                async def shows(said: str) -> None:
                    await discord.until(
                        lambda: any(
                            said in each.words.replace("\\", "")
                            for each in hall.messages.values()
                            if not each.only
                        ),
                        said,
                    )

                await people[0].types(
                    "challenge", person=discord.bot, game="breakthrough", options="5x5 channel side:first"
                )
                await shows("Propose moves")
                for number, move in enumerate(MOVES):
                    await people[number].types("move", move=move)
                await shows(f"C: {MOVES[-1]}")
                for number in range(3):
                    await people[3 + number].types("vote", choice=LETTERS[number])
                await people[0].types("vote", choice="now")
                await shows("Vote until")
                edits, before, began = len(hall.history), spent(pid), time.monotonic()
                data = {
                    each["label"]: each["custom_id"]
                    for each in board().pressed()
                    if each.get("label") in tuple(LETTERS)
                }
                sent: list[Interaction] = []

                async def press(number: int, letter: str) -> None:
                    sent.append(
                        await people[number].sends(
                            3, {"component_type": 2, "custom_id": data[letter]}, board()
                        )
                    )

                expected = await _pressed(voters, press)
                await discord.until(lambda: all(each.acked is not None for each in sent), "acknowledgements")
                await discord.until(lambda: all(each.follow_ups for each in sent), "answers")
                await press(voters - 1, LETTERS[(voters - 1) % 3])
                await discord.until(lambda: sent[-1].follow_ups, "an answer")
                seconds, work = time.monotonic() - began, spent(pid) - before
                counts = _counts(sent[-1].follow_ups[0].words)
                edits = len(hall.history) - edits
    waits = [each.acked - each.sent for each in sent[:-1] if each.acked is not None]
    assert counts == expected, (counts, expected)
    _tell("Discord", waits, _then(counts, edits, seconds, work))
    return waits
