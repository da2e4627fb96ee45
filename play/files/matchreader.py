"""Reading match files: strict about what they say, and about nothing else.

What a match file holds, before the rules have been asked about it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from play.errors import BadRequest, Refused
from play.match import COMMENT, ODDS, Closing, Entry, Exit, Match, Ply, Result, Return, Start
from play.people import Account, Player, clean, harmless
from play.time.clock import Clock
from play.time.clock_text import read as read_clock
from rules.core import MAX_SEATS, Seat

MAX_REMARKS: Final = 8000
"""Characters of remarks that are kept; a file of the longest log stays within what is read."""


@dataclass(frozen=True, slots=True)
class Record:
    """What a match file holds.

    Attributes:
        left: What each seat had left, by seat: the one on turn when its time began to run; nothing before the start.
        running: Whose time runs, and since when.
        remarks: What the file says otherwise: tags of other programs, each a name and its values, and comments, each
            `Comment`, the number of entries before it, and its text.
        aside: Whether it has variations, or more remarks than are kept.
        places: The line and the column of each entry of the log in the file, from 1; empty unless read from one.
        tag_lines: In which line each tag was; of several, the last.
    """

    game: str
    match: str
    rules_version: int
    options: tuple[tuple[str, str], ...]
    players: tuple[Player, ...]
    host: Player
    opened: datetime
    result: Result | None
    log: tuple[Entry, ...]
    follows: str | None = None
    clock: Clock | None = None
    left: tuple[timedelta, ...] = ()
    running: tuple[Seat, datetime] | None = None
    rated: bool = False
    remarks: tuple[tuple[str, ...], ...] = ()
    start: Start | None = None
    aside: bool = field(default=False, compare=False)
    places: tuple[tuple[int, int], ...] = field(default=(), compare=False)
    tag_lines: Mapping[str, int] = field(default_factory=dict, compare=False)


def record(match: Match) -> Record:
    """What the file of a match holds; every chair has to be taken."""
    times = match.times
    return Record(
        game=match.game,
        match=match.id,
        rules_version=match.rules_version,
        options=match.options,
        players=tuple(chair.player for chair in match.chairs if chair.player),
        host=match.host,
        opened=match.opened,
        result=match.result,
        log=match.log,
        follows=match.rematch_of,
        clock=match.clock,
        left=times.left if times else (),
        running=(times.seat, times.since) if times and times.since else None,
        rated=match.rated,
        remarks=match.remarks,
        start=match.start,
    )


def kept(remarks: Iterable[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    """Return the remarks that are kept of a file: each on one line, and the first `MAX_REMARKS` characters of all."""
    within, size = [], 0
    for remark in remarks:
        short = tuple(clean(value, MAX_REMARKS) for value in remark)
        size += sum(map(len, short)) + 8  # what a line has around them
        if size <= MAX_REMARKS:
            within.append(short)
    return tuple(within)


MAX_FILE: Final = 128 * 1024
"""Characters in a file that is read. The longest log of Breakthrough on 26 by 26, some 2500 plies, takes 115 kB."""

MAX_ENTRIES: Final = 5000  # entries in a log that is read

INDENT: Final = "    "
UNFINISHED: Final = "unfinished"
DRAW: Final = "draw"
RETURNED: Final = "returned"
RATED: Final = "yes"
_NEEDED: Final = ("Game", "Match", "Rules", "Host", "Opened", "Result")
_EXITS: Final = {reason.value.rpartition(".")[2]: reason for reason in Closing}

_TAG: Final = re.compile(r'\[(\w{1,40})((?: "(?:[^"\\]|\\.)*")+)\]\Z')
_VALUE: Final = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ESCAPE: Final = re.compile(r'\\(?:(["\\])|u([0-9a-f]{4})|U([0-9a-f]{8}))|\\|([^\\]+)')
_GROUP: Final = re.compile(r"([1-9][0-9]{0,3})\. \(([1-9][0-9]?)\) ", re.ASCII)
_ITEM: Final = re.compile(r"([!-z|~](?:[ -z|~]*[!-z|~])?) \{([^{}]*)\}(?: |\Z)", re.ASCII)
_TIME: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{6})?Z\Z", re.ASCII)
_CODE: Final = re.compile(r"[a-z0-9]{1,12}\Z", re.ASCII)
_SECONDS: Final = re.compile(r"(0|[1-9][0-9]{0,7})(?:\.([0-9]{6}))?\Z", re.ASCII)
_KEY: Final = re.compile(r"[a-z0-9.-]{1,80}\Z", re.ASCII)
_NUMBER: Final = re.compile(r"[1-9][0-9]{0,5}\Z", re.ASCII)
_COUNT: Final = re.compile(r"(?:0|[1-9][0-9]{0,3})\Z", re.ASCII)
_SEAT: Final = re.compile(rf"(?:{'|'.join(str(seat + 1) for seat in range(MAX_SEATS))})\Z")
_YES: Final = re.compile(rf"{RATED}\Z")
_SOURCE: Final = re.compile(
    rf"(?:#[a-z0-9]{{1,12}}(?::[1-9][0-9]{{0,3}})?|{ODDS}:[1-9][0-9]?:[a-z-]+:[a-z0-9,]{{1,40}})?\Z", re.ASCII
)
_ANY: Final = re.compile("")
_SHAPES: Final[Mapping[str, tuple[re.Pattern[str], ...]]] = {
    "Game": (_KEY,),
    "Match": (_CODE,),
    "Rules": (_NUMBER,),
    "Option": (_KEY, _ANY),
    "Seat": (_SEAT, _ANY, _ANY, _ANY),
    "Host": (_ANY, _ANY, _ANY),
    "Opened": (_ANY,),
    "Follows": (_CODE,),
    "Start": (_ANY, _SOURCE),
    "Rated": (_YES,),
    "Clock": (_ANY,),
    "Left": (_SEAT, _SECONDS),
    "Running": (_SEAT, _ANY),
    "Result": (_ANY,),
    "Reason": (_KEY,),
    COMMENT: (_COUNT, _ANY),
}
TAGS: Final = frozenset(_SHAPES)
_NUMBERED: Final = {"Seat", "Left"}  # there are several, in order


def read(text: str) -> Record:
    """Return the record that a file holds; the rules are not asked yet whether they allow it.

    Line ends of any kind, blank lines, blanks at a line's end and a byte order mark are all taken.

    Raises:
        BadRequest: too long, or no match file; the fields name the line.
    """
    if len(text) > MAX_FILE:
        raise BadRequest(Refused.FILE_TOO_LONG, limit=MAX_FILE)
    lines = [line.rstrip(" \t\r") for line in text.removeprefix("\ufeff").split("\n")]
    count = next((index for index, line in enumerate(lines) if line and line[0] != "["), len(lines))
    tags = _Tags(lines[:count], lines[count:])
    return tags.record(*_read_log(lines[count:], count))


def bad(line: int, text: str) -> BadRequest:
    """Return the refusal of a line of a file."""
    return BadRequest(Refused.BAD_FILE, line=line, text=clean(text, 40))


class _Tags:
    """The tags of a file, each with its line: by name, and where there can be several, by name and first value."""

    def __init__(self, lines: Sequence[str], below: Sequence[str]) -> None:
        self._held: dict[str, tuple[int, str, list[str]]] = {}
        self._remarks: list[tuple[str, ...]] = []
        unknown: tuple[int, str] | None = None
        for number, line in enumerate(lines, 1):
            found = _TAG.match(line)
            if found is None:
                if line:
                    raise bad(number, line)
                continue
            name, values = found[1], [_unquoted(number, value) for value in _VALUE.findall(found[2])]
            shapes = _SHAPES.get(name)
            if shapes is None:
                unknown = unknown or (number, line)
            elif len(values) != len(shapes) or not all(map(re.Pattern.match, shapes, values)):
                raise bad(number, line)
            if shapes is None or name == COMMENT:
                self._remarks.append((name, *values))
            else:
                self._add(name, number, line, values)
        for name in _NEEDED:
            if name not in self._held:
                if unknown:  # it may be the one that is needed, misspelled
                    raise bad(*unknown)
                raise bad(len(lines) + 1, below[0]) if below else bad(len(lines), f"[{name} ...]")

    def _add(self, name: str, number: int, line: str, values: list[str]) -> None:
        key = f"{name} {values[0]}" if name in _NUMBERED or name == "Option" else name
        gap = name in _NUMBERED and values[0] != "1" and f"{name} {int(values[0]) - 1}" not in self._held
        if key in self._held or gap:
            raise bad(number, line)
        self._held[key] = number, line, values

    def record(self, log: tuple[Entry, ...], places: tuple[tuple[int, int], ...]) -> Record:
        players = self._players()
        for entry, place in zip(log, places, strict=True):
            if entry.seat >= len(players):
                raise bad(place[0], f"({entry.seat.number})")
        clock, remarks = self._clock(), kept(self._remarks)
        number, line, host = self._held["Host"]
        return Record(
            game=self._held["Game"][2][0],
            match=self._held["Match"][2][0],
            rules_version=int(self._held["Rules"][2][0]),
            options=tuple((values[0], values[1]) for _, _, values in self._all("Option")),
            players=players,
            host=_read_person(number, line, host),
            opened=_read_time(*self._held["Opened"]),
            result=self._result(len(players)),
            log=log,
            follows=self._held["Follows"][2][0] if "Follows" in self._held else None,
            start=Start(*self._held["Start"][2]) if "Start" in self._held else None,
            clock=clock,
            left=self._left(clock, len(players)),
            running=self._running(),
            rated="Rated" in self._held,
            remarks=remarks,
            aside=len(remarks) < len(self._remarks),
            places=places,
            tag_lines={key.partition(" ")[0]: number for key, (number, _, _) in self._held.items()},
        )

    def _all(self, name: str) -> list[tuple[int, str, list[str]]]:
        return [tag for key, tag in self._held.items() if key.startswith(f"{name} ")]

    def _players(self) -> tuple[Player, ...]:
        players: dict[Account, Player] = {}
        for number, line, values in self._all("Seat"):
            player = _read_person(number, line, values[1:])
            if player.account in players:
                raise bad(number, line)
            players[player.account] = player
        return tuple(players.values())

    def _clock(self) -> Clock | None:
        if "Clock" not in self._held:
            return None
        number, line, (text,) = self._held["Clock"]
        try:
            clock = read_clock(text)
        except BadRequest:
            clock = None
        if clock is None or str(clock) != text:
            raise bad(number, line)
        return clock

    def _left(self, clock: Clock | None, players: int) -> tuple[timedelta, ...]:
        tags = self._all("Left")
        if not tags:
            return ()
        seconds = [values[1].partition(".") for _, _, values in tags]
        left = [timedelta(seconds=int(whole), microseconds=int(rest or 0)) for whole, _, rest in seconds]
        most = max(clock.initial, clock.cap or clock.initial) if clock else None
        if most is None or len(left) != players or max(left) > most:
            raise bad(tags[-1][0], "[Left ...]")
        return tuple(left)

    def _running(self) -> tuple[Seat, datetime] | None:
        if "Running" not in self._held:
            return None
        number, line, (seat, at) = self._held["Running"]
        if f"Left {seat}" not in self._held:
            raise bad(number, line)
        return Seat(int(seat) - 1), _read_time(number, line, [at])

    def _result(self, players: int) -> Result | None:
        number, line, (text,) = self._held["Result"]
        if (text == UNFINISHED) == ("Reason" in self._held):
            raise bad(number, line)
        if text == UNFINISHED:
            return None
        reason = self._held["Reason"][2][0]
        if text == DRAW:
            return Result((), reason)
        numbers = {str(index + 1): Seat(index) for index in range(players)}
        seats = tuple(numbers[word] for word in text.split("+") if word in numbers)
        if not seats or "+".join(str(seat.number) for seat in sorted(set(seats))) != text:
            raise bad(number, line)
        return Result(seats, reason)


def _unquoted(number: int, text: str) -> str:
    parts = []
    for found in _ESCAPE.finditer(text):
        plain, short, long, rest = found.groups()
        if rest is not None and all(map(harmless, rest)):
            parts.append(rest)
        elif plain is not None:
            parts.append(plain)
        elif (short or long) and int(short or long, 16) < 0x110000:
            parts.append(chr(int(short or long, 16)))
        else:
            raise bad(number, text)
    return "".join(parts)


def _read_person(number: int, line: str, values: Sequence[str]) -> Player:
    name, platform, uid = values
    if len(name) > 200 or not 0 < len(platform) <= 32 or not 0 < len(uid) <= 64:
        raise bad(number, line)
    if not all(map(harmless, platform + uid)):
        raise bad(number, line)
    return Player(Account(platform, uid), name)


def _read_time(number: int, shown: str, values: Sequence[str]) -> datetime:
    (text,) = values
    if _TIME.match(text):
        try:
            return datetime.fromisoformat(text)
        except ValueError:
            pass  # the 30th of February
    raise bad(number, shown)


def _read_log(lines: Sequence[str], above: int) -> tuple[tuple[Entry, ...], tuple[tuple[int, int], ...]]:
    log: list[Entry] = []
    places: list[tuple[int, int]] = []
    seat: Seat | None = None
    count = 0
    for number, line in enumerate(lines, above + 1):
        if not line:
            continue
        found = _GROUP.match(line)
        if found:
            count += 1
            if int(found[1]) != count or int(found[2]) > MAX_SEATS:
                raise bad(number, line)
            seat = Seat(int(found[2]) - 1)
            rest = line[found.end() :]
        elif seat is not None and line.startswith(INDENT):
            rest = line[len(INDENT) :]
        else:
            raise bad(number, line)
        for start, entry in _read_items(number, rest, seat):
            log.append(entry)
            places.append((number, len(line) - len(rest) + start + 1))
        if len(log) > MAX_ENTRIES:
            raise BadRequest(Refused.FILE_TOO_LONG, limit=MAX_ENTRIES)
    return tuple(log), tuple(places)


def _read_items(number: int, text: str, seat: Seat) -> Iterator[tuple[int, Entry]]:
    start = 0
    while start < len(text) or not start:
        found = _ITEM.match(text, start)
        if not found:
            raise bad(number, text[start:])
        at = _read_time(number, text[start:], [found[2]])
        if found[1] == f"* {RETURNED}":
            yield start, Return(seat, at)
        elif found[1].startswith("*"):
            reason = _EXITS.get(found[1].removeprefix("* "))
            if reason is None:
                raise bad(number, text[start:])
            yield start, Exit(seat, reason, at)
        else:
            yield start, Ply(seat, found[1], at)
        start = found.end()
