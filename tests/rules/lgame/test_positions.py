"""Positions as text."""

from __future__ import annotations

import pytest

from rules.core import BadNotation, Spelling
from tests.rules.lgame.shared import at

START = "o22./.12./.12./.11o"


@pytest.mark.parametrize(
    ("text", "preset"),
    [
        ("", "classic"),
        (START, "classic"),
        (f"{START} 0", "classic"),
        (f"{START} 3", "classic"),
        (f"{START} 1 0-0", "classic"),
        (f"{START} 1 ", "scoring"),
        (f"{START} 1 mirrored", "classic"),
        (f"{START} 1 x", "classic"),
        ("o22./.12./.12. 1", "classic"),
        ("o22./.12./.12./.11o/.... 1", "classic"),
        ("o22../.12./.12./.11 1", "classic"),
        ("o22./.12./.12./.11. 1", "classic"),  # one neutral
        ("o22o/.12./.12./.11o 1", "classic"),  # three
        ("o22./.12./.12./..1o 1", "classic"),  # three cells are no L
        ("o22./.12./.12./111o 1", "classic"),  # nor are five
        ("o22./.122/.1../.11o 1", "classic"),  # four that are no L
        ("ox2./.12./.12./.11o 1", "classic"),
        (f"{START} 1 00-0", "scoring"),
        (f"{START} 1 -1-0", "scoring"),
        (f"{START} 1 1000-0", "scoring"),
        (f"{START} 1 15-0", "scoring"),  # the seat to move cannot have won
        (f"{START} 2 15-15", "scoring"),
        (f"{START} 2 23-0", "scoring"),  # 14 and 8 are 22
        ("111o/122./o.2./..2. 1 3-9", "scoring"),  # after a block the pieces are at the start
        (".12./o12./1122/..o. 2", "symmetry"),  # an image, but no win
        (".12./o12./1122/..o. 2 mirrored", "half-turn"),
        (".12./o12./1122/..o. 2 mirrored", "classic"),
        (f"{START} 1 mirrored", "symmetry"),
        (f"{START} 2", "half-turn"),
        (".22./o12./.12./.11o 1", "half-turn"),  # the start's L's, but a neutral has moved
    ],
)
def test_refused(text: str, preset: str) -> None:
    with pytest.raises(BadNotation) as refused:
        at(text, preset)
    assert refused.value.reason in {Spelling.NOT_A_POSITION, Spelling.EMPTY}
