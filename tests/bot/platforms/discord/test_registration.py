"""What is registered with Discord, how `/help` names it, and shards."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import discord
import pytest

from bot.chat.arguments import Access, ArgumentType, HelpTopic
from bot.chat.i18n import LANGUAGES, words
from bot.chat.i18n import words as words_for
from bot.features.commands import REGISTRY
from bot.platforms.discord.registration import entry_point, fingerprint, mentioning, registered
from bot.platforms.discord.rendering import CONTENT
from rules import GAMES
from tests.platforms.discord.harness import DiscordHarness
from tests.platforms.discord.limits import problems
from tests.platforms.discord.server import Discord
from tests.platforms.discord.world import Channel, Guild

PATH = "/applications/1/commands"


def test_what_is_registered_obeys_the_limits_in_all_languages() -> None:
    assert problems("PUT", PATH, [*registered(GAMES, page=True), entry_point()]) == []


def test_it_is_offered_everywhere_and_to_everybody_who_adds_the_bot() -> None:
    for command in registered(GAMES, page=True):
        assert command["contexts"] == [0, 1, 2]
        assert command["integration_types"] == [0, 1]


def test_without_a_page_nothing_of_it_is_registered() -> None:
    text, without = (json.dumps(registered(GAMES, page=page)) for page in (True, False))
    for key in ("bot.slash.arg.page.what", "bot.slash.word.link"):
        said = json.dumps(words_for("uk")(key))
        assert said in text
        assert said not in without


def test_the_fingerprint_changes_with_what_is_registered_and_with_the_application() -> None:
    commands = registered(GAMES, page=True)
    assert fingerprint(commands, 1) == fingerprint(registered(GAMES, page=True), 1)
    assert fingerprint(commands, 1) != fingerprint(commands, 2)
    assert fingerprint(commands, 1) != fingerprint(commands[1:], 1)


def test_only_those_who_run_a_server_are_offered_its_commands() -> None:
    for command in registered(GAMES, page=True):
        entry = REGISTRY.specs.get(command["name"])
        assert ("default_member_permissions" in command) == (
            entry is not None and entry.access is Access.ADMINS
        )


def test_the_catalogue_can_be_typed() -> None:
    """What is chosen has words."""
    for entry in REGISTRY.specs.values():
        for argument in entry.arguments:
            assert bool(argument.words) == (argument.type in (ArgumentType.CHOICE, ArgumentType.SWITCH))


def test_the_validator_bites() -> None:
    good = registered(GAMES, page=True)
    spoils: list[Callable[[dict[str, Any]], Any]] = [
        lambda each: each.update(name="Challenge"),
        lambda each: each.update(description="x" * 101),
        lambda each: each["name_localizations"].update(xx="a"),
        lambda each: each["options"].append(each["options"][0]),
        lambda each: each.update(contexts=[3]),
        lambda each: each.update(handler=1),
    ]
    for spoil in spoils:
        commands = json.loads(json.dumps(good))
        spoil(commands[0])
        assert problems("PUT", PATH, commands)
    assert problems("PUT", PATH, [*good, *good])


# `/help`: topics in one private message, with commands to click.


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
    ("settings", "shards"),
    [({}, {0, 1}), ({"KLOP_DISCORD_SHARD_IDS": "1", "KLOP_DISCORD_SHARD_COUNT": "2"}, {1})],
)
async def test_a_process_serves_all_shards_or_those_that_are_set(
    monkeypatch: pytest.MonkeyPatch, settings: Mapping[str, str], shards: set[int]
) -> None:
    async def at_once(*_: object, **__: object) -> None:
        """The library waits five seconds before it identifies a second shard."""

    monkeypatch.setattr(discord.Client, "before_identify_hook", at_once)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    guild = Guild("Somewhere", channels=[Channel(name="games"), Channel(name="hall")])
    async with Discord(guild, shards=2) as server, DiscordHarness(discord=server):
        await server.until(lambda: server.gateway.connected == shards, "its shards")
        assert set(server.gateway.opened) == {("identify", shard) for shard in shards}
