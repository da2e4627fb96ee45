"""Parse and format the lines of the protocol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from engine.core import Budget, SearchResult
from rules.core import AnyGame, Position, RulesError

PROTOCOL: Final = 1
"""The version of the protocol."""

MAX_LINE: Final = 65_536
"""The most bytes of a line: a match of some thousand plies."""

MOST: Final = 100
"""The most alternatives that `multi` may ask for."""

_NUMBERS: Final[Mapping[str, tuple[int, int]]] = {
    "movetime": (1, 3_600_000),
    "nodes": (1, 10**12),
    "depth": (1, 1000),
    "level": (1, 8),
    "seed": (0, 2**63),
    "multi": (1, MOST),
}


class WireError(Exception):
    """A line that the server rejects."""

    def __init__(self, code: str, text: str = "") -> None:
        super().__init__(code, text)
        self.code = code  # a word for programs
        self.text = " ".join(text.split())[:200]  # the rest, for people

    def __str__(self) -> str:
        return f"error {self.code} {self.text}".rstrip()


@dataclass(frozen=True, slots=True)
class Go:
    """What a `go` asks for. Without a limit the engine thinks for a second; `movetime` is in milliseconds."""

    movetime: int | None = None
    nodes: int | None = None
    depth: int | None = None
    level: int | None = None
    seed: int = 0
    multi: int = 1

    @property
    def budget(self) -> Budget:
        """The limits as a budget."""
        if self.movetime is None and self.nodes is None and self.depth is None:
            return Budget(seconds=1.0)
        return Budget(self.movetime / 1000 if self.movetime else None, self.nodes, self.depth)


def read_go(words: Sequence[str]) -> Go:
    """Parse the words of a `go`.

    Raises:
        WireError: a word is unknown, or a number is malformed or out of bounds.
    """
    given: dict[str, int] = {}
    for name, number in zip(words[::2], [*words[1::2], ""], strict=False):
        if name not in _NUMBERS or name in given:
            raise WireError("bad-go", name)
        low, high = _NUMBERS[name]
        if not (number.isascii() and number.isdigit() and len(number) < 20 and low <= int(number) <= high):
            raise WireError("bad-number", f"{name} {number}: {low} to {high}")
        given[name] = int(number)
    return Go(**given)


def read_options(game: AnyGame, words: Sequence[str]) -> Any:
    """Parse the options of a game from `key=value` words.

    Raises:
        WireError: they cannot be played.
    """
    chosen: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or key in chosen:
            raise WireError("bad-option", word)
        chosen[key] = value
    try:
        return game.choose(chosen)
    except RulesError as refused:
        raise WireError("bad-option", _refusal(refused)) from None


def read_position(game: AnyGame, options: Any, text: str) -> Position[Any]:
    """Parse a position: `start` or `at <notation>`, and perhaps ` moves <ply>; <ply>`.

    Raises:
        WireError: it is no position, or a move cannot be played.
    """
    before, moves, after = f" {text} ".partition(" moves ")
    word, _, written = before.strip().partition(" ")
    if word not in ("start", "at") or (word == "start") is bool(written):
        raise WireError("bad-position", "start, or at and a position")
    try:
        here: Position[Any] = (
            game.start(options) if word == "start" else game.notation.parse_position(written, options)
        )
        for ply in filter(None, (ply.strip() for ply in after.split(";"))) if moves else ():
            for move in game.notation.parse(ply, here):
                here = here.play(move)
    except RulesError as refused:
        raise WireError("bad-position", _refusal(refused)) from None
    return here


def _refusal(refused: RulesError) -> str:
    """Say what the rules refuse, without the key of its words in the catalogues."""
    what = refused.reason.value.rpartition(".")[2].replace("-", " ")
    named = ", ".join(f"{name} {value}" for name, value in refused.fields.items())
    return f"{what}: {named}" if named else what


def plies(game: AnyGame, moves: Sequence[Any]) -> str:
    """Format plies."""
    return "; ".join(map(game.notation.format, moves))


def info_line(game: AnyGame, result: SearchResult[Any], number: int | None = None) -> str:
    """Format what is known of a turn."""
    choice = f" choice {number}" if number else ""
    proved = ""
    if result.proof:
        proved = f" proved {result.proof.result.name.lower()} plies {result.proof.plies}"
    return (
        f"info{choice} depth {result.depth} nodes {result.nodes} playouts {result.playouts} "
        f"value {result.value:.4f}{proved} line {plies(game, result.line)}"
    )


def bestmove_line(game: AnyGame, result: SearchResult[Any]) -> str:
    """Format the turn that is played."""
    return f"bestmove {plies(game, result.turn)}"
