"""`klop setup` with both loopback platforms: what is asked, tried, printed and written."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from dotenv import dotenv_values

from bot.app.doctor import token_findings
from bot.app.settings import read_config
from bot.app.setup import set_up
from bot.chat.i18n import LANGUAGES, words
from bot.chat.i18n.catalogue import ROOT
from bot.config import Config
from bot.platforms.discord.registration import PERMISSIONS
from bot.platforms.integration import Severity
from tests.platforms.discord.rest import TOKEN as DISCORD_TOKEN
from tests.platforms.telegram.server import TOKEN as TELEGRAM_TOKEN
from tests.reliability.chats import discord, telegram

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
    [
        ((DISCORD_TOKEN, TELEGRAM_TOKEN), "ok ok"),
        ((WRONG, WRONG), "!! !!"),
        (("not a token", None), "!! --"),
    ],
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
