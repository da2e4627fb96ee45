"""What the platforms tell of a visitor: what the place is called, who was seen there, and other places that can be named."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import pytest_asyncio

from bot.chat.context import Context
from bot.chat.desk import Desk
from bot.chat.seen import count_seen, first_seen
from play.people import Account, Address
from tests.bot.platforms.console.test_room import Stage
from tests.platforms.discord.harness import DiscordHarness, begun, latest
from tests.platforms.discord.world import DM, GROUP, THREAD, Channel, Guild
from tests.platforms.telegram.harness import HALL, telegram_bot


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Context]:
    """The contexts of all requests, in order."""
    contexts, whole = list[Context](), Desk._note_visit

    async def note(desk: Desk, visitor: Any, known: Any, context: Context, **more: Any) -> None:
        contexts.append(context)
        await whole(desk, visitor, known, context, **more)

    monkeypatch.setattr(Desk, "_note_visit", note)
    return contexts


def named(asked: list[Context]) -> str | None:
    """What the place of the last request is called."""
    return asked[-1].visitor.place_name


async def test_a_room_has_its_name(asked: list[Context]) -> None:
    await Stage().room.answer("/games")
    assert named(asked) == "room"
    assert asked[-1].visitor.find_place is None
    assert await asked[-1].naming_place() == (asked[-1], None)


# Discord.


@pytest.mark.parametrize("over_http", [False, True], ids=["gateway", "endpoint"])
async def test_a_channel_of_discord_has_its_name_and_that_of_its_server(
    asked: list[Context], over_http: bool
) -> None:
    async with DiscordHarness(over_http=over_http) as home:
        ann, _ = await begun(home)
        server = "" if over_http else f" · {home.guild.name}"
        assert named(asked) == f"#{home.games.name}{server}"
        assert [each.visitor.member_since for each in asked[-1:]] == [datetime(2020, 1, 1, tzinfo=UTC)]
        home.games.name = "\u202eche\nss" + 99 * "s"
        await home.close()
        await home.open()
        await ann.presses(latest(ann), "More…")
        name = named(asked) or ""
        assert name.startswith("#che sss")
        assert len(name) == 64
        thread = home.discord.add(Channel(THREAD, "endgames", home.guild, home.games, owner=ann.user.id))
        await ann.at(thread).types("games")
        assert (named(asked) or "").startswith("#endgames")
        alone = home.discord.add(Channel(DM, people=(ann.user,)))
        await ann.at(alone).types("games")
        assert named(asked) is None
        assert not asked[-1].visitor.member_since
        friends = home.discord.add(Channel(GROUP, people=(ann.user, home.person("bob").user)))
        await ann.at(friends).types("games")
        assert named(asked) == "Ann, Bob"
        chat = Address("discord", str(home.games.id))
        since = await first_seen(home.store, chat, [Account("discord", str(ann.user.id))])
        assert since != [None]
        assert await count_seen(home.store, chat) == 2
        assert await count_seen(home.store, Address("discord", str(alone.id))) == 0


@pytest_asyncio.fixture
async def home() -> AsyncIterator[DiscordHarness]:
    async with DiscordHarness() as home:
        yield home


async def test_another_channel_of_the_server_is_named(home: DiscordHarness, asked: list[Context]) -> None:
    ann = home.person("ann")
    names = ("other-channel", "шахи", "gems", "aaaaab", "locked", "secret", "twins", "twins")
    channels = [home.discord.add(Channel(name=name, guild=home.guild)) for name in names]
    home.guild.channels += channels
    other, chess, gems, coded, locked, secret, *_ = channels
    locked.hidden_from.add(home.discord.bot.id)
    secret.hidden_from.add(ann.user.id)

    async def meant(words: str) -> tuple[Channel | None, str | None, tuple[str, ...]]:
        await ann.types("challenge", options=words)
        context, found = await asked[-1].naming_place()
        where = next((each for each in channels if found and found[0].place == str(each.id)), None)
        assert found is None or (where and found[1] == f"#{where.name} · {home.guild.name}")
        return where, context.command.code, context.command.words

    assert await meant(f"<#{other.id}> board:6x6") == (other, None, ())
    assert await meant("#Other-Channel rated") == (other, None, ("rated",))
    assert await meant("rated #шахи") == (chess, None, ("rated",))
    assert await meant("#gems") == (gems, None, ())
    assert await meant("#AAAAAB") == (coded, None, ())
    for name in (f"<#{locked.id}>", f"<#{secret.id}>", "<#1>", "#twins", "#nothing-there"):
        assert (await meant(name))[0] is None, name
    await begun(home)
    (match,) = home.matches
    coded.name = match
    assert await meant(f"#{match}") == (None, match, ()), "the match has that code"
    elsewhere = Channel(name="far-away")
    home.discord.guilds.append(Guild("Elsewhere", channels=[elsewhere]))
    assert (await meant("#far-away"))[0] is None


# Telegram.


async def test_a_group_of_telegram_has_its_title_and_that_of_the_topic(asked: list[Context]) -> None:
    async with telegram_bot() as f:
        ann, bob, hall = await f.begun()
        assert named(asked) == "Hall"
        await f.say(ann, hall, "/games")
        assert (named(asked), asked[-1].visitor.find_place) == ("Hall", None)
        await f.say(ann, None, "/games")
        assert named(asked) is None
        forum = f.api.group(-1_001_000_000_500, "For\u202eum\n" + 99 * "m", ann, bob, forum=True)
        forum.topics.add(7)
        await f.say(ann, forum, "/games", topic=7)
        assert named(asked) == ("Forum " + 99 * "m")[:64]
        forum.title = "Forum"
        await f.say(ann, forum, "/games", topic=7)
        assert named(asked) == "Forum · topic"


async def test_who_talks_or_joins_is_seen() -> None:
    async with telegram_bot() as f:
        ann, cem, dan = map(f.api.human, ("Ann", "Cem", "Dan"))
        hall, chat, begin = f.api.group(HALL, "Hall", admin=True), Address("telegram", str(HALL)), f.now
        accounts = [Account("telegram", str(each.id)) for each in (ann, cem, dan)]
        await f.say(ann, hall, "good morning")
        f.now += timedelta(days=1)
        await f.say(ann, hall, "and good night")
        f.api.service(hall, ann, new_chat_members=[cem.json])
        await f.settled()
        await f.say(dan, None, "good morning")
        assert await first_seen(f.store, chat, accounts) == [begin, f.now, None]
        assert await count_seen(f.store, chat) == 2
        assert await count_seen(f.store, Address("telegram", str(dan.id))) == 0
