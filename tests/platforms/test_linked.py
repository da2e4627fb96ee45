"""Two accounts of one person, on Discord and on Telegram, with one store behind both."""

from __future__ import annotations

import re

import pytest

from bot.chat.sending.delivery import Delivery
from bot.features.people.linking import LinkPoster
from tests.platforms.discord.harness import DiscordHarness, Settled
from tests.platforms.telegram.harness import HALL, TelegramHarness, telegram_bot
from tests.platforms.telegram.server import keys, words


async def posted(f: TelegramHarness, home: DiscordHarness) -> None:
    """Have the questions about links and their answers posted."""
    store = f.store
    delivery = Delivery(store.outgoing(), store.bucket(), f.services.composer, now=f._paced, sleep=f._sleep)
    poster = LinkPoster(store, delivery, [f.telegram.courier, home.platform.courier], "en")
    await poster.tick()
    await poster.tick()


def told(home: DiscordHarness, who: Settled) -> list[str]:
    """What the bot has written in a person's conversation with it."""
    return [each.content for each in home.discord.conversation(who.user.id).messages.values()]


@pytest.mark.parametrize("agreed", [True, False])
async def test_one_person_plays_on_both(agreed: bool) -> None:
    async with telegram_bot() as f, DiscordHarness(store=f.store) as home:
        bohdan, ann = f.api.human("Bohdan"), f.api.human("Ann")
        hall = f.api.group(HALL, "Hall", bohdan, ann)
        await f.say(bohdan, hall, "/challenge ann breakthrough 4x5")
        await f.press(ann, f.board(hall), "Accept")
        (match,) = f.matches
        await f.say(bohdan, None, "/link")
        found = re.search(r"/link (\w{8})", words(f.api.last(bohdan)))
        assert found
        bob = home.person("bob")
        await bob.types("games")
        assert match.id not in bob.private()[-1].content
        await bob.types("link", code=found[1])
        assert "Bohdan on Telegram" in bob.private()[-1].content
        await bob.presses(bob.private()[-1], "Yes, it is mine")
        await bob.types("games")
        assert match.id not in bob.private()[-1].content
        await posted(f, home)
        question = f.api.last(bohdan)
        assert "Bob on Discord" in words(question)
        assert await f.tap(ann, question, keys(question)[0]["callback_data"]) is not None
        if not agreed:
            await f.press(bohdan, question, "No")
            await posted(f, home)
            assert told(home, bob) == ["Bohdan on Telegram said no. Not linked: nothing passes over."]
            await bob.types("games")
            assert match.id not in bob.private()[-1].content
            return
        await f.press(bohdan, question, "Yes, it is mine")
        await posted(f, home)
        assert [each.partition(":")[0] for each in told(home, bob)] == [
            "From now on you are the same person here and there"
        ]
        await bob.types("games")
        assert match.id in bob.private()[-1].content
        await bob.types("move", move="a2-a3", match=match.id)
        (match,) = f.matches
        assert len(match.log) == 1
        assert match.log[0].seat == 0
        # What one account has chosen, the other has.
        await bob.types("settings", theme="dark")
        await f.say(bohdan, None, "/settings")
        assert "dark" in words(f.api.last(bohdan))
        await bob.types("unlink")
        await bob.types("games")
        assert match.id not in bob.private()[-1].content
