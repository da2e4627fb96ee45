"""Programs at the other end: what is good is played, everything else is refused and killed."""

from __future__ import annotations

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


async def test_a_good_program_plays() -> None:
    program = EngineClient([sys.executable, str(PROGRAMS), "good"])
    assert await turn(program) == ("a2-a3",)
    assert await turn(program) == ("a2-a3",)
    await program.close()


async def test_one_that_is_late_is_told_to_stop() -> None:
    program = EngineClient([sys.executable, str(PROGRAMS), "late"])
    assert await turn(program) == ("a2-a3",)
    await program.close()


@pytest.mark.parametrize(
    "kind", ["illegal", "twice", "empty", "dead", "flood", "long", "refusing", "foreign"]
)
async def test_a_bad_program_is_refused(kind: str) -> None:
    program = EngineClient([sys.executable, str(PROGRAMS), kind])
    with pytest.raises(ProtocolViolation):
        await turn(program)
    assert program._process is None


async def test_one_that_hangs_is_killed() -> None:
    program = EngineClient([sys.executable, str(PROGRAMS), "hung"])
    with pytest.raises(EngineTimeout, match="no answer in time"):
        await turn(program)
    assert program._process is None


async def test_one_that_ends_is_said_to_have_ended() -> None:
    with pytest.raises(ProtocolViolation, match="ended by itself"):
        await turn(EngineClient([sys.executable, str(PROGRAMS), "dead"]))


async def test_what_is_no_program_or_does_not_play_the_game() -> None:
    with pytest.raises(ProtocolViolation):
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
