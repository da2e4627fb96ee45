"""The bot as a real process, with its own server: evenings, kills, signals, bad input and bad settings."""

from __future__ import annotations

import asyncio
import errno
import fcntl
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import Final

import pytest

from bot.chat.i18n import words
from bot.chat.i18n.catalogue import ROOT
from rules import GAMES
from tests.bot.process import PATIENCE, Bot, answers, command, environment, run, typed
from tests.stories.console import Evening
from tests.stories.script import PARLOUR, stories
from tests.support.servers import redis_server as redis_server_at

STORIES = {story.name: story for story in stories()}
EVENINGS = ("breakthrough", "klopodavka-two", "lgame", "rules", "scoring", "taking-back", "teams")
"""Stories in one room, with no code typed and nothing pressed that was not seen last."""

WELCOME = 2
"""Lines that the room says before anybody else."""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "evening" / "data"


def told(data: Path, name: str, language: str) -> None:
    story, evening = STORIES[name], Evening(language)
    asyncio.run(evening.tell(story))
    done = run(data, typed(story), "--room", PARLOUR, "--language", language)
    assert done.returncode == 0
    assert done.stderr == ""
    expected = [line for line in answers("\n".join(evening.seen)) if not line.startswith("@")]
    assert answers(done.stdout)[WELCOME:] == expected


def test_an_evening_is_played_as_the_story_tells_it(data: Path) -> None:
    told(data, "reading", "uk")


@pytest.mark.slow
@pytest.mark.parametrize("name", EVENINGS)
def test_every_evening(name: str, data: Path) -> None:
    told(data, name, "en")


@pytest.mark.slow
def test_the_room_says_how_to_go_live_and_who_one_is(data: Path) -> None:
    done = run(data, "", settings={"USER": "zoe", "LOGNAME": "zoe"})
    assert done.stdout.startswith("The local room “local”: type as zoe")
    assert "scripts/run setup" in done.stdout


def test_the_room_opens_while_the_engines_are_compiled(data: Path, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "engine", tmp_path / "engine", ignore=shutil.ignore_patterns("*.so"))
    (tmp_path / "bot").symlink_to(ROOT / "bot")
    settings = {"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}", "KLOP_LANGUAGE": "uk"}
    with (tmp_path / "engine" / ".native-lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        during = run(data, "/help\n", settings=settings)
    after = run(data, "/help\n", settings=settings)
    line = words("uk")("bot.console.building")
    assert (during.stderr, during.stdout.count(line), after.stdout.count(line)) == ("", 1, 0)
    assert during.stdout.replace(f"{line}\n", "") == after.stdout


@pytest.mark.slow
@pytest.mark.parametrize("both", [False, True], ids=["bot", "bot-and-server"])
def test_killed_in_mid_game_every_match_goes_on_where_it_was(data: Path, both: bool) -> None:
    with Bot(data) as bot:
        bot.until("scripts/run setup")
        for line in (
            "ann: /settings warnings:off", "bob: /settings warnings:off",
            "ann: /challenge bob breakthrough 5x5", "bob: /accept", "cem: /new klopodavka players:3 board:6x6",
            "dan: /join", "eve: /join", "cem: /start", "ann: /move d2-c3", "cem: /move b2", "ann: /draw",
            "fay: /challenge gus lgame", "bob: /board",
        ):  # fmt: skip
            bot.say(line)
        bot.until("bob: /board")
        bot.until("Turn: bob")
        server = bot.server
        bot.process.kill()
        if both:
            with suppress(ProcessLookupError):
                os.kill(server, signal.SIGKILL)
        bot.process.wait(PATIENCE)
    evening = "\n".join(
        (
            "bob: /games", "cem: /games", "gus: /games", "bob: /draw no", "bob: /move a4-b3", "cem: /board", "cem: /move c3 d4",
            "gus: /accept", "ann: /move c3xb4", "bob: /move d4-c3", "ann: /move b4xa5", "cem: /board",
        )
    )  # fmt: skip
    done = run(data, evening)
    assert done.returncode == 0
    assert "1 match waits for your move." in done.stdout
    assert "bob declines the draw." in done.stdout
    assert "Turn: cem — 2 actions left" in done.stdout
    assert "Turn: dan — 3 actions left" in done.stdout
    assert "The game begins: fay – gus." in done.stdout
    assert "ann won. A man has reached the far rank." in done.stdout


def test_a_second_bot_on_the_same_data_is_refused(data: Path) -> None:
    with Bot(data) as bot:
        bot.until("scripts/run setup")
        done = run(data, "ann: /help", "--language", "ru")
        assert (done.returncode, done.stdout) == (2, "")
        expected = words("ru")("storage.trouble.in-use", directory=str(data), pid=bot.process.pid)
        assert done.stderr == expected + "\n"
        bot.say("ann: /games")
        bot.until("You are not playing anything")


@pytest.mark.parametrize("how", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.slow)])
def test_a_signal_ends_it_in_order(how: signal.Signals, data: Path) -> None:
    with Bot(data) as bot:
        bot.until("scripts/run setup")
        bot.say("ann: /challenge bob lgame")
        bot.until("Accept")
        server = bot.server
        status, printed, complaints = bot.end(how)
        assert (status, printed.strip(), complaints) == (0, "", "")
    with pytest.raises(ProcessLookupError):
        os.kill(server, 0)
    assert "The game begins" in run(data, "bob: /accept").stdout


def test_a_closed_standard_output(data: Path) -> None:
    data.parent.mkdir(parents=True)
    reading, writing = os.pipe()
    with subprocess.Popen(
        command(data),
        stdin=subprocess.PIPE,
        stdout=writing,
        stderr=subprocess.PIPE,
        cwd=data.parent,
        env=environment(),
    ) as bot:
        os.close(writing)
        while b"scripts/run setup" not in os.read(reading, 1 << 16):
            continue
        os.close(reading)
        _, complaints = bot.communicate(b"ann: /help\n" * 100, timeout=PATIENCE)
        assert (bot.returncode, complaints) == (0, b"")


def test_a_redis_that_is_not_there(data: Path) -> None:
    """A command says so and ends; the bot says so and waits, until it is stopped."""
    settings = {"REDIS_URL": "redis://ann:hunter2-hunter2@127.0.0.1:1/0", "KLOP_LOG": "debug"}
    done = run(data, "", "verify", settings={**settings, "KLOP_LANGUAGE": "ru"})
    assert done.returncode == 2
    assert words("ru")("storage.trouble.unreachable") in done.stdout
    bot = subprocess.Popen(
        command(data), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        cwd=data.parent, env=environment(**settings), text=True,
    )  # fmt: skip
    with bot:
        assert bot.stderr
        said = ""
        while "the bot waits for the store" not in said:
            line = bot.stderr.readline()
            assert line, said
            said += line
        bot.send_signal(signal.SIGTERM)
        printed, complaints = bot.communicate(timeout=PATIENCE)
    assert bot.returncode == 0
    for text in (done.stdout, done.stderr, printed, said, complaints):
        assert "hunter2" not in text
        assert "Traceback" not in text


def test_a_new_data_directory_on_a_full_disk(data: Path) -> None:
    data.parent.mkdir(parents=True)
    limited = ["sh", "-c", 'ulimit -f 0; exec "$@"', "sh", *command(data)]  # no file may hold a byte
    done = subprocess.run(
        limited, input="", capture_output=True, cwd=data.parent, env=environment(), timeout=PATIENCE,
        check=False, text=True,
    )  # fmt: skip
    assert done.returncode == 2
    expected = words("en")("storage.trouble.directory", directory=str(data), text=os.strerror(errno.EFBIG))
    assert done.stderr == expected + "\n"


def test_what_is_no_redis_url(data: Path) -> None:
    settings = {"REDIS_URL": "http://ann:hunter2@localhost", "KLOP_LOG": "debug"}
    done = run(data, "ann: /help", settings=settings)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "hunter2" not in done.stdout + done.stderr
    assert done.stdout == ""


def test_a_redis_that_forgets(tmp_path: Path) -> None:
    with redis_server_at(tmp_path / "redis", appendonly="no") as path:
        done = run(tmp_path / "data", "ann: /help", settings={"REDIS_URL": f"unix://{path}"})
    assert done.returncode == 2
    expected = words("en")("storage.trouble.setting", setting="appendonly", found="no", needed="yes")
    assert done.stderr == expected + "\n"


def test_bad_settings(data: Path) -> None:
    wrong = ("KLOP_BOARD", "KLOP_LANGUAGE", "KLOP_ROOM", "KLOP_LOG")
    done = run(data, "", settings=dict.fromkeys(wrong, "not this"))
    assert done.returncode == 2
    assert {line.split()[0] for line in done.stderr.splitlines()} == set(wrong)
    assert "scripts/run settings" in done.stderr
    assert "not this" not in done.stderr
    assert done.stdout == ""
    explained = run(data, "", "settings", settings=dict.fromkeys(wrong, "not this"))
    assert explained.stdout == (ROOT / ".env.example").read_text("utf-8")


def test_bad_bytes_are_read_as_best_they_can_be(data: Path) -> None:
    evening = b"\n".join(
        (
            b"\xff\xfe\x00", b"ann: \x00", b"\xd0: /help", b"ann: /move \xff", b"x" * 1_000_000,
            b"ann: /move " + b"9" * 1_000_000, "ann: /move \u202e٣".encode(), b"\r\r\r", b"ann: /games",
        )
    )  # fmt: skip
    done = run(data, evening)
    assert done.returncode == 0
    assert done.stderr == ""
    assert " ".join(done.stdout.split()).endswith(words("en")("bot.games.none"))
    assert words("en")("bot.command.too-long", limit=2000) in done.stdout
    assert all(line.isprintable() for line in done.stdout.splitlines() if "🇦" not in line)


def test_a_terminal_without_emoji(data: Path) -> None:
    evening = "ann: /challenge bob lgame\nbob: 1\nАня: /help"
    settings = {"PYTHONUTF8": "0", "PYTHONIOENCODING": "latin-1", "KLOP_LANGAUGE": "uk"}
    done = run(data, evening, settings=settings, encoding="latin-1")
    assert done.returncode == 0
    assert "KLOP_LANGAUGE is no setting" in done.stderr
    assert "KLOP_LANGUAGE" in done.stderr
    assert "Turn: ann" in done.stdout
    assert "?" in done.stdout
    assert "L-game ·" in done.stdout


# A person at a real terminal: with a line editor, and without one.


TERMINAL_PATIENCE = 20.0
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Terminal:
    """The other end of a terminal that a bot runs at."""

    def __init__(self, descriptor: int, process: subprocess.Popen[bytes]) -> None:
        self._descriptor = descriptor
        self.process = process
        self._seen = b""

    def type(self, text: str) -> None:
        os.write(self._descriptor, text.encode())

    def until(self, part: str) -> str:
        """What is shown up to that, since the last time."""
        end = monotonic() + TERMINAL_PATIENCE
        while part.encode() not in self._seen:
            ready, _, _ = select.select([self._descriptor], [], [], max(0.0, end - monotonic()))
            assert ready, f"never shown: {part!r} in {self._seen!r}"
            try:
                chunk = os.read(self._descriptor, 1 << 16)
            except OSError:  # Linux says so when the last one at the terminal has gone
                chunk = b""
            assert chunk, f"ended before it showed {part!r}: {self._seen!r}"
            self._seen += chunk
            if b"\x1b[6n" in chunk:  # a line editor asks where the cursor is
                os.write(self._descriptor, b"\x1b[1;1R")
        shown, _, self._seen = self._seen.partition(part.encode())
        return shown.decode("utf-8", "replace")


@contextmanager
def sitting(data: Path, *arguments: str, **settings: str) -> Iterator[Terminal]:
    data.parent.mkdir(parents=True, exist_ok=True)
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 80, 0, 0))
    settings = {"TERM": "xterm", "COLUMNS": "80", "LINES": "40", **settings}
    with subprocess.Popen(
        command(data, *arguments),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=data.parent,
        env=environment(**settings),
        start_new_session=True,
    ) as process:
        os.close(theirs)
        try:
            yield Terminal(ours, process)
        finally:
            if process.poll() is None:
                process.kill()
            os.close(ours)


def test_a_line_at_the_prompt_is_answered(data: Path) -> None:
    with sitting(data, "--room", "lounge") as terminal:
        terminal.until("lounge>")
        terminal.type("bob: /challenge ann lgame\r")
        terminal.until("bob challenges ann: L-game")
        terminal.until("lounge>")
        terminal.type("/as ann\r")
        terminal.until("You now speak as ann.")
        terminal.until("lounge>")
        terminal.type("/quit\r")
        assert terminal.process.wait(TERMINAL_PATIENCE) == 0
    assert "/challenge ann lgame" in (data / "history").read_text("utf-8")
    assert (data / "history").stat().st_mode & 0o077 == 0


@pytest.mark.slow
@pytest.mark.parametrize("key", ["\x03", "\x04"], ids=["control-c", "control-d"])
def test_keys_that_end_it(key: str, data: Path) -> None:
    with sitting(data) as terminal:
        terminal.until("local>")
        terminal.type(key)
        assert terminal.process.wait(TERMINAL_PATIENCE) == 0
        assert terminal.process.returncode == 0


@pytest.mark.slow
def test_commands_are_completed(data: Path) -> None:
    with sitting(data) as terminal:
        terminal.until("local>")
        terminal.type("/chal")
        terminal.until("/challenge")
        terminal.type("\t bob break")
        terminal.until("breakthrough")
        terminal.type("\t\r")
        terminal.until("challenges bob: Breakthrough")


def test_without_a_line_editor_plain_lines_do(data: Path, tmp_path: Path) -> None:
    without = tmp_path / "without" / "prompt_toolkit"
    without.mkdir(parents=True)
    (without / "__init__.py").write_text("raise ImportError\n")
    path = os.pathsep.join((str(without.parent), environment()["PYTHONPATH"]))
    with sitting(data, PYTHONPATH=path) as terminal:
        terminal.until("local>")
        terminal.type("bob: /challenge ann lgame\n")
        terminal.until("bob challenges ann: L-game")
        terminal.until("local>")
        terminal.type("ann: 1\n")
        terminal.until("The game begins: bob")
        terminal.until("local>")
        terminal.type("\x04")
        assert terminal.process.wait(TERMINAL_PATIENCE) == 0


@pytest.mark.slow
def test_lines_stay_within_a_narrow_terminal(data: Path) -> None:
    with sitting(data, COLUMNS="60") as terminal:
        terminal.until("local>")
        terminal.type("/rules lgame\r")
        terminal.until("Rules: L-game")
        shown = _CONTROL.sub("", terminal.until("local>")).splitlines()
        assert len([line for line in shown if line.strip()]) > 20
        assert all(len(line) <= 60 for line in shown)


@pytest.mark.slow
def test_a_history_has_a_place_without_a_server_of_our_own(tmp_path: Path, redis_server: Path) -> None:
    data = tmp_path / "evening" / "new"
    with sitting(data, REDIS_URL=f"unix://{redis_server}") as terminal:
        terminal.until("local>")
        terminal.type("/help\r")
        terminal.until("Start here")
        terminal.until("local>")
        terminal.type("\x04")
        assert terminal.process.wait(TERMINAL_PATIENCE) == 0
    assert "/help" in (data / "history").read_text("utf-8")


# What a process loads before it serves: nothing that its role or command does not need.


_PLATFORMS: Final = {
    "discord",
    "telegram",
    "prompt_toolkit",
    "bot.platforms.discord.adapter",
    "bot.platforms.telegram.adapter",
}
_SPECIALISTS: Final = {f"engine.{game}" for game in GAMES}
_SERVED: Final = {
    "aiohttp",
    "redis",
    "PIL",
    "pebble",
    "storage",
    "bot.features.commands",
    "bot.platforms.page.server",
}


def loaded(modules: str) -> set[str]:
    """Return the names of all modules that a process has after it has imported some."""
    done = subprocess.run(
        [sys.executable, "-c", f"import {modules}, sys; print(*sys.modules)"],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    return set(done.stdout.split())


@pytest.mark.parametrize(
    ("modules", "spared"),
    [
        (
            "bot.app.local_room, bot.app.roles",
            _PLATFORMS | _SPECIALISTS | {"prometheus_client", "bot.app.admin"},
        ),
        ("bot.app.arguments", {"asyncio", "pydantic", "structlog", "babel", "rules", "bot.config"}),
        ("bot.app.command_line", _PLATFORMS | _SPECIALISTS | _SERVED),
        ("bot.app.healthcheck", (_PLATFORMS | _SPECIALISTS | _SERVED) - {"aiohttp"}),
    ],
)
def test_what_is_not_needed_is_not_loaded(modules: str, spared: set[str]) -> None:
    names = loaded(modules)
    assert modules.split(", ", maxsplit=1)[0] in names
    assert not spared & names
