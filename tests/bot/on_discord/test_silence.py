"""The store does not answer: people are answered all the same, within the time that Discord waits."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.bot.on_discord.playing import begun, latest
from tests.platforms.discord.harness import DiscordHarness
from tests.support.memory import MemoryStore


def stalled(store: MemoryStore) -> asyncio.Event:
    """Have a store answer nothing until the returned event is set."""
    answers = asyncio.Event()

    def late(real: Any) -> Any:
        async def asked(*args: Any, **how: Any) -> Any:
            await answers.wait()
            return await real(*args, **how)

        return asked

    store.matches.at = late(store.matches.at)  # type: ignore[method-assign]
    store.settings.get = late(store.settings.get)  # type: ignore[method-assign]
    return answers


async def test_people_are_answered_at_once_when_the_store_is_silent() -> None:
    store = MemoryStore()
    async with DiscordHarness(store=store) as home:
        ann, bob = await begun(home)
        answers = stalled(store)
        option = {"name": "move", "type": 3, "value": "a2-a3"}
        sent = [
            await ann.sends(2, {"id": "1", "name": "move", "type": 1, "options": [option]}),
            await ann.sends(2, {"id": "1", "name": "games", "type": 1, "options": []}),
        ]
        move = next(each["custom_id"] for each in latest(ann).pressed() if each["label"] == "Move")
        sent.append(await bob.sends(3, {"component_type": 2, "custom_id": move}, latest(ann)))
        await home.discord.until(lambda: all(each.acked is not None for each in sent))
        assert [each.ack for each in sent] == [5, 5, 6]
        assert not sent[0].settled
        answers.set()
        await home.settle()
        assert all(each.settled for each in sent)
        assert "a2-a3" in latest(ann).content.replace("\\", "")


async def test_a_modal_opens_and_nothing_is_offered_while_the_store_is_silent() -> None:
    store = MemoryStore()
    async with DiscordHarness(store=store) as home:
        ann, _ = await begun(home)
        (match,) = home.matches
        answers = stalled(store)
        opened = await ann.sends(3, {"component_type": 2, "custom_id": f"type:{match}"}, latest(ann))
        option = {"name": "move", "type": 3, "value": "", "focused": True}
        typing = await ann.sends(4, {"id": "1", "name": "move", "type": 1, "options": [option]})
        await home.discord.until(lambda: opened.modal and typing.choices is not None)
        assert typing.choices == []
        answers.set()
        await home.settle()
