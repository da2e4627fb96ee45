"""What people type, folded to the plain ASCII that notation is written in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import chain, islice, product
from typing import Final

from rules.core.errors import BadNotation
from rules.core.reasons import Spelling

MAX_TEXT: Final = 400
"""Characters in one typed move. A whole Klopodavka turn of ten actions needs 60."""

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
MAX_READINGS: Final = 32
"""Readings of one text by look and sound, at most."""


def fold(text: str, also: Mapping[int, int | str | None] | None = None, limit: int = MAX_TEXT) -> str:
    """Return typed text as lower-case ASCII with single blanks.

    Args:
        text: As typed, in any case, perhaps on a Cyrillic keyboard.
        also: A game's own readings (a `str.maketrans` table), applied before the common look-alikes.
        limit: The longest text that is looked at, in characters.

    Raises:
        BadNotation: empty, too long, or with a character that is no part of any notation: another script's
            digits, control and direction marks, emoji.
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
    """Return a typed move as `fold` does, without what is written around it.

    Raises:
        BadNotation: as `fold` does.
    """
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


def as_typed(word: str, text: str, also: Mapping[int, int | str | None] | None = None) -> str:
    """Return the part of a typed text that a word of its folded form was read from, for a refusal to repeat.

    The word itself where the text has no such part. `also` is what the text was folded with; it maps each letter to one.
    """
    plain = (text.translate(also) if also else text).translate(_LOOK_ALIKES).translate(_MARKS).lower()
    found = re.search(rf"(?<![a-z0-9]){re.escape(word)}(?![a-z0-9])", plain)
    return text[found.start() : found.end()] if found and len(plain) == len(text) else word


def quoted(text: str, limit: int = 24) -> str:
    """Typed text, fit to be named in a refusal: short, and without characters that cannot be seen."""
    seen = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text[:limit])
    return f"{seen}\N{HORIZONTAL ELLIPSIS}" if len(text) > limit else seen
