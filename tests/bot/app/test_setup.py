"""`klop setup` and `klop publish` with both loopback platforms."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from dotenv import dotenv_values

from bot.app.doctor import token_findings
from bot.app.settings import read_config
from bot.app.setup import publish, set_up
from bot.chat.i18n import LANGUAGES, words
from bot.chat.i18n.catalogue import ROOT
from bot.config import Config
from bot.platforms.discord.publishing import LIMIT, TAGS
from bot.platforms.discord.registration import PERMISSIONS
from bot.platforms.integration import Severity
from bot.platforms.platform import CannotConnect
from bot.platforms.telegram.publishing import TEXTS
from tests.platforms.discord.rest import TOKEN as DISCORD_TOKEN
from tests.platforms.discord.server import Discord
from tests.platforms.discord.world import Channel, Guild
from tests.platforms.telegram.server import TOKEN as TELEGRAM_TOKEN
from tests.platforms.telegram.server import BotApi
from tests.reliability.chats import discord, telegram

# `klop setup` with both loopback platforms: what is asked, tried, printed and written.


WRONG = "123456:" + "x" * 30


async def ran(settings: Config, answers: Sequence[str], file: Path, language: str = "en") -> tuple[int, str]:
    given, written = iter(answers), []

    async def ask(question: str) -> str:
        written.append(question)
        return next(given) + "\n"

    status = await set_up(settings, words(language), written.append, ask, file)
    assert next(given, None) is None, "not everything was asked for"
    return status, "\n".join(written)


@pytest.fixture(autouse=True)
def nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("REDIS_URL", "DISCORD_TOKEN", "TELEGRAM_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_both_tokens_are_tried_and_written(tmp_path: Path, language: str) -> None:
    file = tmp_path / ".env"
    file.write_text("# mine\nKLOP_LANGUAGE=uk\nTELEGRAM_TOKEN=old\n")
    file.chmod(0o644)
    async with discord() as one, telegram() as two:
        settings = read_config(
            discord_api=one.settings["KLOP_DISCORD_API"], telegram_api=two.settings["KLOP_TELEGRAM_API"]
        )
        answers = ["no token", DISCORD_TOKEN, "no token", WRONG, TELEGRAM_TOKEN]
        status, said = await ran(settings, answers, file, language)
    assert status == 0
    assert dotenv_values(file) == {
        "KLOP_LANGUAGE": "uk", "TELEGRAM_TOKEN": TELEGRAM_TOKEN, "DISCORD_TOKEN": DISCORD_TOKEN,
    }  # fmt: skip
    assert file.read_text().startswith("# mine\n")
    assert file.stat().st_mode & 0o777 == 0o600
    assert f"permissions={PERMISSIONS}" in said
    assert re.search(r"client_id=\d+&", said)
    assert re.search(r"https://t\.me/\w+\?startgroup=", said)
    assert said.count(words(language)("bot.setup.rejected", platform="Telegram")) == 2
    assert not any(token in said for token in (DISCORD_TOKEN, TELEGRAM_TOKEN, WRONG))


@pytest.mark.parametrize(
    ("tokens", "severities"),
    [((DISCORD_TOKEN, TELEGRAM_TOKEN), "ok ok"), ((WRONG, WRONG), "!! !!"), (("not a token", None), "!! --")],
)
async def test_the_doctor_tries_the_tokens(tokens: tuple[str, str | None], severities: str) -> None:
    async with discord() as one, telegram() as two:
        settings = read_config(
            discord_api=one.settings["KLOP_DISCORD_API"],
            telegram_api=two.settings["KLOP_TELEGRAM_API"],
            discord_token=tokens[0],
            telegram_token=tokens[1],
        )
        findings = [each async for each in token_findings(settings)]
    assert " ".join(each.severity for each in findings) == severities
    if severities == "ok ok":  # the platforms are away now
        findings += [each async for each in token_findings(settings)]
        assert [each.key for each in findings[2:]] == ["bot.doctor.untried-token"] * 2
        assert {each.severity for each in findings[2:]} == {Severity.NOTE}
    for language in LANGUAGES:
        said = "\n".join(words(language)(each.key, **each.fields) for each in findings)
        assert not any(token in said for token in tokens if token)


async def test_without_a_token_nothing_is_written(tmp_path: Path) -> None:
    status, said = await ran(read_config(), ["", ""], tmp_path / ".env")
    assert (status, "local room" in said) == (2, True)
    assert not (tmp_path / ".env").exists()


async def test_a_token_that_is_there_is_kept(tmp_path: Path) -> None:
    settings = read_config(discord_token="kept", discord_api="http://127.0.0.1:9")
    status, said = await ran(settings, ["", ""], tmp_path / ".env")
    assert (status, "keeps the one you have" in said) == (0, True)


async def test_a_platform_that_is_not_reached_is_named(tmp_path: Path) -> None:
    settings = read_config(discord_api="http://127.0.0.1:9", telegram_api="http://127.0.0.1:9")
    status, said = await ran(settings, [WRONG, "", ""], tmp_path / ".env")
    assert (status, "Discord cannot be reached" in said, WRONG in said) == (2, True, False)


def test_the_permissions_are_those_of_the_manual() -> None:
    assert str(PERMISSIONS) in (ROOT / "docs" / "discord.md").read_text("utf-8")


# `klop publish` with both loopback platforms: what differs is set, once.


async def published(settings: Config) -> tuple[int, str]:
    written: list[str] = []
    return await publish(settings, written.append), "\n".join(written)


async def test_telegram_shows_the_bot_in_each_language() -> None:
    api = BotApi()
    async with api.serving():
        settings = read_config(telegram_token=TELEGRAM_TOKEN, telegram_api=api.url)
        status, said = await published(settings)
        assert (status, "description (uk)" in said, "commands" in said) == (0, True, True)
        for language, code in (("en", ""), *((each, each) for each in LANGUAGES)):
            assert api.about["name", code] == words(language)("bot.publish.name")
            assert api.about["description", code] == words(language)("bot.publish.description")
            assert api.about["short_description", code] == words(language)("bot.publish.short")
        calls = len([call for call in api.calls if call.method.startswith("set")])
        api.about["description", "ru"] = "changed by hand"
        status, said = await published(settings)
        assert (status, "set description (ru)." in said) == (0, True)
        assert len([call for call in api.calls if call.method.startswith("set")]) == calls + 1
        assert "all is as it should be" in (await published(settings))[1]
        assert not api.invalid


async def test_the_menu_button_of_telegram_opens_the_page() -> None:
    api = BotApi()
    async with api.serving():
        settings = read_config(
            telegram_token=TELEGRAM_TOKEN, telegram_api=api.url, page_url="https://page.test", language="uk"
        )
        assert "menu button" in (await published(settings))[1]
        assert api.menu_button["web_app"] == {"url": "https://page.test/"}
        assert "menu button" not in (await published(settings))[1]


async def test_discord_shows_the_application(caplog: pytest.LogCaptureFixture) -> None:
    async with Discord(Guild("Somewhere", channels=[Channel(name="games")])) as server:
        settings = read_config(discord_token=DISCORD_TOKEN, discord_api=server.url)
        status, said = await published(settings)
        assert (status, "description, tags" in said) == (0, True), said
        assert server.about["tags"] == list(TAGS)
        installed = server.about["integration_types_config"]
        assert installed["0"]["oauth2_install_params"]["permissions"] in (PERMISSIONS, str(PERMISSIONS))
        assert installed["1"]["oauth2_install_params"]["scopes"] == ["applications.commands"]
        assert "all is as it should be" in (await published(settings))[1]
        patched = [each for each in server.requests if each.method == "PATCH"]
        assert len(patched) == 1
        assert not caplog.messages


async def test_a_token_that_is_rejected_is_named() -> None:
    api = BotApi()
    async with api.serving():
        with pytest.raises(CannotConnect) as caught:
            await published(read_config(telegram_token="1234567:" + "x" * 35, telegram_api=api.url))
        assert caught.value.fields["setting"] == "TELEGRAM_TOKEN"


async def test_a_platform_that_does_not_answer_is_named_without_its_token() -> None:
    settings = read_config(
        telegram_token=TELEGRAM_TOKEN, telegram_api="http://127.0.0.1:9", discord_token=DISCORD_TOKEN,
        discord_api="http://127.0.0.1:9",
    )  # fmt: skip
    status, said = await published(settings)
    assert (status, said.count("Try again later")) == (1, 2)
    assert TELEGRAM_TOKEN not in said
    assert DISCORD_TOKEN not in said


async def test_without_a_token_it_says_what_to_do() -> None:
    assert await published(read_config()) == (1, words("en")("bot.publish.no-token"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_texts_are_as_long_as_may_be(language: str) -> None:
    for text in TEXTS.values():
        assert 0 < len(words(language)(text.key)) <= text.most
    assert 0 < len(words(language)("bot.publish.discord")) <= LIMIT
    assert len(TAGS) <= 5
    assert all(len(tag) <= 20 for tag in TAGS)
