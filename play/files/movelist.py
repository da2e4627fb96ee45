"""Reading what other programs write: a list of moves, with or without numbers, tags, comments, variations and a result.

Comments stand in braces or behind a semicolon, a line that begins with a per cent sign is one, and so are signs like `$1`.
They are kept, as are variations in brackets and tags, for the files that are written of the match.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from play.errors import BadMoveList, BadRequest, Refused
from play.files.matchreader import MAX_ENTRIES, MAX_FILE, TAGS, Record, bad, kept
from play.match import COMMENT, Closing, Ply, Result, Start
from play.people import Player, clean, filed
from play.replay import begun, extended
from rules.core import MAX_SEATS, AnyGame, BadNotation, BadOption, RulesError, Seat, Spelling

_OURS: Final = re.compile(r"^\[(?:Match|Rules|Host|Opened) ", re.MULTILINE)
_TAG: Final = re.compile(r'\[(\w{1,40})((?:[ \t]+"(?:[^"\\\n]|\\.)*")+)\]')
_TOKEN: Final = re.compile(
    rf"(?P<tag>^[ \t]*{_TAG.pattern}[ \t\r]*$)"
    r"|(?P<comment>\{[^{}]*\}|(?:^|(?<=\s));[^\n]*|^%[^\n]*|\$[0-9]{1,3})"
    r"|(?P<number>[0-9]{1,4}(?:\.{1,3}|…|\)))|(?P<bracket>[()])|(?P<word>[^\s,;()]+)",
    re.MULTILINE,
)
_VALUE: Final = re.compile(r'"((?:[^"\\]|\\.)*)"')
_BOARD: Final = re.compile(r"[0-9]+ ?[xх*×] ?[0-9]+\Z")  # a number alone is that of a table
_RESULT: Final = re.compile(r"(1[-:–]0|0[-:–]1|(?:1/2|½)[-:–](?:1/2|½)|\*)\Z")
_SEATS: Final = {"White": 0, "Black": 1, **{f"Player{seat + 1}": seat for seat in range(MAX_SEATS)}}
_JOINED: Final = 12  # words that one turn is written with, at most


@dataclass(frozen=True, slots=True)
class _MoveWord:
    """A word of a list, and where it stands: its line and column from 1, and its turn.

    A turn begins with a number; where there are no numbers yet, with a line.
    """

    text: str
    line: int
    column: int
    turn: int


@dataclass(frozen=True, slots=True)
class _Tag:
    name: str
    values: Sequence[str]
    line: int


@dataclass(slots=True)
class _List:
    """The parts of a list: tags, words, comments with the number of words before each, and a result with its line."""

    tags: list[_Tag] = field(default_factory=list)
    words: list[_MoveWord] = field(default_factory=list)
    comments: list[tuple[int, str]] = field(default_factory=list)
    result: tuple[str, int] | None = None
    varied: bool = False  # some comments are variations


@dataclass(slots=True)
class _Reading:
    """A list as a game reads it: the plies, and the word and the refusal that it stopped at."""

    game: AnyGame
    options: Any
    log: list[Ply] = field(default_factory=list)
    start: Start | None = None
    starts: list[int] = field(default_factory=list)  # by ply: the first word of what it was read from
    read: int = 0  # words
    stopped: tuple[_MoveWord, RulesError] | None = None


def read_list(text: str, games: Mapping[str, AnyGame], at: datetime) -> Record | None:
    """Return the record of a list of moves, each at one time; None where a text is none, but perhaps a match file.

    The game is the one that a tag names, or else the first that can read all moves. Tags that say nothing of the rules,
    the players or the result are remarks.
    """
    if len(text) > MAX_FILE:
        raise BadRequest(Refused.FILE_TOO_LONG, limit=MAX_FILE)
    if len(set(_OURS.findall(text))) > 1:
        return None
    held = _parts(text.removeprefix("\ufeff"))
    for tag in held.tags:
        if tag.name == "Result" and held.result is None and tag.values[0] not in {"?", "unfinished"}:
            if not _RESULT.match(tag.values[0]):
                raise bad(tag.line, f'[Result "{tag.values[0]}"]')
            held.result = tag.values[0], tag.line
    # Who has read most of it; a move that a game refuses is closer than no move at all.
    best = max(
        (_read(game, held, at) for game in _named(held.tags, games)),
        key=lambda one: (one.read, not (one.stopped and isinstance(one.stopped[1], BadNotation))),
    )
    if best.options is not None:
        _check_start(best, held.tags)
    if best.stopped:
        word, refusal = best.stopped
        if not best.log and isinstance(refusal, BadNotation) and not held.tags:
            return None
        raise BadMoveList(word.line, word.column, clean(word.text, 40), refusal)
    return _record(text, held, best, at) if best.log else None


def _named(tags: Sequence[_Tag], games: Mapping[str, AnyGame]) -> Sequence[AnyGame]:
    for tag in tags:
        key = re.sub(r"[\W_]", "", tag.values[0].casefold())
        if tag.name in {"Game", "Variant", "GameType"} and key in games:
            return [games[key]]
    return list(games.values())


def _parts(text: str) -> _List:
    held, turn = _List(), 0
    for kind, found, line, column in _main_line(text):
        if kind == "tag":
            [(name, values)] = _TAG.findall(found)
            plain = [re.sub(r'\\(["\\])', r"\1", value) for value in _VALUE.findall(values)]
            held.tags.append(_Tag(name, plain, line))
        elif kind in {"comment", "variation"}:
            held.varied |= kind == "variation"
            held.comments.append((len(held.words), found.strip("{};% \t\r")))
        elif kind == "number":
            turn += 1
        elif _RESULT.match(found):
            held.result = found, line
        else:
            held.words.append(_MoveWord(found, line, column, turn or -line))
    if len(held.words) > MAX_ENTRIES:
        raise BadRequest(Refused.FILE_TOO_LONG, limit=MAX_ENTRIES)
    return held


def _main_line(text: str) -> Iterator[tuple[str, str, int, int]]:
    """Yield the kind and the text of each part, with its line and column; a variation, and all within it, is one part."""
    opened: list[tuple[int, int, int]] = []  # brackets
    line, above, seen = 1, -1, 0
    for found in _TOKEN.finditer(text):
        start, kind = found.start(), found.lastgroup or ""
        if breaks := text.count("\n", seen, start):
            line, above = line + breaks, text.rindex("\n", seen, start)
        seen = start
        if found[0] == "(":
            opened.append((start, line, start - above))
        elif not found[0].endswith(")") or not (opened or kind == "bracket"):
            if not opened:
                yield kind, found[0], line, start - above
        elif not opened:
            raise _lone_bracket(")", line, start - above)
        else:
            begun_at, *place = opened.pop()
            if not opened:
                yield "variation", text[begun_at : found.end()], place[0], place[1]
    if opened:
        raise _lone_bracket("(", *opened[0][1:])


def _lone_bracket(bracket: str, line: int, column: int) -> BadMoveList:
    return BadMoveList(line, column, bracket, BadNotation(Spelling.NOT_A_MOVE, text=bracket))


def _options(game: AnyGame, tags: Sequence[_Tag]) -> Any:
    """Return the options that tags ask for: by `Option`, or by a name and a value that the game has."""
    chosen = {}
    known = {"preset", *(option.key for option in game.schema.options)}
    for tag in tags:
        name, value = tag.name.casefold(), tag.values[0]
        if tag.name == "Option" and len(tag.values) == 2:
            chosen[value] = tag.values[1]
        elif name in {"board", "size", "boardsize"} and _BOARD.match(value):
            chosen["board"] = value
        elif name != "board" and name in known:
            with suppress(BadOption):
                game.schema.read({name: value})
                chosen[name] = value
    return game.choose(chosen)


_STARTS: Final = frozenset({"fen", "position", "start"})


def _start_in(tags: Sequence[_Tag], game: AnyGame, options: Any) -> Start | None:
    """Return where a list begins, by its tags; None: where its game does, or at no position of this game."""
    for tag in tags:
        if tag.name.casefold() in _STARTS:
            with suppress(RulesError):
                position = game.notation.parse_position(tag.values[0], options)
                return (
                    None
                    if position == game.start(options)
                    else Start(game.notation.format_position(position))
                )
    return None


def _check_start(held: _Reading, tags: Sequence[_Tag]) -> None:
    for tag in tags:
        if tag.name.casefold() in _STARTS:
            try:
                held.game.notation.parse_position(tag.values[0], held.options)
            except RulesError as refusal:
                raise BadRequest(Refused.OTHER_START, line=tag.line) from refusal


def _read(game: AnyGame, parts: _List, at: datetime) -> _Reading:
    words = parts.words
    try:
        options = _options(game, parts.tags)
    except BadOption as refusal:
        return _Reading(game, None, stopped=(_MoveWord("[Option]", 1, 1, 0), refusal))
    held = _Reading(game, options)
    held.start = _start_in(parts.tags, game, options)
    position = begun(game, options, held.start).start
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
                held.starts.append(index)
                position = position.play(move)
            index += count
            break
        else:
            return held
    held.stopped, held.read = None, index
    return held


def _record(text: str, parts: _List, held: _Reading, at: datetime) -> Record:
    code = hashlib.sha256(text.encode(errors="replace")).hexdigest()[:6]
    count = held.game.seats(held.options)
    called: dict[int, _Tag] = {}
    for tag in parts.tags:
        if (seat := _SEATS.get(tag.name, count)) < count and seat not in called and tag.values[0]:
            called[seat] = tag
    players = [
        Player(filed(code, seat + 1), called[seat].values[0] if seat in called else str(seat + 1))
        for seat in range(count)
    ]
    remarks = [
        (f"Source{tag.name}" if tag.name in TAGS else tag.name, *tag.values)
        for tag in parts.tags
        if tag.name != "Option" and tag not in called.values()
    ]
    remarks += [
        (COMMENT, str(bisect_left(held.starts, before)), comment) for before, comment in parts.comments
    ]
    short = kept(remarks)
    return Record(
        game=held.game.key,
        match=code,
        rules_version=held.game.rules_version,
        options=tuple(held.game.describe(held.options).items()),
        players=tuple(players),
        host=players[0],
        opened=at,
        result=_decided(held, _stated(parts.result[0]) if parts.result else None),
        log=tuple(held.log),
        remarks=short,
        start=held.start,
        aside=parts.varied or len(short) < len(remarks),
        places=tuple((parts.words[start].line, parts.words[start].column) for start in held.starts),
        tag_lines={"Result": parts.result[1] if parts.result else 1},
    )


def _decided(held: _Reading, stated: Result | None) -> Result | None:
    """Return the result by the rules, unless another one is stated, which is refused later; else the stated one."""
    decided = extended(begun(held.game, held.options, held.start), held.log).result
    return decided if decided and (stated is None or stated.winners == decided.winners) else stated


def _stated(result: str) -> Result | None:
    """Return a result that is written behind moves which do not decide the game."""
    if result == "*":
        return None
    if result[0] == result[-1] or "½" in result or "/" in result:
        return Result((), Closing.DRAW_AGREED.value)
    return Result((Seat.S1 if result[0] == "1" else Seat.S2,), Closing.RESIGNED.value)
