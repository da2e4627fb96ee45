"""Serving platforms: each is given the services, all run together, and what will not have us says so."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace

import pytest

from bot.app import command_line
from bot.app.settings import ConfigError, read_config
from bot.chat.i18n import LANGUAGES, words
from bot.chat.sending.ports import Pace
from bot.platforms.discord.integration import Discord
from bot.platforms.discord.settings import DiscordSettings
from bot.platforms.platform import CannotConnect, ConnectFailure, Services


class Fake:
    """A platform that is served for a moment."""

    name = "discord"

    def __init__(self, services: Services) -> None:
        self.services = services
        self.courier = SimpleNamespace(platform=self.name, pace=Pace())

    async def run(self) -> None:
        await asyncio.sleep(0)
        raise CannotConnect("Discord", "DISCORD_TOKEN")


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_token_that_is_refused_ends_the_bot_with_words(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Discord, "adapter", lambda _: Fake)
    monkeypatch.setattr(command_line, "configure", lambda *_: None)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DISCORD_TOKEN", "x")
    monkeypatch.setenv("KLOP_LANGUAGE", language)
    assert command_line.run(["--data", str(tmp_path / "data")]) == 2
    said = words(language)(ConnectFailure.REFUSED, name="Discord", setting="DISCORD_TOKEN")
    assert capsys.readouterr().err == said + "\n"


@pytest.mark.parametrize(
    ("set_", "name"),
    [
        ({"KLOP_DISCORD_SHARD_IDS": "0,1"}, "KLOP_DISCORD_SHARD_COUNT"),
        ({"KLOP_DISCORD_SHARD_IDS": "0,4", "KLOP_DISCORD_SHARD_COUNT": "4"}, "KLOP_DISCORD_SHARD_COUNT"),
        ({"KLOP_DISCORD_SHARD_IDS": "one", "KLOP_DISCORD_SHARD_COUNT": "4"}, "KLOP_DISCORD_SHARD_IDS"),
        ({"KLOP_DISCORD_API": "discord.com"}, "KLOP_DISCORD_API"),
        ({"KLOP_DISCORD_ENDPOINT_LISTEN": "nowhere"}, "KLOP_DISCORD_ENDPOINT_LISTEN"),
        ({"KLOP_TELEGRAM_WEBHOOK_LISTEN": "nowhere"}, "KLOP_TELEGRAM_WEBHOOK_LISTEN"),
    ],
)
def test_settings_of_platforms_that_cannot_be_used(
    set_: dict[str, str], name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for key, value in set_.items():
        monkeypatch.setenv(key, value)
    with pytest.raises(ConfigError) as caught:
        read_config()
    assert [(problem.name, problem.offered) for problem in caught.value.problems] == [(name, ())]


def test_settings_of_platforms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KLOP_DISCORD_SHARD_IDS", "0, 2")
    monkeypatch.setenv("KLOP_DISCORD_SHARD_COUNT", "4")
    assert read_config().of(DiscordSettings).discord_shard_ids == (0, 2)
