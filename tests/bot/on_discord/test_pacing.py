"""Many interactions of one person: the others are answered, and what was acknowledged is carried out."""

from __future__ import annotations

from typing import Any

from bot.on_discord.responses import MOST_OPEN
from tests.platforms.discord.harness import DiscordHarness
from tests.platforms.discord.people import Person

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


def _at(home: DiscordHarness, name: str) -> Person:
    """A person who does not wait for an answer before going on."""
    return Person(home.discord, home.discord.named(name, name, "en-US"), home.games)


def _data(name: str, *options: dict[str, Any]) -> dict[str, Any]:
    return {"id": "1", "name": name, "type": 1, "options": list(options)}
