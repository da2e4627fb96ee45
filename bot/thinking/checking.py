"""Checks of a reply from a computer that is not trusted: only what passes is used."""

from __future__ import annotations

import math
import re
from typing import Any, Final

from bot.thinking.jobs import EVERY, Job, Reply, Variation
from engine.core import EngineKind
from engine.wire import ProtocolViolation, whole_turn
from rules import GAMES
from rules.core import AnyGame, Outcome, Position, RulesError, Seat

_NAME: Final = re.compile(r"[!-~]{1,40}", re.ASCII)
_NODES: Final = 10**15
_DEPTH: Final = 10_000  # turns
_LINE: Final = 400  # plies of a variation: a check replays them


class WrongReply(Exception):
    """A reply that is malformed, or cannot be true by the rules."""


def checked(job: Job, text: str) -> Reply:
    """Return the reply to a job: of its form, numbers in their ranges, and each line legal in its position.

    Whether a turn is good is not checked.

    Raises:
        WrongReply: one of that is not so.
    """
    try:
        reply = Reply.unpack(text)
    except (ValueError, RecursionError) as wrong:
        raise WrongReply(f"malformed: {wrong}") from wrong
    replies, positions = (reply, *reply.after), (job.position, *job.after)
    _need(len(replies) == len(positions), "one answer for each position")
    _need(not any(each.after for each in reply.after), "answers in answers")
    game = GAMES[job.game]
    options = game.choose(dict(job.options))
    for each, position in zip(replies, positions, strict=True):
        _check(game, game.notation.parse_position(position, options), job, each)
    return reply


def _check(game: AnyGame, position: Position[Any], job: Job, reply: Reply) -> None:
    _need(_NAME.fullmatch(reply.engine) is not None, "engine")
    _need(reply.kind in {kind.value for kind in EngineKind}, "kind")
    _need(0 <= reply.nodes <= _NODES, "nodes")
    _need(1 <= len(reply.lines) <= (job.most if job.level is None else 1), "number of lines")
    _need(len({line.turn for line in reply.lines}) == len(reply.lines), "the same turn twice")
    _need(reply.keep is None or (job.level is None and 1 <= reply.keep <= EVERY), "keep")
    for line in reply.lines:
        _check_line(game, position, line)


def _check_line(game: AnyGame, position: Position[Any], line: Variation) -> None:
    _need(math.isfinite(line.value) and abs(line.value) <= 1, "value")
    _need(0 <= line.depth <= _DEPTH, "depth")
    _need(len(line.line) <= _LINE and line.line[: len(line.turn)] == line.turn, "line")
    if line.plies is None:
        _need(abs(line.value) < 1, "a result without a proof")
    else:
        _need(line.value in (-1, 0, 1) and 0 <= line.plies <= EVERY, "proof")
    try:
        _need(whole_turn(game, position, "; ".join(line.turn)) == line.turn, "turn")
        outcome = played(game, position, line.line).outcome
    except (ProtocolViolation, RulesError) as illegal:
        raise WrongReply(f"illegal: {illegal}") from illegal
    if outcome is not None and line.plies is not None:
        _need(line.value == value_for(position.to_move, outcome), "a proof whose line says otherwise")


def played(game: AnyGame, position: Position[Any], plies: tuple[str, ...]) -> Position[Any]:
    """Return the position after some plies; a form that is not canonical is taken too."""
    for text in plies:
        _need(position.outcome is None, "moves after the end")
        for move in game.notation.parse(text, position):
            position = position.play(move)
    return position


def value_for(seat: Seat, outcome: Outcome) -> int:
    """Return what an outcome is worth to a seat: 1, 0 or -1."""
    if outcome.drawn:
        return 0
    return 1 if seat in outcome.winners else -1


def _need(holds: bool, what: str) -> None:
    if not holds:
        raise WrongReply(what)
