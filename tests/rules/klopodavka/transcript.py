"""A game as a page to read: each turn as it was typed, the board after it, and the position in one line."""

from __future__ import annotations

import re

from rules.klopodavka import GAME
from rules.klopodavka.position import KlopodavkaPosition
from tests.rules.klopodavka.making import chosen

_TYPED = re.compile(r"^(?:[0-9]+> |(leaves: ))(.*)$", re.MULTILINE)


def rewrite(page: str) -> str:
    """The same page made again from its comment, its options and what was typed."""
    head, _, options_line = page.split("\n\n", 1)[0].rpartition("\n")
    here = GAME.start(chosen(options_line.removeprefix("options").strip()))
    parts = [f"{head}\n{options_line}", board(here)]
    for leaves, typed in _TYPED.findall(page):
        if leaves:
            seat = next(seat for side in here.options.sides for seat in side if str(seat.number) == typed)
            after = here.retire(seat)
            lines = [f"leaves: {typed}"]
        else:
            moves = GAME.notation.parse(typed, here)
            after = here
            for move in moves:
                after = after.play(move)
            lines = [f"{here.to_move.number}> {typed}"]
            if (spelled := " ".join(map(str, moves))) != typed:
                lines.append(f"   = {spelled}")
        lines += [f"   out: {seat.number}" for seat in sorted(after.out - here.out)]
        if after.outcome is None and after.plies_left < after.turn_length:
            lines.append(f"   {after.plies_left} left")
        parts += ["\n".join(lines), board(after)]
        here = after
    if here.outcome:
        won = ", ".join(str(seat.number) for seat in here.outcome.winners) or "nobody"
        bases = f", bases {' '.join(map(str, here.scores))}" if here.scores else ""
        parts.append(f"end: {here.outcome.reason.name.lower()}, winners: {won}{bases}")
    else:
        parts.append(
            f"player {here.to_move.number} to move, {len(here.legal_moves())} actions to choose from"
        )
    return "\n\n".join(parts) + "\n"


def board(here: KlopodavkaPosition) -> str:
    """Small letters are bugs, capitals are walls; a belongs to the first player."""
    line = GAME.notation.format_position(here)
    rows = re.sub("[0-9]+", lambda run: "." * int(run[0]), line.split()[0]).split("/")
    drawn = [f"{rank:4} {' '.join(row)}" for rank, row in zip(range(len(rows), 0, -1), rows, strict=True)]
    files = " ".join(chr(97 + file) for file in range(here.options.board.files))
    return "\n".join([*drawn, f"     {files}", f"     {line}"])
