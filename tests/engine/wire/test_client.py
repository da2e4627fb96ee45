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
