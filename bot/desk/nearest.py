"""The known words most like a typed one."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher
from typing import Final

_ALIKE: Final = 0.75
"""How much alike two words have to be, as `difflib` measures it."""

_TWINS: Final = 0.85
"""How much alike words have to be that do not begin alike."""

_WRONG_LAYOUT: Final = str.maketrans(
    "йцукенгшщзхъфывапролджэячсмитьбюії", "qwertyuiop[]asdfghjkl;'zxcvbnm,.s]"
)
"""What was typed on a Cyrillic keyboard in place of a Latin one."""


def nearest(typed: str, known: Iterable[str], count: int = 1) -> list[str]:
    """Return the known words most like a typed one, the best first; none where none is much like it."""
    folded = {word.casefold(): word for word in known}
    word = typed.casefold()
    if (latin := word.translate(_WRONG_LAYOUT)) in folded:
        return [folded[latin]]
    found = sorted(((_alike(word, other), other) for other in folded), key=lambda each: -each[0])
    return [folded[other] for alike, other in found[:count] if alike >= _ALIKE]


def _alike(typed: str, known: str) -> float:
    """Return from 0 to 1 how much alike two words are; 0 where they differ from the beginning on."""
    alike = SequenceMatcher(None, typed, known).ratio()
    begins = typed[:1] in known[:2] and known[:1] in typed[:2]
    return alike if begins or alike >= _TWINS else 0
