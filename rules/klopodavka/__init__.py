"""Klopodavka: put bugs and crush the enemy's; a player who cannot act is out."""

from __future__ import annotations

from rules.core import SEATS, Game, Phrase
from rules.klopodavka.lesson import LESSON
from rules.klopodavka.notation import (
    KlopodavkaNotation,
    draw,
    evaluate,
    finish,
    fork,
    losses,
    setup_warning,
    threats,
)
from rules.klopodavka.options import SCHEMA, Options, check, options, values
from rules.klopodavka.position import KlopodavkaPosition, extra_actions
from rules.klopodavka.reach import Move, owner


def _say(position: KlopodavkaPosition, move: Move) -> Phrase:
    if not move.crush:
        return Phrase("klopodavka.say.put", {"square": move.square})
    bit = position.ruleset.board.bits[move.square]
    whose = owner(position.occupancy.bugs, bit)
    return Phrase("klopodavka.say.crush", {"square": move.square, "seat": SEATS[whose or 0]})


GAME: Game[KlopodavkaPosition, Move, Options] = Game(
    key="klopodavka",
    rules_version=1,
    schema=SCHEMA,
    options=options,
    values=values,
    check=check,
    sides=lambda chosen: chosen.sides,
    start=KlopodavkaPosition.start,
    notation=KlopodavkaNotation(),
    diagram=draw,
    fork=fork,
    say=_say,
    warning=setup_warning,
    # First turns as long as makes the game even: docs/balance.md.
    usual={
        **{preset: {"first": "2"} for preset in ("classic", "bases", "cylinder")},
        "duel": {"first": "1"},
    },
    lesson=LESSON,
    topics=("start", "turn", "action", "range", "crushing", "end", "fence", "notation"),
    cups=(("tournament", "tournament players:4"),),
    takes=lambda _, move: move.crush,
    unordered=True,
    odds={"extra": extra_actions},
    evaluate=evaluate,
    threats=threats,
    losses=losses,
    finish=finish,
)
