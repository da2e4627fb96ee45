"""Squares, seats and rectangles of squares; sets of them as integers; typed text, and the squares that it names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from itertools import chain, islice, product
from typing import Final, Generic, NamedTuple, TypeVar

from rules.core.errors import BadNotation, Spelling


class Square(NamedTuple):
    """A cell: file and rank counted from 0, so that a1, the bottom-left one, is (0, 0)."""

    file: int
    rank: int

    def __str__(self) -> str:
        return _name(self.file, self.rank)

    def __repr__(self) -> str:
        return f"sq({str(self)!r})"


@lru_cache(maxsize=1024)
def _name(file: int, rank: int) -> str:
    return f"{chr(97 + file)}{rank + 1}"


class Seat(IntEnum):
    """A place at the table. Its value indexes tuples; people count from `number`."""

    S1 = 0
    S2 = 1
    S3 = 2
    S4 = 3
    S5 = 4
    S6 = 5
    S7 = 6
    S8 = 7
    S9 = 8
    S10 = 9

    @property
    def number(self) -> int:
        """1 to 10, as people say it."""
        return self + 1

    def __repr__(self) -> str:
        return f"Seat.{self.name}"

    __str__ = __repr__


MAX_SEATS = len(Seat)
SEATS: tuple[Seat, ...] = tuple(Seat)


MAX_TEXT: Final = 400  # characters in one typed move. A whole Klopodavka turn of ten actions needs 60.

_WIDE: Final = {0x3000: 0x20, **{wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)}}
"""Full-width forms, and what they are the forms of."""

_LOOK_ALIKES: Final = (
    str.maketrans(
        # RULES: a Cyrillic letter that looks like a Latin one is read as it. Also the Ukrainian і, and у as y.
        "асеорхвнкмтіуАСЕОРХВНКМТІУ",
        "aceopxbhkmtiyaceopxbhkmtiy",
    )
    | _WIDE
)
_MARKS: Final = str.maketrans(
    {
        **dict.fromkeys("‐‑‒–—―−", "-"),
        **dict.fromkeys("×✕✖", "x"),
        **dict.fromkeys("→➔➜➝⇒⟶", "-"),
        **dict.fromkeys("\"'“”„‟«»’`", " "),
        "…": ".",
        **dict.fromkeys("\u00a0\u2009\u202f\t\r\n", " "),
    }
)
_ARROW: Final = re.compile(r"[-=]+>")
_BLANKS: Final = re.compile(r" +")
_TRAILING: Final = " .,;!?"
_FRAME: Final = " \t\r\n[](){}\"'“”„‟«»’`"
_NOTED: Final = _TRAILING + "…*+#"
_NUMBER: Final = re.compile(r"[0-9]{1,4} ?(?:\.{1,3}|…|\)) *(?=[^\s0-9])", re.ASCII)
_TO: Final = re.compile(r"(?<=[0-9])\s+(?:to|на|до)\s+(?=[^\W\d_][0-9])", re.IGNORECASE)

_READINGS: Final[Mapping[str, str]] = {
    # RULES: what a Cyrillic letter may stand for: first the Latin letter that it looks like, then those of its sound.
    "а": "a",
    "в": "bv",
    "е": "e",
    "к": "k",
    "м": "m",
    "н": "hn",
    "о": "o",
    "р": "pr",
    "с": "cs",
    "т": "t",
    "у": "yu",
    "х": "xh",
    "і": "i",
    "б": "b",
    "г": "gh",
    "ґ": "g",
    "д": "d",
    "є": "e",
    "э": "e",
    "ж": "gj",
    "з": "z",
    "и": "i",
    "ї": "i",
    "й": "j",
    "л": "l",
    "п": "p",
    "ф": "f",
    "ц": "c",
    "ш": "h",
}
_ALPHABETS: Final = (
    # As boards and rows are lettered, without the letters that are left out there; then whole: Russian, Ukrainian.
    "абвгдежзиклмнопрстуфхцчшщэюя",
    "абвгдеёжзийклмнопрстуфхцчшщъыьэюя",
    "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя",
)
_PLACES: Final = [dict(zip(alphabet, "abcdefghijklmnopqrstuvwxyz", strict=False)) for alphabet in _ALPHABETS]
_FILE: Final = re.compile(r"[а-яёєіїґ](?=[0-9])")
MAX_READINGS: Final = 32  # readings of one text by look and sound, at most


def fold(text: str, also: Mapping[int, int | str | None] | None = None, limit: int = MAX_TEXT) -> str:
    """Return typed text, perhaps of a Cyrillic keyboard, as lower-case ASCII with single blanks.

    `also` are a game's own readings (a `str.maketrans` table), applied before the common look-alikes. BadNotation if the
    text is empty, too long, or has a character that is no part of any notation: another script's digits, emoji.
    """
    if len(text) > limit:
        raise BadNotation(Spelling.TOO_LONG, limit=limit)
    if also:
        text = text.translate(also)
    text = text.translate(_LOOK_ALIKES).translate(_MARKS)
    if not (text.isascii() and text.isprintable()):
        odd = next(c for c in text if not (c.isascii() and c.isprintable()))
        raise BadNotation(
            Spelling.STRANGE_CHARACTER, character=odd if odd.isprintable() else f"U+{ord(odd):04X}"
        )
    text = _BLANKS.sub(" ", _ARROW.sub("-", text)).strip(" ").rstrip(_TRAILING).lower()
    if not text:
        raise BadNotation(Spelling.EMPTY)
    return text


def bare_move(text: str) -> str:
    """Return a typed move without what is written around it: its number, brackets, marks, and the word between squares.

    `1. b2-b3`, `[b2b3]`, `b2b3*` and `b2 to b3` are all written for one move.
    """
    text = text.translate(_WIDE).strip(_FRAME)
    text = _NUMBER.sub("", text, count=1).strip(_FRAME) if _NUMBER.match(text) else text
    return _TO.sub("-", text.rstrip(_NOTED).strip(_FRAME))


def fold_move(text: str, also: Mapping[int, int | str | None] | None = None) -> str:
    """Return a typed move as `fold` does, without what is written around it."""
    return fold(bare_move(text) if len(text) <= MAX_TEXT else text, also)


def readings(text: str) -> Iterator[str]:
    """Yield what a move with Cyrillic letters may stand for, each letter by its look or its sound; nothing without any.

    A letter is read alike wherever it stands. Those that look alike come first. Where the letter of a file looks like no
    Latin one, the last readings take the files by their places in the alphabet.
    """
    text = bare_move(text).lower()
    letters = sorted({letter for letter in text if letter in _READINGS})
    files = set(_FILE.findall(text))
    by_place: Iterator[str] = iter(())
    if any(ord(letter) not in _LOOK_ALIKES for letter in files):
        by_place = (_by_place(text, places) for places in _PLACES)
    latins = islice(product(*(_READINGS[letter] for letter in letters)), MAX_READINGS if letters else 0)
    by_letter = (text.translate(str.maketrans("".join(letters), "".join(latin))) for latin in latins)
    yield from dict.fromkeys(chain(by_letter, by_place))


def _by_place(text: str, places: Mapping[str, str]) -> str:
    return _FILE.sub(lambda file: places.get(file[0], file[0]), text)


def as_typed(word: str, text: str) -> str:
    """Return the part of a typed text that a word of its folded form was read from, for a refusal to repeat.

    The word itself where the text has no such part.
    """
    plain = text.translate(_LOOK_ALIKES).translate(_MARKS).lower()
    found = re.search(rf"(?<![a-z0-9]){re.escape(word)}(?![a-z0-9])", plain)
    return text[found.start() : found.end()] if found and len(plain) == len(text) else word


def quoted(text: str, limit: int = 24) -> str:
    """Typed text, fit to be named in a refusal: short, and without characters that cannot be seen."""
    seen = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text[:limit])
    return f"{seen}\N{HORIZONTAL ELLIPSIS}" if len(text) > limit else seen


_SQUARE: Final = re.compile(r"([a-z])([1-9][0-9]?)\Z", re.ASCII)


@lru_cache(maxsize=4096)
def sq(text: str) -> Square:
    """Return the square that folded text names, a letter a..z and a rank from 1 to 99, or raise BadNotation."""
    found = _SQUARE.match(text)
    if not found:
        raise BadNotation(Spelling.NOT_A_SQUARE, text=quoted(text))
    return Square(ord(found[1]) - 97, int(found[2]) - 1)


@dataclass(frozen=True, slots=True)
class Grid:
    """A rectangle of squares; indexes run along the ranks from a1, which is 0."""

    files: int
    ranks: int

    def __str__(self) -> str:
        return f"{self.files}x{self.ranks}"

    def __len__(self) -> int:
        return self.files * self.ranks

    def __contains__(self, square: object) -> bool:
        return isinstance(square, Square) and 0 <= square.file < self.files and 0 <= square.rank < self.ranks

    def __iter__(self) -> Iterator[Square]:
        return (Square(file, rank) for rank in range(self.ranks) for file in range(self.files))

    def index(self, square: Square) -> int:
        """Where a square of this grid stands in its order."""
        return square.rank * self.files + square.file

    def square(self, index: int) -> Square:
        """The square with that index."""
        rank, file = divmod(index, self.files)
        return Square(file, rank)

    def find(self, text: str) -> Square:
        """Return the square of this grid that folded text names, or raise BadNotation."""
        square = sq(text)
        if square not in self:
            raise BadNotation(Spelling.OFF_THE_BOARD, square=square, board=self)
        return square


_RUN: Final = re.compile("[0-9]+|.", re.ASCII)


def write_layout(grid: Grid, held: Mapping[Square, str]) -> str:
    """Return what stands on a board as text: ranks from the top with `/` between, numbers of empty squares in a row."""
    ranks = (
        "".join(held.get(Square(file, rank), " ") for file in range(grid.files))
        for rank in reversed(range(grid.ranks))
    )
    return re.sub(" +", lambda gap: str(len(gap[0])), "/".join(ranks))


_MAX_LAYOUT: Final = 1000  # characters: 26 files and 30 ranks come to some 810


def grid_of(layout: str) -> Grid | None:
    """Return the size of the board of a layout, as `write_layout` writes it; None if its ranks make no board."""
    if len(layout) > _MAX_LAYOUT or not layout.isascii():
        return None
    ranks = layout.split("/")
    lengths = {sum(int(run) if run.isdigit() else 1 for run in _RUN.findall(runs)) for runs in ranks}
    files = lengths.pop()
    return Grid(files, len(ranks)) if not lengths and 1 <= files <= 26 and len(ranks) <= 99 else None


def read_layout(grid: Grid, text: str) -> dict[Square, str] | None:
    """Return what a text has on each square, as `write_layout` writes it; None if it is of a board of another size."""
    if grid_of(text) != grid:
        return None
    held: dict[Square, str] = {}
    for rank, runs in zip(reversed(range(grid.ranks)), text.split("/"), strict=True):
        file = 0
        for run in _RUN.findall(runs):
            if not run.isdigit():
                held[Square(file, rank)] = run
            file += int(run) if run.isdigit() else 1
    return held


T = TypeVar("T")


class BitTable(Generic[T]):
    """A thing for each bit, to list those of a set of at most `length` bytes eight bits at a time.

    `make` makes the thing of a bit from its place, once, when first met. Reading whole bytes takes a third of the time
    that reading bit by bit does.
    """

    __slots__ = ("_made", "patterns")

    def __init__(self, make: Callable[[int], T], length: int) -> None:
        self._made = _Made(make)
        # For each byte of a set, the things of every value that it has had; a missing value is filled in.
        self.patterns: Final = tuple(_Patterns(self._made, 8 * byte) for byte in range(length))

    def __getitem__(self, place: int) -> T:
        return self._made[place]

    def read(self, bits: int) -> list[T]:
        """Return the things of all bits of a set, the lowest first."""
        found: list[T] = []
        for patterns, byte in zip(self.patterns, bits.to_bytes(len(self.patterns), "little"), strict=True):
            if byte:
                found += patterns[byte]
        return found

    def bytes_of(self, bits: int) -> bytes:
        """Return a set as the bytes that `patterns` are for."""
        return bits.to_bytes(len(self.patterns), "little")


class _Made(dict[int, T]):
    __slots__ = ("_make",)

    def __init__(self, make: Callable[[int], T]) -> None:
        self._make = make

    def __missing__(self, place: int) -> T:
        thing = self[place] = self._make(place)
        return thing


class _Patterns(dict[int, tuple[T, ...]]):
    """The things of eight neighbouring bits, by their byte."""

    __slots__ = ("_made", "_place")

    def __init__(self, made: _Made[T], place: int) -> None:
        self._made = made
        self._place = place

    def __missing__(self, byte: int) -> tuple[T, ...]:
        things = self[byte] = tuple(self._made[self._place + n] for n in range(8) if byte >> n & 1)
        return things
