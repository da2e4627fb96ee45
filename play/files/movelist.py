"""Reading what other programs write: a list of moves, with or without numbers, tags, comments in braces and a result."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from play.errors import BadMoveList, BadRequest, Refused
from play.files.matchreader import MAX_ENTRIES, MAX_FILE, bad
from play.files.record import Record
from play.match import Closing, Ply, Result
from play.people import Player, clean, filed
from play.replay import begun, extended
from rules.core import AnyGame, BadNotation, BadOption, Position, RulesError, Seat

_OURS: Final = re.compile(r"^\[(?:Match|Rules|Host|Opened) ", re.MULTILINE)
_TAG: Final = re.compile(r'^[ \t]*\[(\w+)((?:[ \t]+"[^"\n]*")+)\][ \t\r]*$', re.MULTILINE)
_VALUE: Final = re.compile(r'"([^"]*)"')
_COMMENT: Final = re.compile(r"\{[^{}]*\}")
_WORD: Final = re.compile(r"[0-9]{1,4}(?:\.{1,3}|…|\))|[^\s,;]+?(?=[\s,;]|\Z)")
_NUMBER: Final = re.compile(r"[0-9]{1,4}(?:\.{1,3}|…|\))\Z")
_RESULT: Final = re.compile(r"(1[-:–]0|0[-:–]1|(?:1/2|½)[-:–](?:1/2|½)|\*)\Z")
_JOINED: Final = 12
"""Words that one turn is written with, at most."""


@dataclass(frozen=True, slots=True)
class _MoveWord:
    """A word of a list, and where it stands: its line and column from 1, and its turn, which a number begins."""

    text: str
    line: int
    column: int
    turn: int


@dataclass(slots=True)
class _Reading:
    """A list as a game reads it: the plies, and the word and the refusal that it stopped at."""

    game: AnyGame
    options: Any
    log: list[Ply] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    read: int = 0  # words
    stopped: tuple[_MoveWord, RulesError] | None = None


def read_list(text: str, games: Mapping[str, AnyGame], at: datetime) -> Record | None:
    """Return the record of a list of moves, each at one time; None where a text is none, but perhaps a match file.

    The game is the one that a tag names, or else the first that can read all moves. Tags that say nothing of the rules,
    the players or the result are passed over.

    Raises:
        BadRequest: too long, a move that the rules refuse, or a result that is no result.
        BadOption: options that cannot be played.
    """
    if len(text) > MAX_FILE:
        raise BadRequest(Refused.FILE_TOO_LONG, limit=MAX_FILE)
    if _OURS.search(text):
        return None
    tags = [(found[1], _VALUE.findall(found[2]), _line(text, found.start())) for found in _TAG.finditer(text)]
    words, result = _words(text)
    for name, values, line in tags:
        if name == "Result" and result is None and values[0] not in {"?", "unfinished"}:
            if not _RESULT.match(values[0]):
                raise bad(line, f'[Result "{values[0]}"]')
            result = values[0], line
    best = max((_read(game, tags, words, at) for game in _named(tags, games)), key=_closeness)
    if best.stopped:
        word, refusal = best.stopped
        if not best.log and isinstance(refusal, BadNotation) and not tags:
            return None
        raise BadMoveList(word.line, word.column, clean(word.text, 40), refusal)
    return _record(text, tags, best, at, result) if best.log else None


def _named(tags: Sequence[tuple[str, list[str], int]], games: Mapping[str, AnyGame]) -> Sequence[AnyGame]:
    """Return the games that a list may be of."""
    for name, values, _ in tags:
        key = re.sub(r"[\W_]", "", values[0].casefold())
        if name in {"Game", "Variant", "GameType"} and key in games:
            return [games[key]]
    return list(games.values())


def _closeness(held: _Reading) -> tuple[int, bool]:
    """Return how much of a list a game has read; a move that it refuses is closer than no move at all."""
    return held.read, held.stopped is None or not isinstance(held.stopped[1], BadNotation)


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _words(text: str) -> tuple[Sequence[_MoveWord], tuple[str, int] | None]:
    """Return the words of the moves, and the result behind them with its line."""

    def blank(found: re.Match[str]) -> str:
        return re.sub(r"[^\n]", " ", found[0])

    words: list[_MoveWord] = []
    result, turn = None, 0
    plain = _COMMENT.sub(blank, _TAG.sub(blank, text.removeprefix("\ufeff")))
    for number, line in enumerate(plain.split("\n"), 1):
        for found in _WORD.finditer(line):
            if _NUMBER.match(found[0]):
                turn += 1
            elif _RESULT.match(found[0]):
                result = found[0], number
            else:
                words.append(_MoveWord(found[0], number, found.start() + 1, turn))
        turn += 1
    if len(words) > MAX_ENTRIES:
        raise BadRequest(Refused.FILE_TOO_LONG, limit=MAX_ENTRIES)
    return words, result


def _read(
    game: AnyGame, tags: Sequence[tuple[str, list[str], int]], words: Sequence[_MoveWord], at: datetime
) -> _Reading:
    try:
        options = game.choose({v[0]: v[1] for name, v, _ in tags if name == "Option" and len(v) == 2})
    except BadOption as refusal:
        return _Reading(game, None, stopped=(_MoveWord("[Option]", 1, 1, 0), refusal))
    held = _Reading(game, options)
    position: Position[Any] = game.start(options)
    index = 0
    while index < len(words):
        held.stopped, held.read = None, index
        turn = [word for word in words[index : index + _JOINED] if word.turn == words[index].turn]
        for count in range(len(turn), 0, -1):
            try:
                moves = game.notation.parse(" ".join(word.text for word in turn[:count]), position)
            except RulesError as refusal:
                if held.stopped is None or not isinstance(refusal, BadNotation):
                    held.stopped = turn[0], refusal
                continue
            for move in moves:
                held.log.append(Ply(position.to_move, game.notation.format(move), at))
                held.lines.append(turn[0].line)
                position = position.play(move)
            index += count
            break
        else:
            return held
    held.stopped, held.read = None, index
    return held


def _record(
    text: str,
    tags: Sequence[tuple[str, list[str], int]],
    held: _Reading,
    at: datetime,
    result: tuple[str, int] | None,
) -> Record:
    code = hashlib.sha256(text.encode(errors="replace")).hexdigest()[:6]
    names = {name: values[0] for name, values, _ in tags}
    called = [names.get("White") or names.get("Player1"), names.get("Black") or names.get("Player2")]
    count = held.game.seats(held.options)
    players = [
        Player(filed(code, seat), (called[seat - 1] if seat <= len(called) else None) or str(seat))
        for seat in range(1, count + 1)
    ]
    return Record(
        game=held.game.key,
        match=code,
        rules_version=held.game.rules_version,
        options=tuple(held.game.describe(held.options).items()),
        players=tuple(players),
        host=players[0],
        opened=at,
        result=_decided(held, _stated(result[0]) if result else None),
        log=tuple(held.log),
        lines=tuple(held.lines),
        tag_lines={"Result": result[1] if result else 1},
    )


def _decided(held: _Reading, stated: Result | None) -> Result | None:
    """Return the result by the rules, unless another one is stated, which is refused later; else the stated one."""
    decided = extended(begun(held.game, held.options), held.log).result
    return decided if decided and (stated is None or stated.winners == decided.winners) else stated


def _stated(result: str) -> Result | None:
    """Return a result that is written behind moves which do not decide the game."""
    if result == "*":
        return None
    if result[0] == result[-1] or "½" in result or "/" in result:
        return Result((), Closing.DRAW_AGREED.value)
    return Result((Seat.S1 if result[0] == "1" else Seat.S2,), Closing.RESIGNED.value)
