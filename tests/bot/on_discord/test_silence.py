"""The store does not answer: people are answered all the same, within the time that Discord waits."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from play.match import Match
from play.people import Account, Address
from play.settings import Settings
from storage.memory import MemoryStore
from storage.memory.matches import MemoryMatches
from storage.memory.people import MemorySettings
from tests.bot.on_discord.playing import begun, latest
from tests.platforms.discord.harness import DiscordHarness


class Stalled(MemoryStore):
    """A store that does not answer for a while."""

    def __init__(self) -> None:
        super().__init__()
        self.answers = asyncio.Event()
        self.answers.set()
        self.matches = _Matches(self.clock, self.timers, self.outbox)
        self.settings = _Settings()
        self.matches.answers = self.settings.answers = self.answers


class _Matches(MemoryMatches):
    answers: asyncio.Event

    async def at(self, address: Address, *, over: bool = True) -> Sequence[Match]:
        await self.answers.wait()
        return await super().at(address, over=over)


class _Settings(MemorySettings):
    answers: asyncio.Event

    async def get(self, whose: Account | Address) -> Settings:
        await self.answers.wait()
        return await super().get(whose)


async def test_people_are_answered_at_once_when_the_store_is_silent() -> None:
    store = Stalled()
    async with DiscordHarness(store=store) as home:
        ann, bob = await begun(home)
        store.answers.clear()
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
        store.answers.set()
        await home.settle()
        assert all(each.settled for each in sent)
        assert "a2-a3" in latest(ann).content.replace("\\", "")


async def test_a_modal_opens_and_nothing_is_offered_while_the_store_is_silent() -> None:
    store = Stalled()
    async with DiscordHarness(store=store) as home:
        ann, _ = await begun(home)
        (match,) = home.matches
        store.answers.clear()
        opened = await ann.sends(3, {"component_type": 2, "custom_id": f"type:{match}"}, latest(ann))
        data = {
            "id": "1",
            "name": "move",
            "type": 1,
            "options": [{"name": "move", "type": 3, "value": "", "focused": True}],
        }
        typing = await ann.sends(4, data)
        await home.discord.until(lambda: opened.modal and typing.choices is not None)
        assert typing.choices == []
        store.answers.set()
        await home.settle()
