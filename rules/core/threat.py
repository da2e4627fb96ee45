"""What could be taken."""

from __future__ import annotations

from dataclasses import dataclass

from rules.core.seat import Seat
from rules.core.square import Square


@dataclass(frozen=True, slots=True)
class Threat:
    """Something that a seat could take in one ply, if it were to move.

    Attributes:
        by: The seat.
        target: Where that stands which it could take.
        start: Where the piece stands that takes; None where no single one does.
    """

    by: Seat
    target: Square
    start: Square | None = None
