"""What is acknowledged is carried out, and only that: with many of one person, a process that ends, a store or a Discord that fails."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from bot.chat.i18n import words
from bot.platforms.discord.adapter import MOST_OPEN
from play.errors import Unavailable
from storage.ports import Update
from tests.bot.on_discord.playing import begun, latest
from tests.platforms.discord.faults import Fault, too_fast
from tests.platforms.discord.harness import DiscordHarness
from tests.platforms.discord.people import Person
from tests.support.waiting import eventually

_ANSWER = "/webhooks/.*/messages/.*"
_COMMAND = 2
_COMPLETE = 4
_MOVE = {"name": "move", "type": 3, "value": "a2-a3"}


async def test_many_interactions_of_one_person_delay_no_one_else(home: DiscordHarness) -> None:
    ann, bob = _at(home, "ann"), _at(home, "bob")
    many = [await ann.sends(_COMMAND, _data("games")) for _ in range(3 * MOST_OPEN)]
    other = await bob.sends(_COMMAND, _data("help"))
    await home.discord.until(lambda: other.settled, "an answer")
    await home.settle()
    acknowledged = [each for each in many if each.acked is not None]
    assert len(acknowledged) >= MOST_OPEN
    assert all(each.settled for each in acknowledged)


async def test_of_one_person_no_more_wait_to_be_stored(
    home: DiscordHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, bob = _at(home, "ann"), _at(home, "bob")
    receiver, answers = home.platform._intake.receiver, asyncio.Event()
    accept = receiver.accept
    came: list[str] = []

    async def late(updates: Sequence[Update]) -> None:
        came.extend(each.person for each in updates)
        home.discord.moved()
        await answers.wait()
        await accept(updates)

    monkeypatch.setattr(receiver, "accept", late)
    many = [await ann.sends(_COMMAND, _data("games")) for _ in range(2 * MOST_OPEN)]
    await bob.sends(_COMMAND, _data("help"))
    await home.discord.until(lambda: str(bob.user.id) in came)
    answers.set()
    await home.settle()
    assert came.count(str(ann.user.id)) == MOST_OPEN
    assert sum(each.acked is not None for each in many) > MOST_OPEN, "the next is refused in words"


async def test_completions_are_offered_for_what_was_typed_last(home: DiscordHarness) -> None:
    ann = _at(home, "ann")
    typed = {"name": "game", "type": 3, "focused": True}
    sent = [await ann.sends(_COMPLETE, _data("rules", {**typed, "value": text})) for text in ("k", "b", "br")]
    await home.discord.until(lambda: sent[-1].choices is not None, "completions")
    assert [each["value"] for each in sent[-1].choices or ()] == ["breakthrough"]
    await home.settle()


@pytest.mark.parametrize("over_http", [False, True])
async def test_what_was_acknowledged_is_done_by_the_next_process(
    over_http: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with DiscordHarness(over_http=over_http) as home:
        ann, bob = await begun(home)
        monkeypatch.setattr(home.platform._intake.receiver, "_put", lambda _: None)  # the process ends
        done = await ann.sends(_COMMAND, _data("move", _MOVE))
        await home.discord.until(lambda: done.acked)
        await home.close()
        assert done.waiting
        await home.open()
        await home.settle()
        assert done.settled
        assert latest(ann).pings == (bob.user.id,)


@pytest.mark.parametrize("over_http", [False, True])
async def test_what_only_reads_is_answered_while_the_store_takes_nothing(
    over_http: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with DiscordHarness(over_http=over_http) as home:

        async def away(_: object) -> None:
            raise Unavailable

        with monkeypatch.context() as patch:
            patch.setattr(home.platform._intake.receiver, "accept", away)
            done = await home.person("ann", "uk").types("games")
        assert done.settled
        assert done.original is not None
        assert done.original.words.startswith(words("uk")("bot.games.none").split(".")[0])


@pytest.mark.parametrize(("status", "code", "moves"), [(404, 10062, 0), (None, 0, 1), (400, 40060, 1)])
async def test_what_discord_takes_for_failed_is_not_done(
    home: DiscordHarness, status: int | None, code: int, moves: int
) -> None:
    """The person does it again. What may have been acknowledged is done: they see that the bot thinks."""
    ann, _ = await begun(home)
    home.discord.faults.append(Fault("POST", ".*/callback", status, code, after=status != 404))
    await ann.sends(_COMMAND, _data("move", _MOVE))
    await home.discord.until(lambda: not home.discord.faults)
    await home.settle()
    (match,) = home.matches.values()
    assert len(match.log) == moves


@pytest.mark.parametrize(
    "fault",
    [
        too_fast(_ANSWER, 30.0, method="PATCH"),
        Fault("PATCH", _ANSWER, 429, headers={"Retry-After": "30"}),  # of the proxy before Discord
        Fault("PATCH", _ANSWER, 502, times=7),
        Fault("PATCH", _ANSWER, 503, times=7),
        Fault("PATCH", _ANSWER, None, times=2),
    ],
)
async def test_an_answer_is_shown_as_soon_as_discord_takes_it(home: DiscordHarness, fault: Fault) -> None:
    ann, _ = await begun(home)
    home.discord.faults.append(fault)
    await ann.types("board")
    assert fault not in home.discord.faults
    assert "Turn" in ann.private()[-1].content
    await ann.presses(latest(ann), "Move")
    picking = ann.private()[-1]
    await ann.presses(picking, "Step by step")
    fault.times = 1
    home.discord.faults.append(fault)
    await ann.presses(picking, "b2")
    assert "b2/b3" in str(picking.components)


async def test_what_waits_is_replaced_by_the_answer_to_a_later_press(home: DiscordHarness) -> None:
    ann, _ = await begun(home)
    await ann.presses(latest(ann), "Move")
    picking, go = ann.private()[-1], asyncio.Event()
    await ann.presses(picking, "Step by step")
    men = [key["custom_id"] for key in picking.pressed() if key["label"] in ("a2", "b2")]

    async def sleep(_seconds: float) -> None:
        await go.wait()

    home.platform._responder._edits._sleep = sleep
    home.discord.faults.append(too_fast(_ANSWER, 0.2, method="PATCH"))
    made, wanted = len(home.discord.asked("PATCH", _ANSWER)), home.platform._responder._edits._wanted
    await _at(home, "ann").presses(picking, men[0], forged=True)
    await eventually(lambda: len(home.discord.asked("PATCH", _ANSWER)) > made)
    (first,) = wanted.values()
    await _at(home, "ann").presses(picking, men[1], forged=True)
    await eventually(lambda: first not in wanted.values())
    go.set()
    await home.settle()
    assert "b2/b3" in str(picking.components)
    assert len(home.discord.asked("PATCH", _ANSWER)) == made + 2


def _at(home: DiscordHarness, name: str) -> Person:
    """A person who does not wait for an answer before going on."""
    return Person(home.discord, home.discord.named(name, name, "en-US"), home.games)


def _data(name: str, *options: dict[str, Any]) -> dict[str, Any]:
    return {"id": "1", "name": name, "type": 1, "options": list(options)}
