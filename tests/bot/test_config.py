"""Settings: what the environment says, what the example documents, what is refused."""

from __future__ import annotations

import re
import subprocess
from errno import EACCES
from pathlib import Path

import pytest

from bot import __main__ as main
from bot.app.settings import ConfigError, Settings, read_config, unknown_names, unread_lines
from bot.chat.i18n.catalogue import ROOT
from bot.config import ConfigProblem
from bot.platforms.console.integration import RoomSettings
from bot.platforms.discord.integration import DiscordSettings
from bot.platforms.page.integration import PageSettings
from bot.platforms.telegram.integration import TelegramSettings
from bot.version import COMMIT_FILE, VERSION, version

HIDDEN = {"KLOP_BOARD", "KLOP_DISCORD_API", "KLOP_PICTURE_MEMORY", "KLOP_ROOM"}
"""Set on the command line, or by tests alone."""

EXAMPLE = (ROOT / ".env.example").read_text("utf-8")


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the settings of the environment."""
    monkeypatch.chdir(tmp_path)
    for name in names():
        monkeypatch.delenv(name, raising=False)


def names() -> set[str]:
    """What each setting is called in the environment."""
    return {
        str(field.validation_alias or f"KLOP_{name.upper()}") for name, field in Settings.model_fields.items()
    }


def test_the_example_documents_every_setting_and_no_other() -> None:
    assert set(re.findall(r"^#?([A-Z_]+)=", EXAMPLE, re.MULTILINE)) == names() - HIDDEN


def test_the_example_gives_the_defaults() -> None:
    given = dict(re.findall(r"^#(KLOP_[A-Z_]+)=(.*)$", EXAMPLE, re.MULTILINE))
    settings = read_config()
    for name, value in given.items():
        default = getattr(settings, name.removeprefix("KLOP_").lower())
        assert default is None or value in (
            str(default),
            ",".join(default if isinstance(default, tuple) else ()),
        )


def test_every_setting_of_the_example_can_be_set(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(re.sub(r"^#(?=[A-Z_]+=)", "", EXAMPLE, flags=re.MULTILINE))
    assert read_config().redis_url is not None


def test_each_word_of_a_choice_is_named_in_the_example() -> None:
    for name in ("language", "log", "role"):
        with pytest.raises(ConfigError) as caught:
            read_config(**{name: "x"})
        [problem] = caught.value.problems
        assert problem.offered
        above = EXAMPLE[: EXAMPLE.index(f"#{problem.name}=")].rpartition("\n\n")[2]
        assert all(word in above for word in problem.offered), problem


def test_the_command_line_wins_over_the_environment_and_that_over_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".env").write_text("KLOP_ROOM=file\nKLOP_LANGUAGE=uk\nKLOP_BOARD=ascii\n")
    monkeypatch.setenv("KLOP_ROOM", "environment")
    monkeypatch.setenv("KLOP_LANGUAGE", "ru")
    settings = read_config(room="chosen").of(RoomSettings)
    assert (settings.room, settings.language, settings.board) == ("chosen", "ru", "ascii")


def test_an_empty_setting_is_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in names():
        monkeypatch.setenv(name, "")
    settings = read_config()
    assert settings.redis_url is None
    assert settings.language == "en"


@pytest.mark.parametrize("room", ["a b", "", "a" * 33, "a/b", "a\n", "a:b", ".."])
def test_a_room_has_a_plain_name(room: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_config(room=room)
    assert caught.value.problems == (ConfigProblem("KLOP_ROOM"),)


def test_all_that_is_wrong_is_told_at_once_and_without_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KLOP_BOARD", "secret")
    monkeypatch.setenv("KLOP_ROOM", "secret secret")
    with pytest.raises(ConfigError) as caught:
        read_config()
    assert {problem.name for problem in caught.value.problems} == {"KLOP_BOARD", "KLOP_ROOM"}
    assert "secret" not in str(caught.value)


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"KLOP_ROOM=\xff\xfe\n")
    with pytest.raises(ConfigError) as caught:
        read_config()
    assert caught.value.problems == (ConfigProblem(".env"),)


@pytest.mark.parametrize("line", ["DISCORD_TOKEN abc", "TELEGRAM_TOKEN: 1:abc", 'REDIS_URL="redis://h'])
def test_a_line_that_would_lose_a_secret(tmp_path: Path, line: str) -> None:
    (tmp_path / ".env").write_text(f"# settings\nKLOP_ROOM=hall\n\n{line}\n")
    with pytest.raises(ConfigError) as caught:
        read_config()
    assert caught.value.problems == (ConfigProblem(".env", line=4),)


def test_another_line_that_cannot_be_read_is_named_and_stops_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / ".env").write_text('some note\nKLOP_ROOM=hall\n\n\nKLOP_DATA="x\n')
    assert read_config().of(RoomSettings).room == "hall"
    assert unread_lines() == [ConfigProblem(".env", line=1), ConfigProblem(".env", line=5)]
    assert not caplog.records  # dotenv's line names no file


def test_unknown_names_come_with_the_nearest_known_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".env").write_text("KLOP_LANGAUGE=uk\nKLOP_ROOM=hall\nOTHER=1\nKLOP_PAGEURL=x\n")
    monkeypatch.setenv("KLOP_METRIC_LISTEN", "127.0.0.1:9")
    monkeypatch.setenv("KLOP_PORT_8082_TCP", "tcp://10.0.0.1:8082")
    assert unknown_names() == {
        "KLOP_LANGAUGE": "KLOP_LANGUAGE",
        "KLOP_PAGEURL": "KLOP_PAGE_URL",
        "KLOP_METRIC_LISTEN": "KLOP_METRICS_LISTEN",
    }


def test_secrets_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("REDIS_URL", "DISCORD_TOKEN", "TELEGRAM_TOKEN"):
        monkeypatch.setenv(name, "hidden")
    assert "hidden" not in repr(read_config())


def test_a_page_alone_needs_the_store_of_the_bots_and_its_addresses() -> None:
    given: dict[str, str | None] = {"REDIS_URL": "redis://store", "page_url": "https://page.test"}
    config = read_config(role="page", **given)
    assert config.of(PageSettings).page_address == ("127.0.0.1", 8082, "KLOP_PAGE_LISTEN")
    changes: dict[str, dict[str, str | None]] = {
        "REDIS_URL": {"REDIS_URL": None},
        "KLOP_PAGE_URL": {"page_url": None},
        "KLOP_PAGE_LISTEN": {"page_listen": "off"},
    }
    for name, changed in changes.items():
        with pytest.raises(ConfigError) as caught:
            read_config(role="page", **{**given, **changed})
        assert caught.value.problems == (ConfigProblem(name, role="page"),)


STORE = {"REDIS_URL": "redis://store"}
DISCORD, TELEGRAM = {"DISCORD_TOKEN": "d"}, {"TELEGRAM_TOKEN": "t"}
WEBHOOK = {"telegram_webhook_url": "https://klop.test/hook"}
ENDPOINT = {"discord_endpoint_url": "https://klop.test/discord"}
URLS = "KLOP_DISCORD_ENDPOINT_URL / KLOP_TELEGRAM_WEBHOOK_URL"


def test_one_process_has_all_roles_but_the_searches_of_others() -> None:
    alone = read_config(**DISCORD, **TELEGRAM)
    assert [role for role in ("gateway", "webhook", "sender", "page", "engine") if not alone.does(role)] == [
        "engine"
    ]
    assert alone.of(DiscordSettings).takes_discord
    assert alone.of(TelegramSettings).takes_telegram


@pytest.mark.parametrize(
    ("role", "webhook", "takes"),
    [
        ("gateway", {}, (True, True)),
        ("gateway", WEBHOOK, (True, False)),
        ("webhook", WEBHOOK, (False, True)),
        ("webhook, sender", WEBHOOK, (False, True)),
        ("sender", WEBHOOK, (False, False)),
        ("gateway", ENDPOINT, (False, True)),
        ("webhook", ENDPOINT, (True, False)),
        ("webhook", {**ENDPOINT, **WEBHOOK}, (True, True)),
        ("sender", ENDPOINT, (False, False)),
    ],
)
def test_who_takes_what_happens_on_a_platform(
    role: str, webhook: dict[str, str], takes: tuple[bool, bool]
) -> None:
    config = read_config(role=role, **STORE, **DISCORD, **TELEGRAM, **webhook)
    discord, telegram = config.of(DiscordSettings), config.of(TelegramSettings)
    assert (discord.takes_discord, telegram.takes_telegram) == takes
    assert config.does("sender") is ("sender" in role)


@pytest.mark.parametrize(
    ("role", "given", "missing"),
    [
        ("gateway", DISCORD, "REDIS_URL"),
        ("gateway", STORE, "DISCORD_TOKEN / TELEGRAM_TOKEN"),
        ("gateway", {**STORE, **TELEGRAM, **WEBHOOK}, "DISCORD_TOKEN"),
        ("sender", STORE, "DISCORD_TOKEN / TELEGRAM_TOKEN"),
        ("webhook", {**STORE, **WEBHOOK}, "TELEGRAM_TOKEN"),
        ("webhook", {**STORE, **TELEGRAM}, URLS),
        ("webhook", {**STORE, **DISCORD}, URLS),
        ("webhook", {**STORE, **TELEGRAM, **ENDPOINT}, "DISCORD_TOKEN"),
        ("webhook", {**STORE, **WEBHOOK, **ENDPOINT}, "DISCORD_TOKEN / TELEGRAM_TOKEN"),
        ("gateway", {**STORE, **DISCORD, **ENDPOINT}, "TELEGRAM_TOKEN"),
        ("webhook", {**TELEGRAM, **WEBHOOK}, "REDIS_URL"),
        ("engine", {}, "REDIS_URL"),
        ("gateway", {**STORE, **DISCORD, **TELEGRAM, **WEBHOOK, **ENDPOINT}, None),
        ("all,sender", {}, None),
        ("engine,page", {}, None),
    ],
)
def test_a_role_with_nothing_to_do(role: str, given: dict[str, str], missing: str | None) -> None:
    with pytest.raises(ConfigError) as caught:
        read_config(role=role, **given)
    wrong = ConfigProblem(missing, role=role) if missing else ConfigProblem("KLOP_ROLE")
    assert caught.value.problems == (wrong,)


def test_a_secret_that_may_not_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = tmp_path / "DISCORD_TOKEN"
    secret.write_text("token")

    def refused(path: Path, *_: object, **__: object) -> str:
        raise PermissionError(EACCES, "Permission denied", str(path))

    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))
    monkeypatch.delenv("DISCORD_TOKEN", raising=False)
    monkeypatch.setattr(Path, "read_text", refused)
    with pytest.raises(ConfigError) as caught:
        read_config()
    assert caught.value.problems == (ConfigProblem(str(secret), unreadable=True),)


# `klop --version`: the version with the commit, from a checkout, from a build's file, or without either.


def git(root: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=x", "-c", "user.email=x@example.org")
    done = subprocess.run(
        ["git", "-C", root, *identity, *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def leave(root: Path, commit: str) -> None:
    (root / COMMIT_FILE).parent.mkdir()
    (root / COMMIT_FILE).write_text(commit, "ascii")


def test_a_checkout_says_its_commit(tmp_path: Path) -> None:
    git(tmp_path, "init")
    git(tmp_path, "commit", "--allow-empty", "--message", "x")
    leave(tmp_path, "0000000")
    assert version(tmp_path) == f"{VERSION} ({git(tmp_path, 'rev-parse', 'HEAD')[:7]})"


@pytest.mark.parametrize("written", ["abc1234\n", "abc1234def5678abc1234def5678abc1234def567\n"])
def test_a_build_says_the_commit_that_it_was_made_from(tmp_path: Path, written: str) -> None:
    leave(tmp_path, written)
    assert version(tmp_path) == f"{VERSION} (abc1234)"


@pytest.mark.parametrize("written", ["", "\n"])
def test_without_a_commit_it_is_the_version_alone(tmp_path: Path, written: str) -> None:
    assert version(tmp_path) == VERSION
    leave(tmp_path, written)
    assert version(tmp_path) == VERSION


def test_a_checkout_without_any_commit(tmp_path: Path) -> None:
    git(tmp_path, "init")
    assert version(tmp_path) == VERSION


def test_the_option_prints_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["--version"]) == 0
    assert capsys.readouterr().out == f"klop {version(ROOT)}\n"
