"""Something to say, before it has words: a catalogue key and the values that its words name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rules.core.errors import Field


@dataclass(frozen=True, slots=True)
class Phrase:
    """What a game says of a move. The presenter adds subjects: "d4 taken", never "Ann took d4"."""

    key: str
    fields: Mapping[str, Field] = field(default_factory=dict)
