"""What people type, folded to the plain ASCII that notation is written in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from rules.core.errors import BadNotation
from rules.core.reasons import Spelling

MAX_TEXT: Final = 400
"""Characters in one typed move. A whole Klopodavka turn of ten actions needs 60."""

_LOOK_ALIKES: Final = str.maketrans(
    # RULES: a Cyrillic letter that looks like a Latin one is read as it. Also the Ukrainian і, and у as y.
    "асеорхвнкмтіуАСЕОРХВНКМТІУ",
    "aceopxbhkmtiyaceopxbhkmtiy",
)
_MARKS: Final = str.maketrans(
    {
        **dict.fromkeys("‐‑‒–—―−", "-"),
        **dict.fromkeys("×✕✖", "x"),
        **dict.fromkeys("\u00a0\u2009\u202f\t\r\n", " "),
    }
)
_BLANKS: Final = re.compile(r" +")


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
    text = _BLANKS.sub(" ", text).strip(" ").lower()
    if not text:
        raise BadNotation(Spelling.EMPTY)
    return text


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
