"""Many interactions of one person: the others are answered, and what was acknowledged is carried out."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from bot.on_discord.responses import MOST_OPEN
from tests.bot.on_discord.playing import begun, latest
from tests.platforms.discord.faults import Fault, too_fast
from tests.platforms.discord.harness import DiscordHarness
from tests.platforms.discord.people import Person
from tests.support.waiting import eventually

_ANSWER = "/webhooks/.*/messages/.*"
_COMMAND = 2
_COMPLETE = 4


async def test_many_interactions_of_one_person_delay_no_one_else(home: DiscordHarness) -> None:
    ann, bob = _at(home, "ann"), _at(home, "bob")
    many = [await ann.sends(_COMMAND, _data("games")) for _ in range(3 * MOST_OPEN)]
    other = await bob.sends(_COMMAND, _data("help"))
    await home.discord.until(lambda: other.settled, "an answer")
    await home.settle()
    acknowledged = [each for each in many if each.acked is not None]
    assert len(acknowledged) >= MOST_OPEN
    assert all(each.settled for each in acknowledged)


async def test_completions_are_offered_for_what_was_typed_last(home: DiscordHarness) -> None:
    ann = _at(home, "ann")
    typed = {"name": "game", "type": 3, "focused": True}
    sent = [await ann.sends(_COMPLETE, _data("rules", {**typed, "value": text})) for text in ("k", "b", "br")]
    await home.discord.until(lambda: sent[-1].choices is not None, "completions")
    assert [each["value"] for each in sent[-1].choices or ()] == ["breakthrough"]
    await home.settle()


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
