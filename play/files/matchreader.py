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
from play.match import COMMENT, Closing, Entry, Exit, Match, Ply, Result, Return
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
_FIELDS: Final = {
    "Game": 1,
    "Match": 1,
    "Rules": 1,
    "Option": 2,
    "Seat": 4,
    "Host": 3,
    "Opened": 1,
    "Follows": 1,
    "Rated": 1,
    "Clock": 1,
    "Left": 2,
    "Running": 2,
    "Result": 1,
    "Reason": 1,
}
TAGS: Final = frozenset({*_FIELDS, COMMENT})
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
    def __init__(self, lines: Sequence[str], below: Sequence[str]) -> None:
        self._once: dict[str, tuple[int, list[str]]] = {}
        self._lines: dict[str, int] = {}
        self._options: dict[str, str] = {}
        self._players: list[Player] = []
        self._left: list[timedelta] = []
        self._unknown: tuple[int, str] | None = None
        self._remarks: list[tuple[str, ...]] = []
        for number, line in enumerate(lines, 1):
            if (found := _TAG.match(line)) and found[1] not in _FIELDS:
                self._remark(number, line, found)
            elif line:
                self._add(number, line)
        for name in _NEEDED:
            if name not in self._once:
                if self._unknown:
                    raise bad(*self._unknown)
                raise bad(len(lines) + 1, below[0]) if below else bad(len(lines), f"[{name} ...]")

    def record(self, log: tuple[Entry, ...], places: tuple[tuple[int, int], ...]) -> Record:
        if any(entry.seat >= len(self._players) for entry in log):
            place = next(i for i, entry in enumerate(log) if entry.seat >= len(self._players))
            raise bad(places[place][0], f"({log[place].seat.number})")
        clock, remarks = self._clock(), kept(self._remarks)
        return Record(
            game=self._match("Game", _KEY),
            match=self._match("Match", _CODE),
            rules_version=int(self._match("Rules", _NUMBER)),
            options=tuple(self._options.items()),
            players=tuple(self._players),
            host=_read_person(*self._once["Host"]),
            opened=self._opened(),
            result=self._result(),
            log=log,
            follows=self._match("Follows", _CODE) if "Follows" in self._once else None,
            clock=clock,
            left=self._times(clock),
            running=self._running(),
            rated=self._rated(),
            remarks=remarks,
            aside=len(remarks) < len(self._remarks),
            places=places,
            tag_lines=self._lines,
        )

    def _add(self, number: int, line: str) -> None:
        found = _TAG.match(line)
        if not found:
            raise bad(number, line)
        name = found[1]
        values = _values(number, found[2])
        if len(values) != _FIELDS[name]:
            raise bad(number, line)
        self._lines[name] = number
        if name == "Option":
            key, value = values
            if not _KEY.match(key) or key in self._options:
                raise bad(number, line)
            self._options[key] = value
        elif name == "Seat":
            player = _read_person(number, values[1:])
            taken = any(player.account == other.account for other in self._players)
            if values[0] != str(len(self._players) + 1) or taken or len(self._players) == MAX_SEATS:
                raise bad(number, line)
            self._players.append(player)
        elif name == "Left":
            found = _SECONDS.match(values[1])
            if values[0] != str(len(self._left) + 1) or found is None:
                raise bad(number, line)
            self._left.append(timedelta(seconds=int(found[1]), microseconds=int(found[2] or 0)))
        elif name in self._once:
            raise bad(number, line)
        else:
            self._once[name] = (number, values)

    def _remark(self, number: int, line: str, found: re.Match[str]) -> None:
        """Keep a comment, or a tag of another program; it may be one that is needed, misspelled."""
        values = _values(number, found[2])
        if found[1] != COMMENT:
            self._unknown = self._unknown or (number, line)
        elif len(values) != 2 or not _COUNT.match(values[0]):
            raise bad(number, line)
        self._remarks.append((found[1], *values))

    def _opened(self) -> datetime:
        number, (text,) = self._once["Opened"]
        return _read_time(number, text, f'[Opened "{text}"]')

    def _match(self, name: str, shape: re.Pattern[str]) -> str:
        number, values = self._once[name]
        if not shape.match(values[0]):
            raise bad(number, f'[{name} "{values[0]}"]')
        return values[0]

    def _clock(self) -> Clock | None:
        if "Clock" not in self._once:
            return None
        number, (text,) = self._once["Clock"]
        try:
            clock = read_clock(text)
        except BadRequest:
            clock = None
        if clock is None or str(clock) != text:
            raise bad(number, f'[Clock "{text}"]')
        return clock

    def _times(self, clock: Clock | None) -> tuple[timedelta, ...]:
        if not self._left:
            return ()
        line = self._lines["Left"]
        most = max(clock.initial, clock.cap or clock.initial) if clock else None
        if most is None or len(self._left) != len(self._players) or max(self._left) > most:
            raise bad(line, "[Left ...]")
        return tuple(self._left)

    def _rated(self) -> bool:
        if "Rated" not in self._once:
            return False
        number, (text,) = self._once["Rated"]
        if text != RATED:
            raise bad(number, f'[Rated "{text}"]')
        return True

    def _running(self) -> tuple[Seat, datetime] | None:
        if "Running" not in self._once:
            return None
        number, (seat, at) = self._once["Running"]
        numbers = {str(index + 1): Seat(index) for index in range(len(self._left))}
        if seat not in numbers:
            raise bad(number, f'[Running "{seat}" "{at}"]')
        return numbers[seat], _read_time(number, at, f'[Running "{seat}" "{at}"]')

    def _result(self) -> Result | None:
        number, (text,) = self._once["Result"]
        if (text == UNFINISHED) == ("Reason" in self._once):
            raise bad(number, f'[Result "{text}"]')
        if text == UNFINISHED:
            return None
        reason = self._match("Reason", _KEY)
        if text == DRAW:
            return Result((), reason)
        numbers = {str(index + 1): Seat(index) for index in range(len(self._players))}
        winners = [numbers.get(word) for word in text.split("+")]
        seats = tuple(seat for seat in winners if seat is not None)
        if len(seats) < len(winners) or list(seats) != sorted(set(seats)):
            raise bad(number, f'[Result "{text}"]')
        return Result(seats, reason)


def _values(number: int, text: str) -> list[str]:
    return [_unquoted(number, value) for value in _VALUE.findall(text)]


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


def _read_person(number: int, values: Sequence[str]) -> Player:
    name, platform, uid = values
    if len(name) > 200 or not 0 < len(platform) <= 32 or not 0 < len(uid) <= 64:
        raise bad(number, " ".join(values))
    if not all(map(harmless, platform + uid)):
        raise bad(number, " ".join(values))
    return Player(Account(platform, uid), name)


def _read_time(number: int, text: str, shown: str) -> datetime:
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
        at = _read_time(number, found[2], text[start:])
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
