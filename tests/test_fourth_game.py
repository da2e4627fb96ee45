"""A game joins by adding one folder, with no other file edited, and the suite that it passes can fail."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import tests.toy.notches
import tests.toy.tictactoe
from rules import GAMES
from rules.core import (
    AnyGame,
    Fork,
    IllegalMove,
    Kind,
    Mark,
    Outcome,
    Phrase,
    Piece,
    Reason,
    RulesError,
    Seat,
    Sides,
    Sign,
    Square,
)
from tests.rules import conformance
from tests.rules.cases import Case, cases
from tests.rules.conformance import CHECKS
from tests.rules.lines import Line, play_out
from tests.test_architecture import ROOT, copied, lint
from tests.toy.notches import GAME, Notch, Notches, Options
from tests.toy.notches.notation import NotchesNotation
from tests.toy.notches.position import End
from tests.toy.tictactoe import GAME as TICTACTOE

# A game joins by adding one folder, with no other file edited.


TOYS = {toy.GAME.key: Path(toy.__path__[0]) for toy in (tests.toy.notches, tests.toy.tictactoe)}
EXAMPLE = TOYS["tictactoe"]
PAGE = ROOT / "docs" / "adding-a-game.md"


@pytest.fixture(scope="module")
def joined(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tree with the words of its rules, the suite that games pass, and a folder more for each toy."""
    tree = copied(tmp_path_factory.mktemp("joined"))
    skipped = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "rules", tree / "rules", dirs_exist_ok=True, ignore=skipped)
    (tree / "tests" / "rules").mkdir()
    for path in (ROOT / "tests" / "rules").glob("*.py"):
        shutil.copyfile(path, tree / "tests" / "rules" / path.name)
    shutil.copyfile(ROOT / "pyproject.toml", tree / "pyproject.toml")
    for key, folder in TOYS.items():
        shutil.copytree(folder, tree / "rules" / key, ignore=skipped)
    return tree


def python(tree: Path, *arguments: str) -> str:
    """What Python says in that tree, which is all that it can see of the project."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=tree,
        env={"PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_it_is_no_game_of_ours() -> None:
    assert not TOYS.keys() & GAMES.keys()


def test_it_is_found(joined: Path) -> None:
    found = python(joined, "-c", "from rules import GAMES; print(*GAMES)")
    assert found.split() == sorted([*GAMES, *TOYS])


def test_it_stands_where_the_architecture_wants_it(joined: Path) -> None:
    code, answer = lint(joined)
    assert code == 0, answer


@pytest.mark.slow
@pytest.mark.parametrize("key", TOYS)
def test_it_passes_the_suite_of_every_game(joined: Path, key: str) -> None:
    report = joined / f"{key}.xml"
    run = ("-m", "pytest", "-p", "no:cacheprovider", "-m", "not slow", "-k", key)
    python(joined, *run, f"--junit-xml={report}", "tests")
    (suite,) = ElementTree.parse(report).getroot()
    assert int(suite.attrib["tests"]) > 100
    assert suite.attrib["failures"] == suite.attrib["errors"] == suite.attrib["skipped"] == "0"


def lines(text: str) -> str:
    """The lines of a text without blank ones and indentation: the formatter lays quotes out as modules."""
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())


def test_the_example_is_small_and_quoted_as_it_is() -> None:
    sources = [path.read_text("utf-8") for path in EXAMPLE.glob("*.py")]
    assert sum(source.count("\n") for source in sources) <= 150
    quotes = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert quotes
    for quote in quotes:
        assert any(lines(quote) in lines(source) for source in sources), quote


# The suite can fail: each check catches a toy game that is broken in the way it looks for.


class Nameless(Reason):
    """A reason that has no words."""

    WRONG = "notches.illegal.wrong"


class CopiedWithoutNotches(Notches):
    __slots__ = ()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.options, (frozenset(),) * len(self.notches), self.turn, self.left)


def starting(kind: type[Notches] = Notches, **broken: Any) -> AnyGame:
    """The game with positions of a kind, or with some of their methods replaced."""
    if broken:
        kind = type("Broken", (Notches,), {"__slots__": (), **broken})

    def start(chosen: Options) -> Notches:
        return kind(chosen, (frozenset(),) * chosen.players, Seat.S1, chosen.cuts)

    return replace(GAME, start=start)


def lenient(self: Notches, move: Notch) -> Notches:
    return self if self.refusal(self.turn, move.square) else Notches.play(self, move)


def without_words(self: Notches, move: Notch) -> Notches:
    try:
        return Notches.play(self, move)
    except IllegalMove:
        raise IllegalMove(Nameless.WRONG) from None


def wins_alone(self: Notches) -> Outcome | None:
    return Outcome((Seat.S1, Seat.S2), End.LAST_LEFT) if len(self.staying) == 1 else None


def ordered(self: Notches, move: Notch) -> Notches:
    after = Notches.play(self, move)
    if len(self.notches[0]) != 1 or self.turn != Seat.S1:
        return after
    first = min(after.notches[0])
    return replace(after, gone=after.gone | {Seat.S3}) if move.square == first else after


class OneText(NotchesNotation):
    def format(self, move: Notch) -> str:
        return "a1"


class Shouting(NotchesNotation):
    def parse(self, text: str, position: Notches) -> tuple[Notch, ...]:
        return super().parse("a0" if text.isupper() else text, position)


class ForgetsTheTurn(NotchesNotation):
    def format_position(self, position: Notches) -> str:
        return super().format_position(replace(position, left=position.options.cuts))


def shorter(position: Notches, chosen: Sequence[str]) -> Fork[Notch]:
    """One step fewer."""
    fork = GAME.fork(position, chosen)
    return replace(fork, steps=fork.steps[:-1]) if len(fork.steps) > 1 else fork


def longer(position: Notches, chosen: Sequence[str]) -> Fork[Notch]:
    """One way more to the same move."""
    if list(chosen) == ["again"]:
        return Fork("notches.fork.cell", move=position.legal_moves()[0])
    fork = GAME.fork(position, chosen)
    return replace(fork, steps=(*fork.steps, replace(fork.steps[0], token="again"))) if fork.steps else fork


def wordless(position: Notches, chosen: Sequence[str]) -> Fork[Notch]:
    """A question without words."""
    return replace(GAME.fork(position, chosen), prompt="notches.fork.nothing")


def drawn(**changes: Callable[[Any], Any]) -> Callable[..., Any]:
    """The diagram with some of its parts changed."""

    def draw(position: Notches, highlights: Any) -> Any:
        diagram = GAME.diagram(position, highlights)
        return replace(diagram, **{name: change(getattr(diagram, name)) for name, change in changes.items()})

    return draw


def one_side(chosen: Options) -> Sides:
    return (tuple(Seat(n) for n in range(chosen.players)),)


OFF_THE_BOARD = Piece(Kind.MAN, (Square(9, 9),))
TOO_LONG = Mark(Sign.CANDIDATE, Square(0, 0), "1234")
BROKEN: list[tuple[str, AnyGame]] = [
    ("moves", starting(legal_moves=lambda self: Notches.legal_moves(self) * 2)),
    ("moves", starting(play=lenient)),
    ("moves", starting(play=without_words)),
    ("moves", starting(legal_moves=lambda self: Notches.legal_moves(self)[1:])),
    ("seats", starting(outcome=property(wins_alone))),
    ("seats", starting(out=frozenset())),
    ("seats", starting(plies_left=1)),
    ("seats", replace(GAME, sides=one_side)),
    ("copies", starting(CopiedWithoutNotches)),
    ("end", starting(play=lambda self, move: self if self.outcome else Notches.play(self, move))),
    ("retire", starting(retire=lambda self, _: replace(self, left=self.left))),
    ("order", starting(play=ordered)),
    ("notation", replace(GAME, notation=OneText())),
    ("notation", replace(GAME, notation=Shouting())),
    ("values", replace(GAME, notation=ForgetsTheTurn())),
    ("fork", replace(GAME, fork=shorter)),
    ("fork", replace(GAME, fork=longer)),
    ("fork", replace(GAME, fork=wordless)),
    ("diagram", replace(GAME, diagram=drawn(pieces=lambda pieces: pieces * 2))),
    ("diagram", replace(GAME, diagram=drawn(pieces=lambda pieces: (*pieces, OFF_THE_BOARD)))),
    ("diagram", replace(GAME, diagram=drawn(marks=lambda _: ()))),
    ("diagram", replace(GAME, diagram=drawn(marks=lambda marks: (*marks, TOO_LONG)))),
    ("diagram", replace(GAME, diagram=drawn(out=lambda _: frozenset({Seat.S9})))),
    ("said", replace(GAME, say=lambda _, __: Phrase("notches.said.nothing"))),
    ("said", replace(GAME, say=lambda _, move: Phrase("notches.said.cut", {"square": move.square}))),
]


@pytest.mark.parametrize(("name", "game"), BROKEN)
def test_a_broken_game_is_caught(name: str, game: AnyGame) -> None:
    with pytest.raises((AssertionError, RulesError, pytest.fail.Exception)):
        look(name, game)


@pytest.mark.parametrize("name", sorted({name for name, _ in BROKEN}))
def test_the_whole_game_is_not(name: str) -> None:
    look(name, GAME)


FIRST, SECOND = GAME.lesson
LESSONS = {
    "that cannot be done": (FIRST, replace(SECOND, right=lambda *_: False)),
    "that cannot be missed": (FIRST, replace(SECOND, right=lambda *_: True)),
    "whose position is not a position": (FIRST, replace(SECOND, position="1....")),
    "whose task has no words": (FIRST, replace(SECOND, key="nothing")),
    "whose tasks have one key": (FIRST, FIRST),
    "which begins with a variant": (replace(FIRST, further=True), SECOND),
}


@pytest.mark.parametrize("broken", LESSONS)
def test_a_lesson_is_caught(broken: str) -> None:
    with pytest.raises((AssertionError, KeyError, RulesError)):
        conformance.check_lesson(replace(GAME, lesson=LESSONS[broken]))


def look(name: str, game: AnyGame) -> None:
    """One check, over a few games of three people."""
    for seed in range(3):
        line: Line = play_out(Case(game, (("board", "6x4"),)), seed)
        getattr(conformance, f"check_{name}")(line)


# The example of docs/adding-a-game.md passes the conformance suite.


@pytest.mark.parametrize("case", cases(TICTACTOE), ids=str)
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
def test_contract(case: Case, check: Callable[[Line], None]) -> None:
    check(play_out(case, 1, thorough=True))
