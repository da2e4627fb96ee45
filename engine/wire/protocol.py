"""The lines of the protocol, and its server: takes lines, searches in a thread, answers with lines."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from engine.core import Budget, Engine, Level, SearchListener, SearchResult
from engine.levels import choose_turn
from rules.core import AnyGame, Position, RulesError

PROTOCOL: Final = 1  # the version of the protocol
MAX_LINE: Final = 65_536  # the most bytes of a line: a match of some thousand plies

_NUMBERS: Final[Mapping[str, tuple[int, int]]] = {
    "movetime": (1, 3_600_000),
    "nodes": (1, 10**12),
    "depth": (1, 1000),
    "level": (1, 8),
    "seed": (0, 2**63),
    "multi": (1, 100),
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
class _Go:
    """What a `go` asks for. Without a limit the engine thinks for a second; `movetime` is in milliseconds."""

    movetime: int | None = None
    nodes: int | None = None
    depth: int | None = None
    level: int | None = None
    seed: int = 0
    multi: int = 1

    @property
    def budget(self) -> Budget:
        if self.movetime is None and self.nodes is None and self.depth is None:
            return Budget(seconds=1.0)
        return Budget(self.movetime / 1000 if self.movetime else None, self.nodes, self.depth)


def _read_go(words: Sequence[str]) -> _Go:
    given: dict[str, int] = {}
    for name, number in zip(words[::2], [*words[1::2], ""], strict=False):
        if name not in _NUMBERS or name in given:
            raise WireError("bad-go", name)
        low, high = _NUMBERS[name]
        if not (number.isascii() and number.isdigit() and len(number) < 20 and low <= int(number) <= high):
            raise WireError("bad-number", f"{name} {number}: {low} to {high}")
        given[name] = int(number)
    return _Go(**given)


def _read_options(game: AnyGame, words: Sequence[str]) -> Any:
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


def _read_position(game: AnyGame, options: Any, text: str) -> Position[Any]:
    """Parse a position, `start` or `at <notation>` and perhaps ` moves <ply>; <ply>`; WireError if it is none."""
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
    what = refused.reason.value.rpartition(".")[2].replace("-", " ")
    named = ", ".join(f"{name} {value}" for name, value in refused.fields.items())
    return f"{what}: {named}" if named else what


def _plies(game: AnyGame, moves: Sequence[Any]) -> str:
    return "; ".join(map(game.notation.format, moves))


def _info_line(game: AnyGame, result: SearchResult[Any], number: int | None = None) -> str:
    choice = f" choice {number}" if number else ""
    proved = ""
    if result.proof:
        proved = f" proved {result.proof.result.name.lower()} plies {result.proof.plies}"
    return (
        f"info{choice} depth {result.depth} nodes {result.nodes} playouts {result.playouts} "
        f"value {result.value:.4f}{proved} line {_plies(game, result.line)}"
    )


class _Watch(SearchListener):
    __slots__ = ("_say", "_stop")

    def __init__(self, say: Callable[[SearchResult[Any]], None]) -> None:
        self._say = say
        self._stop = threading.Event()

    def better(self, result: SearchResult[Any]) -> None:
        self._say(result)

    def stopped(self) -> bool:
        return self._stop.is_set()

    def stop(self) -> None:
        self._stop.set()


class EngineServer:
    """One conversation; `write` sends a line, and is called by several threads, one at a time."""

    def __init__(
        self,
        games: Mapping[str, AnyGame],
        engine_for: Callable[[AnyGame, Any, Position[Any]], Engine[Any, Any]],
        levels_of: Callable[[str, Any], Mapping[int, Level]],
        write: Callable[[str], None],
    ) -> None:
        self._games: Final = games
        self._engine_for: Final = engine_for
        self._levels_of: Final = levels_of
        self._write: Final = write
        self._lock: Final = threading.Lock()
        self._game: AnyGame | None = None
        self._options: Any = None
        self._position: Position[Any] | None = None
        self._watch: _Watch | None = None
        self._thread: threading.Thread | None = None
        self._thinking = False

    def execute(self, line: str) -> bool:
        """Execute a line; return False after `quit`."""
        words = line.split()
        if not words:
            return True
        try:
            return self._command(words[0], line.strip().removeprefix(words[0]).strip(), words[1:])
        except WireError as error:
            self._send(str(error))
        return True

    def _command(self, command: str, rest: str, words: list[str]) -> bool:
        match command:
            case "quit":
                self.stop()
                return False
            case "stop":
                self.stop()
            case "isready":
                self._send("readyok")
            case "klop":
                for answer in (
                    "id name Klop",
                    f"protocol {PROTOCOL}",
                    *(f"game {key}" for key in self._games),
                    "ok",
                ):
                    self._send(answer)
            case _ if self._thinking:
                raise WireError("busy", "thinking: stop, or wait for bestmove")
            case "newgame":
                self._new(words)
            case "position":
                game = self._playing()
                self._position = _read_position(game, self._options, rest)
                self._send("ok")
            case "go":
                self._go(_read_go(words))
            case _:
                raise WireError("unknown-command", command[:40])
        return True

    def stop(self) -> None:
        """Stop a running search and wait for its answer."""
        if self._watch:
            self._watch.stop()
        self.join()

    def join(self) -> None:
        """Wait for a running search."""
        if self._thread:
            self._thread.join()

    def _new(self, words: list[str]) -> None:
        game = self._games.get(words[0]) if words else None
        if game is None:
            raise WireError("no-such-game", f"known: {', '.join(self._games)}")
        self._options = _read_options(game, words[1:])
        self._game, self._position = game, game.start(self._options)
        self._send("ok")

    def _playing(self) -> AnyGame:
        if self._game is None:
            raise WireError("no-game", "newgame comes first")
        return self._game

    def _go(self, go: _Go) -> None:
        game, position = self._playing(), self._position
        if position is None or position.outcome is not None:
            raise WireError("game-over")
        if go.level is not None and go.multi > 1:
            raise WireError("bad-go", "a level plays one turn")
        self._watch = watch = _Watch(lambda result: self._send(_info_line(game, result)))
        self._thread = threading.Thread(
            target=self._think, args=(game, position, go, watch), name="thinking", daemon=True
        )
        self._thinking = True
        self._thread.start()

    def _think(self, game: AnyGame, position: Position[Any], go: _Go, watch: _Watch) -> None:
        try:
            engine = self._engine_for(game, self._options, position)
            if go.level is not None:
                level = self._levels_of(game.key, self._options)[go.level]
                results = [choose_turn(game, engine, position, level, seed=go.seed, listener=watch)]
            elif go.multi > 1:
                results = list(
                    engine.ranked(position, go.budget, most=go.multi, seed=go.seed, listener=watch)
                )
            else:
                results = [engine.think(position, go.budget, seed=go.seed, listener=watch)]
        except Exception as broken:  # noqa: BLE001 - every `go` is answered
            self._thinking = False
            self._send(str(WireError("engine-failed", f"{type(broken).__name__} {broken}")))
            return
        for number, result in enumerate(results, 1):
            self._send(_info_line(game, result, number if go.multi > 1 else None))
        self._thinking = False  # before the answer, after which the client may ask again at once
        self._send(f"bestmove {_plies(game, results[0].turn)}")

    def _send(self, line: str) -> None:
        with self._lock:
            self._write(line)
