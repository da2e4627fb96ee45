"""`/help`: topics in one private message, with commands to click."""

from __future__ import annotations

import re

import pytest

from bot.chat.arguments import HelpTopic
from bot.chat.i18n import LANGUAGES, words
from bot.features.commands import REGISTRY
from bot.platforms.discord.registration import mentioning
from bot.platforms.discord.rendering import CONTENT
from tests.bot.on_discord.playing import begun, public
from tests.platforms.discord.harness import DiscordHarness
from tests.platforms.discord.world import Channel

LONG = "1" * 20  # digits of an id, at most
CLIENTS = {"en": "en-US", "uk": "uk", "ru": "ru"}


def mentioned(text: str) -> dict[str, str]:
    return dict(re.findall(r"</([a-z]+):([0-9]+)>", text))


@pytest.mark.parametrize("language", LANGUAGES)
async def test_every_topic_mentions_its_commands_with_their_registered_ids(language: str) -> None:
    async with DiscordHarness() as home:
        ann, bob = home.person("ann", CLIENTS[language]), home.person("bob")
        ids = {each["name"]: each["id"] for each in home.discord.commands}
        await ann.types("help")
        (message,) = ann.private()
        for topic in HelpTopic:
            title = words(language)(f"bot.help.topic.{topic}")
            if topic is not HelpTopic.BASICS:
                await ann.presses(message, title)
            assert ann.private() == [message]
            assert message.content.startswith(f"{title}\n")
            assert not message.embeds
            assert f"• {title}" in [each["label"] for each in message.pressed()]
            listed = {spec.name for spec in REGISTRY.specs.values() if spec.topic is topic}
            assert mentioned(message.content) == {
                name: ids[name]
                for name in {*listed} | ({"challenge"} if topic is HelpTopic.BASICS else set())
            }
            if language != "en":
                named = words(language)
                assert all(f"> (/{named(f'bot.slash.{name}.name')}) —" in message.content for name in listed)
        assert not bob.private()
        assert not home.games.messages or message.only is ann.user


async def test_ids_are_known_after_a_restart_and_from_a_note_without_them() -> None:
    async with DiscordHarness() as home:
        for note in (None, "older"):
            if note:
                [known] = await home.store.notes.read("discord:commands")
                assert known
                await home.store.notes.write("discord:commands", known.split(" ")[0])
            await home.close()
            await home.open()
            assert home.discord.synced == (2 if note else 1)
            ann = home.person("ann")
            await ann.types("help")
            assert "challenge" in mentioned(ann.private()[-1].content)


@pytest.mark.parametrize(
    ("language", "typed"), [("en", "/watch stop:True"), ("uk", "/дивитися припинити:True")]
)
async def test_commands_in_public_messages_are_written_so_too(language: str, typed: str) -> None:
    async with DiscordHarness() as home:
        ann, _ = await begun(home)
        there = home.discord.add(Channel(name="elsewhere", guild=home.guild))
        home.guild.admins.add(ann.user.id)
        elsewhere = ann.at(there)
        await elsewhere.types("language", language=language, here=True)
        (code,) = home.matches
        await elsewhere.types("watch", match=code)
        assert typed in public(elsewhere)[-1].words


@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_topic_with_the_longest_ids_fits_a_message(language: str) -> None:
    write = mentioning(dict.fromkeys(REGISTRY.specs, LONG), CLIENTS[language])
    async with DiscordHarness(language=language) as home:
        ann = home.person("ann", CLIENTS[language])
        for topic in HelpTopic:
            await ann.types("help", topic=topic.value)
            plain = re.sub(r"</([a-z]+):[0-9]+>( \\(/[^)]+\\))?", r"/\1", ann.private()[-1].content)
            assert len(write(plain)) <= CONTENT


def test_commands_are_written_as_the_client_has_them() -> None:
    text = "/move — do\nor /move a2-a3, /help. Not /movement, /pause-it, a/move, <//move>, https\\://x/move"
    assert mentioning({"move": "7"}, "uk")(text) == (
        "</move:7> (/хід) — do\nor /хід хід:a2-a3, /довідка. "
        "Not /movement, /pause-it, a/move, <//move>, https\\://x/move"
    )
    assert mentioning({"move": "7"}, "en-GB")("/move — do, /help") == "</move:7> — do, /help"
    assert mentioning({}, "de")("/move") == "/move"


@pytest.mark.parametrize(
    ("locale", "text", "typed"),
    [
        ("en-GB", "/watch off ends that", "/watch stop:True ends that"),
        ("en-GB", "/seek off, or", "/seek options:off, or"),
        ("en-GB", "/move #k7q2mz a2-a3", "/move match:k7q2mz move:a2-a3"),
        ("en-GB", "/move L a3-a1-b1 n a4-b2", "/move move:L a3-a1-b1 n a4-b2"),
        ("en-GB", "/cup new lgame clock:1d", "/cup do:new game:L-game clock:1d"),
        ("en-GB", "/ladder challenge Bob, /games", "/ladder do:challenge person:Bob, </games:3>"),
        ("uk", "/config quiet:23-8 zone:Europe/Kyiv", "/керування тиша:23-8 пояс:Europe/Kyiv"),
        ("en-GB", "/games shows your matches", "</games:3> shows your matches"),
        ("en-GB", "/vacation 10d, /vacation off ends it", "/vacation days:10d, /vacation days:off ends it"),
        ("en-GB", "block a person: /block \\@bob", "block a person: /block person:\\@bob"),
    ],
)
def test_an_example_is_written_as_its_reader_types_it(locale: str, text: str, typed: str) -> None:
    assert mentioning({"games": "3"}, locale)(text) == typed
