"""The server of the protocol: takes lines, searches in a thread, answers with lines."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any, Final

from engine.core import Engine, Level, SearchListener, SearchResult, choose_turn
from engine.wire.protocol import (
    PROTOCOL,
    Go,
    WireError,
    bestmove_line,
    info_line,
    read_go,
    read_options,
    read_position,
)
from rules.core import AnyGame, Position


class _Watch(SearchListener):
    """Reports what a search finds, and stops it."""

    __slots__ = ("_say", "_stop")

    def __init__(self, say: Callable[[SearchResult[Any]], None]) -> None:
        self._say = say
        self._stop = threading.Event()

    def better(self, result: SearchResult[Any]) -> None:
        self._say(result)

    def stopped(self) -> bool:
        return self._stop.is_set()

    def stop(self) -> None:
        """Have the search answer at once."""
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

    def hear(self, line: str) -> bool:
        """Execute a line; return False after `quit`."""
        words = line.split()
        if not words:
            return True
        try:
            return self._follow(words[0], line.strip().removeprefix(words[0]).strip(), words[1:])
        except WireError as error:
            self._say(str(error))
        return True

    def _follow(self, command: str, rest: str, words: list[str]) -> bool:
        match command:
            case "quit":
                self.stop()
                return False
            case "stop":
                self.stop()
            case "isready":
                self._say("readyok")
            case "klop":
                self._greet()
            case _ if self._thinking:
                raise WireError("busy", "thinking: stop, or wait for bestmove")
            case "newgame":
                self._new(words)
            case "position":
                game = self._playing()
                self._position = read_position(game, self._options, rest)
                self._say("ok")
            case "go":
                self._go(read_go(words))
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

    def _greet(self) -> None:
        self._say("id name Klop")
        self._say(f"protocol {PROTOCOL}")
        for key in self._games:
            self._say(f"game {key}")
        self._say("ok")

    def _new(self, words: list[str]) -> None:
        game = self._games.get(words[0]) if words else None
        if game is None:
            raise WireError("no-such-game", f"known: {', '.join(self._games)}")
        self._options = read_options(game, words[1:])
        self._game, self._position = game, game.start(self._options)
        self._say("ok")

    def _playing(self) -> AnyGame:
        if self._game is None:
            raise WireError("no-game", "newgame comes first")
        return self._game

    def _go(self, go: Go) -> None:
        game, position = self._playing(), self._position
        if position is None or position.outcome is not None:
            raise WireError("game-over")
        if go.level is not None and go.multi > 1:
            raise WireError("bad-go", "a level plays one turn")
        self._watch = watch = _Watch(lambda result: self._say(info_line(game, result)))
        self._thread = threading.Thread(
            target=self._think, args=(game, position, go, watch), name="thinking", daemon=True
        )
        self._thinking = True
        self._thread.start()

    def _think(self, game: AnyGame, position: Position[Any], go: Go, watch: _Watch) -> None:
        try:
            engine = self._engine_for(game, self._options, position)
            if go.level is not None:
                level = self._levels_of(game.key, self._options)[go.level]
                results = [choose_turn(engine, position, level, seed=go.seed, listener=watch)]
            elif go.multi > 1:
                results = list(
                    engine.ranked(position, go.budget, most=go.multi, seed=go.seed, listener=watch)
                )
            else:
                results = [engine.think(position, go.budget, seed=go.seed, listener=watch)]
        except Exception as broken:  # noqa: BLE001 - every `go` is answered
            self._thinking = False
            self._say(str(WireError("engine-failed", f"{type(broken).__name__} {broken}")))
            return
        for number, result in enumerate(results, 1):
            self._say(info_line(game, result, number if go.multi > 1 else None))
        self._thinking = False  # before the answer, after which the client may ask again at once
        self._say(bestmove_line(game, results[0]))

    def _say(self, line: str) -> None:
        with self._lock:
            self._write(line)
