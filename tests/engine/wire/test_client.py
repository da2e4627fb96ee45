"""Programs at the other end: what is good is played, everything else is refused and killed."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import engine
from engine.wire import EngineClient, EngineTimeout, ProtocolViolation, client
from rules import GAMES

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
