"""A game as a page to read: each turn as it was typed, the board after it, and the position in one line."""

from __future__ import annotations

import re

from rules.core import Diagram, Kind, Square, Zone
from rules.lgame import GAME, LPosition

_TYPED = re.compile(r"^[12]> (.*)$", re.MULTILINE)


def rewrite(page: str) -> str:
    """The same page made again from its comment, its options and what was typed."""
    head, options_line = page.split("\n\n", 1)[0].rsplit("\n", 1)
    chosen = dict(word.split(":") for word in options_line.removeprefix("options").split())
    position = GAME.start(GAME.choose(chosen))
    parts = [f"{head}\n{options_line}", _board(position)]
    for typed in _TYPED.findall(page):
        (move,) = GAME.notation.parse(typed, position)
        line = f"{position.to_move.number}> {typed}"
        if typed != str(move):
            line += f"\n   = {move}"
        phrase = GAME.say(position, move)
        if phrase.fields.get("count"):
            line += f"\n   {phrase.key.rsplit('.', 1)[-1]}: {phrase.fields['count']}"
        position = position.play(move)
        parts += [line, _board(position)]
    if outcome := position.outcome:
        parts.append(f"end: {outcome.reason.name.lower()}, player {outcome.winners[0].number} wins")
    else:
        parts.append(f"player {position.to_move.number} to move, {len(position.legal_moves())} moves")
    return "\n\n".join(parts) + "\n"


def _board(position: LPosition) -> str:
    diagram = GAME.draw(position)
    rows = [
        f"  {rank + 1} {''.join(_cell(diagram, Square(file, rank)) for file in range(4))}".rstrip()
        for rank in (3, 2, 1, 0)
    ]
    return "\n".join([*rows, "     a  b  c  d", f"  {GAME.notation.format_position(position)}"])


def _cell(diagram: Diagram, square: Square) -> str:
    piece = diagram.at(square)
    painted = any(area.zone is Zone.PAINTED and square in area.cells for area in diagram.areas)
    if piece is None:
        text = "."
    elif piece.kind is Kind.DISC:
        text = "o"
    else:
        assert piece.owner is not None
        text = str(piece.owner.number)
    return f"[{text}]" if painted else f" {text} "
