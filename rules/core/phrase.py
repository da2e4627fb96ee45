"""Something to say, before it has words: a catalogue key and the values that its words name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Phrase:
    """What is said of a move or a match. Of a move, the presenter adds subjects: "d4 taken", never "Ann took d4"."""

    key: str
    fields: Mapping[str, object] = field(default_factory=dict)
