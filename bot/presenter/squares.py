"""The squares of a board in words, one by one, for those who walk over it with a keyboard."""

from __future__ import annotations

from typing import Final

from bot.presenter.position import OwnerNames, name_and_side
from rules.core import TURN, Diagram, Kind, Seat, Sign, Square

_BEFORE: Final = ", "


def square_texts(diagram: Diagram, names: OwnerNames) -> dict[Square, str]:
    """What is on each square: "man, Ann (White); goal, Bob (Black); just came". A square that is left out is empty."""
    said: dict[Square, list[str]] = {}
    called: dict[tuple[Kind, Seat | None], str] = {}  # a board has many pieces of few kinds
    for piece in diagram.pieces:
        what = called.get((piece.kind, piece.owner)) or _piece(piece.kind, piece.owner, names)
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
            planned = "planned-" if diagram.planned and mark.sign in TURN else ""
            said.setdefault(mark.square, []).append(names.words(f"bot.legend.{planned}{mark.sign.value}"))
    return {at: "; ".join(dict.fromkeys(parts)) for at, parts in said.items()}


def _piece(kind: Kind, owner: Seat | None, names: OwnerNames) -> str:
    what = names.words(f"bot.square.{kind.value}")
    if owner is not None:
        return _BEFORE.join((what, name_and_side(names, owner)))
    return what if kind is Kind.WALL else _BEFORE.join((what, names.words("bot.square.neutral")))
