"""Our end of the protocol."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import engine
from engine import engine_for, levels_of
from engine.wire import MAX_LINE, EngineServer
from rules import GAMES

ROOT = Path(engine.__file__).parents[1]


class Talk:
    """A conversation."""

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
