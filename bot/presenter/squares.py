"""The squares of a board in words, one by one, for those who walk over it with a keyboard."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from bot.presenter.position import OwnerNames, name_and_side, squares_text
from rules.core import TURN, Diagram, Kind, Piece, Seat, Sign, Square, Threat, Zone

KEYS: Final = {
    "bot.legend.{}": ((*Zone, *Sign, *(f"planned-{sign}" for sign in TURN)),),
    "bot.square.{}": (Kind,),
}
"""The keys that this module puts together, by their template: the members of each hole."""

_BEFORE: Final = ", "


def square_texts(diagram: Diagram, names: OwnerNames, threats: Sequence[Threat] = ()) -> dict[Square, str]:
    """What is on each square: "man, Ann (White); goal, Bob (Black); just came; can take b4". A square that is left out is empty.

    The threats are those of the position that the diagram shows.
    """
    said: dict[Square, list[str]] = {}
    called: dict[tuple[Kind, Seat | None], str] = {}  # a board has many pieces of few kinds
    for piece in diagram.pieces:
        what = called.get((piece.kind, piece.owner)) or _piece(piece, names)
        called[piece.kind, piece.owner] = what
        for at in piece.cells:
            said.setdefault(at, []).append(what)
    for area in diagram.areas:
        what = names.words(f"bot.legend.{area.zone.value}")
        if area.owner is not None:
            what = _BEFORE.join((what, names.seat(area.owner)))
        for at in area.cells:
            said.setdefault(at, []).append(what)
    for mark in diagram.marks:
        if mark.sign is not Sign.CANDIDATE:
            planned = diagram.planned and mark.sign in TURN
            sign = f"planned-{mark.sign}" if planned else mark.sign
            said.setdefault(mark.square, []).append(names.words(f"bot.legend.{sign}"))
    for at, told in _threatened(threats, names):
        said.setdefault(at, []).append(told)
    return {at: "; ".join(dict.fromkeys(parts)) for at, parts in said.items()}


def _piece(piece: Piece, names: OwnerNames) -> str:
    what = names.words(f"bot.square.{piece.kind.value}")
    if piece.owner is not None:
        return _BEFORE.join((what, name_and_side(names, piece.owner)))
    return what if piece.kind is Kind.WALL else _BEFORE.join((what, names.words("bot.square.neutral")))


def _threatened(threats: Sequence[Threat], names: OwnerNames) -> Iterator[tuple[Square, str]]:
    """Yield what a piece could take, then what could take a piece: the squares, or else the names, that it is seen from."""
    taking: dict[Square, list[Square]] = {}
    taken: dict[Square, list[str]] = {}
    for threat in threats:
        if threat.start is not None:
            taking.setdefault(threat.start, []).append(threat.target)
        taken.setdefault(threat.target, []).append(
            names.seat(threat.by) if threat.start is None else str(threat.start)
        )
    for at, targets in taking.items():
        yield at, names.words("bot.square.takes", squares=squares_text(tuple(targets)))
    for at, by in taken.items():
        yield at, names.words("bot.square.attacked", by=_BEFORE.join(by))
