"""Programs at both ends of the line: what is good is played, everything else is refused and killed."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import engine
from engine import engine_for, levels_of
from engine.wire import MAX_LINE, EngineClient, EngineServer, EngineTimeout, ProtocolViolation, client
from rules import GAMES

# Programs at the other end: what is good is played, everything else is refused and killed.


PROGRAMS = Path(__file__).with_name("programs.py")
GAME = GAMES["breakthrough"]


async def turn(program: EngineClient, key: str = "breakthrough") -> tuple[str, ...]:
    game = GAMES[key]
    return await program.turn(game, {}, game.start(game.choose({})), seconds=0.2)


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "GRACE", 0.5)
    monkeypatch.setattr(client, "GREETING", 5.0)
    monkeypatch.setattr(client, "MOST_LINES", 2000)


@pytest.mark.parametrize("kind", ["good", "late"])  # the late one is told to stop
async def test_a_good_program_plays(kind: str) -> None:
    program = EngineClient([sys.executable, str(PROGRAMS), kind])
    for _ in range(2):
        assert await turn(program) == ("a2-a3",)
    await program.close()


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        *((kind, "") for kind in ("illegal", "twice", "empty", "flood", "long", "refusing", "foreign")),
        ("dead", "ended by itself"),
        ("hung", "no answer in time"),
    ],
)
async def test_a_bad_program_is_refused_and_killed(kind: str, words: str) -> None:
    program = EngineClient([sys.executable, str(PROGRAMS), kind])
    with pytest.raises(EngineTimeout if kind == "hung" else ProtocolViolation, match=words or None):
        await turn(program)
    assert program._process is None


async def test_what_is_no_program_or_does_not_play_the_game() -> None:
    with pytest.raises(ProtocolViolation, match="no such program"):
        await turn(EngineClient(["/nowhere/at/all"]))
    program = EngineClient([sys.executable, str(PROGRAMS), "good"])
    with pytest.raises(ProtocolViolation):
        await turn(program, "lgame")


async def test_our_own_engine_can_be_driven(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(engine.__file__).parents[1])
    monkeypatch.setattr(client, "GREETING", 30.0)
    monkeypatch.setattr(client, "GRACE", 20.0)
    program = EngineClient([sys.executable, "-m", "engine"])
    for key, game in GAMES.items():
        played = await turn(program, key)
        here = game.start(game.choose({}))
        for text in played:
            (move,) = game.notation.parse(text, here)
            here = here.play(move)
    await program.close()


LINUX = pytest.mark.skipif(sys.platform != "linux", reason="needs prctl")

CLIENT = """
import asyncio, sys
from engine.wire import EngineClient
from rules import GAMES

async def main():
    game = GAMES["breakthrough"]
    program = EngineClient([sys.executable, *sys.argv[1:]])
    print(await program.turn(game, {}, game.start(game.choose({})), seconds=5), flush=True)
    await asyncio.sleep(3600)

asyncio.run(main())
"""


def has_ended(process: int) -> bool:
    """Whether a process ends within the time that a test has; it is known by its descriptor, not by an id that comes again."""
    return bool(select.select([process], [], [], 20)[0])


@LINUX
@pytest.mark.parametrize("stopped", [False, True])
async def test_what_a_program_leaves_behind_ends_with_it(tmp_path: Path, stopped: bool) -> None:
    program = EngineClient([sys.executable, str(PROGRAMS), "leaving", str(tmp_path / "pid")])
    await turn(program)
    left = int((tmp_path / "pid").read_text())
    process = os.pidfd_open(left)
    assert os.getsid(left) not in (os.getsid(0), program._process.pid if program._process else 0)
    if stopped:  # it cannot be told to end by any other signal
        os.kill(left, signal.SIGSTOP)
    await program.close()
    assert has_ended(process)
    os.close(process)


@LINUX
def test_it_ends_with_a_bot_that_is_killed_and_with_a_program_that_ends(tmp_path: Path) -> None:
    for victim in ("bot", "program"):
        told = tmp_path / victim
        command = [sys.executable, "-c", CLIENT, str(PROGRAMS), "leaving", str(told)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as bot:
            assert bot.stdout is not None
            assert bot.stdout.readline() == "('a2-a3',)\n"
            left = os.pidfd_open(int(told.read_text()))
            (launcher,) = children(bot.pid)
            (program,) = (each for each in children(launcher) if each != int(told.read_text()))
            os.kill(bot.pid if victim == "bot" else program, signal.SIGKILL)
            assert has_ended(left)
            bot.kill()
        os.close(left)


def children(parent: int) -> list[int]:
    held = Path("/proc").glob("[0-9]*/stat")
    stats = {int(path.parent.name): path.read_text().rpartition(")")[2].split() for path in held}
    return [pid for pid, stat in stats.items() if int(stat[1]) == parent]


@LINUX
async def test_a_program_is_given_its_path_and_its_pipes_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TELEGRAM_TOKEN", "123:secret")
    held = os.open(os.devnull, os.O_RDONLY)
    os.set_inheritable(held, True)
    program = EngineClient([sys.executable, str(PROGRAMS), "spying", str(tmp_path / "told")])
    await turn(program)
    await program.close()
    os.close(held)
    environment, descriptors = json.loads((tmp_path / "told").read_text())
    assert environment == [f"PATH={os.environ['PATH']}"]
    assert descriptors == [0, 1, 2]


# Our end of the protocol.


ROOT = Path(engine.__file__).parents[1]


class Talk:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self.server = EngineServer(GAMES, engine_for, levels_of, self.lines.append)

    def say(self, *lines: str) -> list[str]:
        """What is answered once everything is thought about."""
        before = len(self.lines)
        for line in lines:
            self.server.execute(line)
            self.server.join()
        return self.lines[before:]


@pytest.fixture
def talk() -> Talk:
    return Talk()


def test_it_says_who_it_is_and_what_it_plays(talk: Talk) -> None:
    lines = talk.say("klop")
    assert lines[0] == "id name Klop"
    assert {f"game {key}" for key in GAMES} <= set(lines)
    assert lines[-1] == "ok"


@pytest.mark.parametrize("key", sorted(GAMES))
def test_it_plays_every_preset_of_every_game(talk: Talk, key: str) -> None:
    game = GAMES[key]
    for preset in game.schema.presets:
        lines = talk.say(f"newgame {key} preset={preset}", "position start", "go nodes 50 seed 3")
        assert lines[:2] == ["ok", "ok"]
        turn = lines[-1].removeprefix("bestmove ").split("; ")
        assert talk.say(f"position start moves {'; '.join(turn)}") == ["ok"]


def test_a_position_goes_out_and_comes_back(talk: Talk) -> None:
    game = GAMES["breakthrough"]
    here = game.start(game.choose({}))
    here = here.play(here.legal_moves()[3])
    talk.say("newgame breakthrough")
    assert talk.say(f"position at {game.notation.format_position(here)} moves a7-a6") == ["ok"]


def test_several_turns_and_levels(talk: Talk) -> None:
    talk.say("newgame lgame", "position start")
    lines = talk.say("go multi 3")
    assert sum(line.startswith("info choice") for line in lines) == 3
    assert "proved draw" in lines[-2]
    assert talk.say("go level 2 seed 9")[-1].startswith("bestmove L ")
    assert talk.say("go level 2 seed 9") == talk.say("go level 2 seed 9")


def test_stop_ends_a_search_at_once(talk: Talk) -> None:
    talk.say("newgame breakthrough")
    talk.server.execute("go movetime 3600000")
    talk.server.execute("isready")
    talk.server.execute("position start")
    watchdog = threading.Timer(20, talk.server.stop)
    watchdog.start()
    talk.server.execute("stop")
    watchdog.cancel()
    assert "readyok" in talk.lines
    assert any(line.startswith("error busy") for line in talk.lines)
    assert talk.lines[-1].startswith("bestmove ")


@pytest.mark.parametrize(
    ("before", "line", "code"),
    [
        ("", "dance", "unknown-command"),
        ("", "newgame chess", "no-such-game"),
        ("", "newgame lgame variant=odd", "bad-option"),
        ("", "newgame lgame variant", "bad-option"),
        ("", "position start", "no-game"),
        ("", "go", "no-game"),
        *(("newgame breakthrough", line, code) for line, code in (
            ("position", "bad-position"),
            ("position at", "bad-position"),
            ("position at nowhere", "bad-position"),
            ("position start moves a2-a5", "bad-position"),
            ("go fast 3", "bad-go"),
            ("go nodes", "bad-number"),
            ("go nodes -4", "bad-number"),
            ("go nodes 3 nodes 4", "bad-go"),
            ("go level 9", "bad-number"),
            ("go level 3 multi 2", "bad-go"),
        )),
    ],
)  # fmt: skip
def test_what_cannot_be_followed_is_answered_and_a_game_goes_on(
    talk: Talk, before: str, line: str, code: str
) -> None:
    if before:
        talk.say(before)
    (said,) = talk.say(line)
    assert said.startswith(f"error {code}")
    assert not re.search(r"[a-z]\.[a-z]", said), "the key of words in a catalogue"
    assert not before or talk.say("go nodes 5")[-1].startswith("bestmove ")


def test_nothing_is_searched_once_a_game_is_over(talk: Talk) -> None:
    talk.say("newgame breakthrough board=2x4")
    moves = "a2xb3; a3xb2; b3xa4"
    assert talk.say(f"position start moves {moves}") == ["ok"]
    assert talk.say("go")[0].startswith("error game-over")


def test_the_program_reads_what_it_is_sent_and_bounds_it() -> None:
    sent = f"{'x' * (3 * MAX_LINE)}\nnewgame lgame\nposition start\ngo nodes 10\n"
    done = subprocess.run(
        [sys.executable, "-m", "engine"],
        input=sent,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    lines = done.stdout.splitlines()
    assert lines[0].startswith("error too-long")
    assert lines[1:3] == ["ok", "ok"]
    assert lines[-1].startswith("bestmove ")
