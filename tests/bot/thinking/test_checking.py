"""What is checked of a reply: true ones of every game pass, wrong ones do not."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import pytest

from bot.thinking.checking import WrongReply, checked
from bot.thinking.jobs import Job, job_for, run_job
from rules import GAMES
from tests.bot.world import SETTINGS

Spoil = Callable[[dict[str, Any]], object]


def chunk(game: str, chosen: dict[str, str], seed: int = 1, **limits: Any) -> Job:
    """Positions of a match that chance plays, to the last one before its end or some way."""
    chance, rules = random.Random(seed), GAMES[game]
    options = rules.choose(chosen)
    position, found = rules.start(options), []
    for _ in range(30):
        if position.outcome is not None:
            break
        found.append(position)
        position = position.play(chance.choice(list(position.legal_moves())))
    first, *rest = found[-6:]
    job = job_for(rules, options, first, seconds=0.02, **limits)
    return replace(job, after=tuple(rules.notation.format_position(each) for each in rest))


@pytest.mark.parametrize(("game", "chosen"), SETTINGS)
@pytest.mark.parametrize("limits", [{}, {"most": 24}, {"level": 2}])
def test_what_the_engines_find_passes(game: str, chosen: dict[str, str], limits: dict[str, int]) -> None:
    job = chunk(game, dict(chosen), **limits)
    reply = run_job(job)
    assert checked(job, reply.pack()) == reply
    assert len(reply.after) == len(job.after)


def line(**spoilt: Any) -> Spoil:
    return lambda held: held["lines"][0].update(spoilt)


def value(**spoilt: Any) -> Spoil:
    return lambda held: held.update(spoilt)


WRONG: Final[dict[str, Spoil]] = {
    "no engine": lambda held: held.pop("engine"),
    "an engine without a name": value(engine=""),
    "a name of two words": value(engine="a b"),
    "a name with an escape": value(engine="\x1b[2J"),
    "an unknown kind": value(kind="human"),
    "fewer nodes than none": value(nodes=-1),
    "nodes as a text": value(nodes="5"),
    "too many nodes": value(nodes=10**16),
    "no lines": value(lines=[]),
    "more lines than were asked for": lambda held: held["lines"].append(held["lines"][0]),
    "a line that is none": value(lines=["a2-a3"]),
    "keeping none": value(keep=0),
    "keeping too many": value(keep=10**6),
    "fewer answers than positions": lambda held: held["after"].pop(),
    "more answers than positions": lambda held: held["after"].append(held["after"][0]),
    "answers in answers": lambda held: held["after"][0].update(after=[dict(held["after"][0])]),
    "a later answer without lines": lambda held: held["after"][-1].update(lines=[]),
    "answers of other positions": lambda held: held["after"].reverse(),
    "no turn": line(turn=[], line=[]),
    "an illegal turn": line(turn=["a1-a5"], line=["a1-a5"]),
    "a turn that is none": line(turn=["resign"], line=["resign"]),
    "two turns": lambda held: held["lines"][0].update(turn=held["lines"][0]["line"][:2]),
    "a turn in a form of its own": lambda held: held["lines"][0].update(
        turn=[held["lines"][0]["turn"][0].upper()]
    ),
    "a line that begins otherwise": line(line=["a1-a5"]),
    "an illegal line": lambda held: held["lines"][0].update(line=held["lines"][0]["turn"] + ["a1-a5"]),
    "a line without end": lambda held: held["lines"][0].update(line=held["lines"][0]["turn"] * 1000),
    "a value beyond a win": line(value=1.5),
    "no number": line(value="much"),
    "an infinite value": line(value=1e400),
    "a sure value without a proof": line(value=1, plies=None),
    "a proof of a guess": line(value=0.5, plies=3),
    "a proof that is too long": line(value=1, plies=10**6),
    "a depth below none": line(depth=-1),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_cannot_be_is_refused(what: str) -> None:
    job = chunk("breakthrough", {"board": "5x5"}, seed=3)
    held = json.loads(run_job(job).pack())
    checked(job, json.dumps(held))
    WRONG[what](held)
    with pytest.raises(WrongReply):
        checked(job, json.dumps(held).replace("Infinity", "1e400"))


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '"x"', "[" * 100_000, "{}"])
def test_what_is_no_reply_is_refused(text: str) -> None:
    with pytest.raises(WrongReply):
        checked(chunk("lgame", {}), text)


def test_a_proof_must_agree_with_its_line() -> None:
    game = GAMES["breakthrough"]
    options = game.choose({"board": "4x5"})
    position = game.notation.parse_position("4/w3/4/b3/4 w", options)
    job = job_for(game, options, position, seconds=0.05)
    reply = run_job(job)
    assert (reply.lines[0].value, reply.lines[0].plies) == (1, 1)
    assert checked(job, reply.pack()) == reply
    lost = replace(reply, lines=(replace(reply.lines[0], value=-1.0),))
    with pytest.raises(WrongReply):
        checked(job, lost.pack())
