"""What a position of Klopodavka is made of."""

from __future__ import annotations

from typing import TypeAlias

from rules.core.outcome import Outcome
from rules.klopodavka.ground import Ground
from rules.klopodavka.standing import Standing

State: TypeAlias = tuple[Ground, Standing, int, int, int, int, int, Outcome | None]
"""The kind of game, what stands where, the seat to move, how many actions it owes, who is out, what the chain of the
seat to move is and touches, what of that it can act on, the end. The last three follow from the rest."""
