"""Games as pages to read: what was typed, what came of it, and the position. `python -m tests.rules.golden_games`
writes them anew; a change of the rules, the notation or the scores shows in the diff as a game."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rules import GAMES
from rules.core import SEATS, AmbiguousMove, AnyGame, Highlights, RulesError

PAGES = sorted(Path(__file__).parent.glob("*/games/*.txt"))
_TYPED = re.compile(r"^(?:[0-9]+> |(leaves: ))(.*)$", re.MULTILINE)


def typed_in(page: str) -> list[str]:
    return [typed for leaves, typed in _TYPED.findall(page) if not leaves]


def rewrite(key: str, page: str) -> str:
    """The same page made again from its comment, its options and what was typed."""
    game = GAMES[key]
    head, _, options = page.split("\n\n", 1)[0].rpartition("\n")
    here = game.start(game.choose(dict(word.split(":", 1) for word in options.split()[1:])))
    parts = [f"{head}\n{options}", f"   {game.notation.format_position(here)}"]
    for leaves, typed in _TYPED.findall(page):
        lines = [f"leaves: {typed}" if leaves else f"{here.to_move.number}> {typed}"]
        before = here
        try:
            if leaves:
                here = here.retire(SEATS[int(typed) - 1])
            else:
                plies = game.notation.parse(typed, here)
                here, told = _played(game, here, plies)
                if (spelled := " ".join(map(game.notation.format, plies))) != typed:
                    lines.append(f"   = {spelled}")
                lines += told
        except AmbiguousMove as refused:
            lines.append(f"   {' or '.join(map(game.notation.format, refused.candidates))}?")
        except RulesError as refused:
            lines.append(f"   {refused}")
        else:
            lines += [f"   out: {seat.number}" for seat in sorted(here.out - before.out)]
            if here.outcome is None and here.plies_left < here.turn_length:
                lines.append(f"   {here.plies_left} left")
            lines.append(f"   {game.notation.format_position(here)}")
        parts.append("\n".join(lines))
    scores = f", scores: {' '.join(map(str, here.scores))}" if here.scores else ""
    if here.outcome:
        winners = ", ".join(str(seat.number) for seat in here.outcome.winners) or "none"
        parts.append(f"end: {here.outcome.reason.value}, winners: {winners}{scores}")
    else:
        legal = [game.notation.format(move) for move in here.legal_moves()]
        shown = " ".join(legal) if len(legal) < 20 else f"{len(legal)} moves"
        parts.append(f"{here.to_move.number} to move: {shown}{scores}")
    return "\n\n".join(parts) + "\n"


def _played(game: AnyGame, here: Any, plies: Sequence[Any]) -> tuple[Any, list[str]]:
    before, told = here, []
    for ply in plies:
        phrase = game.say(here, ply)
        if here.turn_length == 1:
            fields = "".join(f" {name}={value}" for name, value in phrase.fields.items())
            told.append(f"   {phrase.key.rpartition('.')[2]}{fields}")
        here = here.play(ply)
    diagram = game.draw(here, Highlights(last=tuple(plies), before=before))
    marks = [f"{mark.sign.value} {mark.square}" for mark in (diagram.first or diagram).marks]
    return here, [*told, f"   {', '.join(marks)}"]


if __name__ == "__main__":
    for path in PAGES:
        path.write_text(rewrite(path.parts[-3], path.read_text("utf-8")), "utf-8")
