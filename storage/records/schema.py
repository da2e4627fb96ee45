"""The body of a match's record, version 1; and times, as microseconds since 1970.

Members of enums are written as small numbers from the tables here, so that an enum's value may change freely. Once 0.1.0 is
released, numbers are only added. The log is written by columns (seats, texts, times), which deflate well.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import UTC, datetime, time, timedelta
from enum import Enum
from functools import cache
from itertools import accumulate, repeat
from operator import attrgetter, floordiv, or_, sub
from types import GenericAlias, NoneType
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar, get_args, get_type_hints

import msgspec

from play.match import Ask, Branch, Cancel, Closing, Entry, Exit, Match, Phase, Ply, Result, Return, Talk
from play.people import Account, Address, Player
from play.time.clock import Pause
from rules.core import SEATS, Seat

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)

_EXACT: Final = 2**53 - 1
"""The greatest integer that a score of a sorted set holds exactly: a time in the year 2255."""


def to_micros(at: datetime) -> int:
    """Return a time as a number."""
    if at.tzinfo is None:
        raise ValueError(f"a time without a zone: {at!r}")
    return (at - _EPOCH) // _MICROSECOND


def from_micros(stored: int) -> datetime:
    """Return the time of a number, in UTC."""
    return _EPOCH + stored * _MICROSECOND


def read_time(noted: str | None) -> datetime | None:
    """Return the time of a note in ISO format; None if there is none, or it cannot be read."""
    try:
        return datetime.fromisoformat(noted) if noted else None
    except ValueError:
        return None


def to_score(at: datetime) -> int:
    """Return a time as the score of a sorted set; all times after 2255 are one."""
    return max(-_EXACT, min(to_micros(at), _EXACT))


Text: TypeAlias = str | int | None  # a ply's text, the number of an exit's reason, or a return
_SPAN: Final = 8  # bytes
_at: Final = attrgetter("at")
_seat: Final = attrgetter("seat")
_encode: Final = msgspec.msgpack.Encoder().encode
_decode_texts: Final = msgspec.msgpack.Decoder(tuple[Text, ...]).decode


def _columns(match: Match) -> tuple[bytes, list[Text], bytes]:
    """Return the seat and the text of each entry of the log, and the microseconds since the entry before, the first since the opening.

    Times are numbers of eight bytes: all first bytes, then all second bytes, and so on, for nearly all the upper ones are zeros.
    """
    log = match.log
    times = [match.opened, *map(_at, log)]
    try:
        # Without a call of Python's for each entry: these are most of what a commit encodes.
        passed = list(map(floordiv, map(sub, times[1:], times), repeat(_MICROSECOND)))
    except TypeError as error:
        raise ValueError("a time without a zone") from error
    spans = struct.pack(f"<{len(log)}q", *passed)
    planes = b"".join([spans[place::_SPAN] for place in range(_SPAN)])
    texts = [entry.text if isinstance(entry, Ply) else _text(entry) for entry in log]
    return bytes(map(_seat, log)), texts, planes


def _text(entry: Exit | Return) -> Text:
    return CLOSINGS[entry.reason] if isinstance(entry, Exit) else None


def _read_times(opened: int, stored: bytes) -> list[datetime]:
    count, rest = divmod(len(stored), _SPAN)
    if rest:
        raise ValueError("a time is cut off")
    plain = bytearray(len(stored))
    for place in range(_SPAN):
        plain[place::_SPAN] = stored[place * count : (place + 1) * count]
    times = accumulate(struct.unpack(f"<{count}q", plain), initial=opened)
    next(times)
    return [_EPOCH + at * _MICROSECOND for at in times]


PHASES: Final = {Phase.OPEN: 0, Phase.PLAYING: 1, Phase.OVER: 2, Phase.CALLED_OFF: 3}
CLOSINGS: Final = {
    Closing.RESIGNED: 0,
    Closing.DRAW_AGREED: 1,
    Closing.REPETITION: 2,
    Closing.TIME: 3,
    Closing.SILENCE: 4,
    Closing.ENDED: 5,
    Closing.DESERTED: 6,
    Closing.PROVED: 7,
    Closing.HALVED: 8,
    Closing.AGREED: 9,
}
CANCELS: Final = {Cancel.DECLINED: 0, Cancel.WITHDRAWN: 1, Cancel.EXPIRED: 2, Cancel.EMPTY: 3}
ASKS: Final = {Ask.DRAW: 0, Ask.TAKEBACK: 1, Ask.PAUSE: 2, Ask.RESUME: 3, Ask.END: 4, Ask.REMOVE: 5}

TALKS: Final = {Talk.OPEN: 0, Talk.HIDDEN: 1, Talk.OFF: 2}

PAUSES: Final = {Pause.NONE: 0, Pause.AWAKE: 1, Pause.NIGHT: 2, Pause.WEEKEND: 3, Pause.BOTH: 4}

_CLOSINGS: Final = {number: closing for closing, number in CLOSINGS.items()}
_REASONS: Final = {closing.value: number for closing, number in CLOSINGS.items()}

W = TypeVar("W", bound=Enum)
Convert: TypeAlias = Callable[..., object] | None  # None: the value stays as it is
Converter: TypeAlias = Callable[[Iterable[object]], list[object]]


class StoredForm(NamedTuple):
    """How values of a type are stored: the type in msgpack, what makes it of a value, and a value of it."""

    stored: object
    pack: Convert = None
    unpack: Convert = None

    def encode(self, value: object) -> bytes:
        """Return a value in msgpack."""
        return _encode(_call(self.pack, value))

    def decode(self, packed: bytes) -> object:
        """Return the value in msgpack, or raise ValueError."""
        stored: object = msgspec.msgpack.decode(packed, type=self.stored)
        return _call(self.unpack, stored)


def _numbered(numbers: Mapping[W, int]) -> StoredForm:
    return StoredForm(
        int, numbers.__getitem__, {number: word for word, number in numbers.items()}.__getitem__
    )


def _pack_branch(branch: Branch) -> object:
    return _call(form_of(Branch).pack, branch)


def _unpack_branch(stored: object) -> object:
    form = form_of(Branch)
    return _call(form.unpack, msgspec.convert(stored, form.stored))


def _reason(stored: str | int) -> str:
    return stored if isinstance(stored, str) else _CLOSINGS[stored].value


_FORMS: Final[Mapping[object, StoredForm]] = {
    **{kind: StoredForm(kind) for kind in (str, int, float, bool)},
    datetime: StoredForm(int, to_micros, from_micros),
    time: StoredForm(int, lambda at: at.hour * 60 + at.minute, lambda minutes: time(*divmod(minutes, 60))),
    timedelta: StoredForm(int, lambda span: span // _MICROSECOND, _MICROSECOND.__mul__),
    Seat: StoredForm(int, None, Seat),
    Phase: _numbered(PHASES),
    Cancel: _numbered(CANCELS),
    Ask: _numbered(ASKS),
    Pause: _numbered(PAUSES),
    Talk: _numbered(TALKS),
    Player: StoredForm(
        tuple[str, str, str],
        lambda player: (player.account.platform, player.account.uid, player.name),
        lambda stored: Player(Account(stored[0], stored[1]), stored[2]),
    ),
    tuple[Address, int]: StoredForm(
        tuple[str, str, int],
        lambda shown: (shown[0].platform, shown[0].place, shown[1]),
        lambda stored: (Address(stored[0], stored[1]), stored[2]),
    ),
    Result: StoredForm(  # the reason is a closing's number, else the catalogue key of the game
        tuple[tuple[int, ...], str | int],
        lambda result: (result.winners, _REASONS.get(result.reason, result.reason)),
        lambda stored: Result(tuple([Seat(seat) for seat in stored[0]]), _reason(stored[1])),
    ),
    tuple[Branch, ...]: StoredForm(  # within a branch, too: its form is looked up when it is there
        tuple[object, ...],
        lambda branches: list(map(_pack_branch, branches)),
        lambda stored: tuple(map(_unpack_branch, stored)),
    ),
}


@cache
def form_of(hint: Any) -> StoredForm:
    """Return how values of a type are stored: those of a dataclass as an array of its fields."""
    if (known := _FORMS.get(hint)) is not None:
        return known
    if is_dataclass(hint):
        return _form_of_dataclass(hint)
    first, *others = get_args(hint)
    stored, pack, unpack = form_of(first)
    if others == [NoneType]:
        return StoredForm(or_(stored, None), _optional(pack), _optional(unpack))
    if others == [...]:
        return StoredForm(GenericAlias(tuple, (stored, ...)), _each(pack), _each(unpack))
    return StoredForm(hint)  # a tuple of plain values


def _form_of_dataclass(kind: Any) -> StoredForm:
    hints = get_type_hints(kind)
    forms = {field: form_of(hints[field.name]) for field in fields(kind)}
    pack, unpack = _converters(forms.values())
    values = attrgetter(*[field.name for field in forms])
    mirror = msgspec.defstruct(
        kind.__name__,
        [
            (field.name, form.stored)
            if field.default is MISSING
            else (field.name, form.stored, _call(form.pack, field.default))
            for field, form in forms.items()
        ],
        array_like=True,
        frozen=True,
        forbid_unknown_fields=True,
    )
    return StoredForm(mirror, lambda value: pack(values(value)), lambda stored: kind(*unpack(values(stored))))


def _converters(forms: Collection[StoredForm]) -> tuple[Converter, Converter]:
    """Return what packs values of some forms, and what unpacks them; only those that do not stay as they are cost time."""
    return _converter([form.pack for form in forms]), _converter([form.unpack for form in forms])


def _converter(converts: Iterable[Convert]) -> Converter:
    needed = [(place, convert) for place, convert in enumerate(converts) if convert is not None]

    def converted(values: Iterable[object]) -> list[object]:
        found = list(values)
        for place, convert in needed:
            found[place] = convert(found[place])
        return found

    return converted


def _call(convert: Convert, value: object) -> object:
    return value if convert is None else convert(value)


def _optional(convert: Convert) -> Convert:
    return convert and (lambda value: None if value is None else convert(value))


def _each(convert: Convert) -> Convert:
    return convert and (lambda values: tuple([convert(value) for value in values]))


_LOG: Final = {"seats": bytes, "texts": msgspec.Raw, "times": bytes}  # its columns: see `_columns`
_BEFORE: Final = (
    *("id", "game", "rules_version", "options", "chairs", "host", "lobby", "addresses", "opened"),
    *("expires", "phase"),
)
_AFTER: Final = (
    *("offer", "result", "cancelled", "rematch_of", "clock", "times", "paused", "plans", "touched"),
    *("noticed", "position_since", "question_since", "asked", "imported", "rated", "event"),
)
_ADDED: Final[Mapping[str, object]] = {
    "shown_by": (),
    "remarks": (),
    "silence": None,
    "talk": 0,
    "start": None,
}
"""The fields of a match before its log, after it, and those that earlier records lack."""

_NAMES: Final = (*_BEFORE, *_AFTER, *_ADDED)
_HINTS: Final = get_type_hints(Match)
_pack, _unpack = _converters([form_of(_HINTS[name]) for name in _NAMES])
_values: Final = attrgetter(*_NAMES)
_match: Final[Callable[..., Match]] = Match


def _stored_as(name: str) -> str:
    return "times_left" if name == "times" else name  # for the log has a column of that name


_Body: Final = msgspec.defstruct(
    "_Body",
    [
        *((name, form_of(_HINTS[name]).stored) for name in _BEFORE),
        *_LOG.items(),
        *((_stored_as(name), form_of(_HINTS[name]).stored) for name in _AFTER),
        *((name, form_of(_HINTS[name]).stored, default) for name, default in _ADDED.items()),
    ],
    array_like=True,
    frozen=True,
    forbid_unknown_fields=True,
)
_decode: Final = msgspec.msgpack.Decoder(_Body).decode
_stored: Final = attrgetter(*map(_stored_as, _NAMES))
_log_of: Final = attrgetter("opened", *_LOG)


def write(match: Match) -> bytes:
    """Return the body of a match; all but its revision."""
    said = _pack(_values(match))
    return _encode([*said[: len(_BEFORE)], *_columns(match), *said[len(_BEFORE) :]])


def read(plain: bytes, revision: int) -> Match:
    """Return the match in a body."""
    body = _decode(plain)
    said = dict(zip(_NAMES, _unpack(_stored(body)), strict=True))
    return _match(**said, log=tuple(_entries(*_log_of(body))), revision=revision)


def _entries(opened: int, seats: bytes, texts: msgspec.Raw, times: bytes) -> Iterator[Entry]:
    for seat, text, at in zip(seats, _decode_texts(texts), _read_times(opened, times), strict=True):
        if isinstance(text, str):
            yield Ply(SEATS[seat], text, at)
        elif text is None:
            yield Return(SEATS[seat], at)
        else:
            yield Exit(SEATS[seat], _CLOSINGS[text], at)
