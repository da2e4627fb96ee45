"""What every game promises, as checks over a random game. `test_conformance.py` runs them for all games."""

from __future__ import annotations

import copy
import importlib
import pickle
import pkgutil
import random
import re
from collections.abc import Iterator, Sequence
from itertools import islice, permutations, product
from typing import Any

import pytest

import rules.core
from rules.core import (
    MAX_STEPS,
    MAX_TEXT,
    SEATS,
    AmbiguousMove,
    AnyGame,
    BadNotation,
    Diagram,
    Fork,
    Grid,
    Highlights,
    IllegalMove,
    Legality,
    Picks,
    Position,
    RulesError,
    Seat,
    Sign,
    walk,
)
from tests.rules.catalogues import LANGUAGES, assert_refusal, assert_said, entries, forms, package
from tests.rules.lines import Line, cyrillic, mutated, play_out, text

# Checks of a game's fork: the choices that make a move step by step.


TOKEN = 12
"""The longest token: it travels in a button of 64 bytes beside the match and what was picked before it."""


def check_steps(line: Line, position: Any) -> None:
    """Each move's own steps lead to it."""
    game = line.game
    for move in line.some(position.legal_moves(), 25):
        path, fork = walk(lambda path: game.fork(position, path), game.notation.steps(move))
        assert fork.move == move, f"{path} in {text(line, position)}"
        assert not fork.steps


def check_tree(line: Line, position: Any) -> None:
    """All of the tree where it is small, some ways down it where it is large."""
    legal = position.legal_moves()
    if len(legal) > (1000 if line.thorough else 70):
        chance = line.chance
        for _ in range(8):
            _, move = random_path(line.game, position, chance)
            assert move in legal
        return
    grid = line.game.draw(position).grid
    found = []
    ways: list[tuple[str, ...]] = [()]
    while ways:
        path = ways.pop()
        fork = line.game.fork(position, path)
        check_fork_itself(line, position, fork, grid)
        if fork.move is not None:
            found.append(fork.move)
        ways += ((*path, step.token) for step in fork.steps)
    assert len(found) == len(legal), text(line, position)
    assert set(found) == set(legal), text(line, position)


def check_fork_itself(line: Line, position: Any, fork: Fork[Any], grid: Grid) -> None:
    """A move or a few steps; tokens short and distinct, squares on the board, words for all that is asked."""
    assert (fork.move is None) == bool(fork.steps), text(line, position)
    assert len(fork.steps) <= MAX_STEPS, text(line, position)
    tokens = [step.token for step in fork.steps]
    assert len(set(tokens)) == len(tokens), tokens
    if fork.steps:
        assert_said(line.game, fork.prompt, set())
    for step in fork.steps:
        assert 1 <= len(step.token) <= TOKEN, step
        assert step.token.isascii(), step
        assert step.token.isprintable(), step
        assert all(square in grid for square in step.squares), step
        assert step.squares or step.picks is Picks.NOTHING, step
        if step.label is not None:
            assert_said(line.game, step.label, set())


def check_wrong_steps(line: Line, position: Any) -> None:
    """A step that is not offered is refused, and so is a step after the last."""
    game = line.game
    path, _ = random_path(game, position, line.chance)
    for wrong in ((*path, path[-1]), (*path[:-1], "no-such"), ("",), ("a0",), ("\0",), (*path, "a1", "a1")):
        with pytest.raises(IllegalMove) as refused:
            game.fork(position, wrong)
        assert refused.value.reason is Legality.NO_SUCH_STEP


def random_path(game: AnyGame, position: Any, chance: random.Random) -> tuple[tuple[str, ...], Any]:
    """Some way through the fork, and the move at its end."""
    path: tuple[str, ...] = ()
    fork = game.fork(position, path)
    while fork.move is None:
        path = (*path, chance.choice(fork.steps).token)
        fork = game.fork(position, path)
    return path, fork.move


# Checks of a game's lesson.


def turns(before: Any, plies: Sequence[Any] = ()) -> Iterator[tuple[Sequence[Any], Any]]:
    """Every turn of the seat to move that begins with some plies, with the position after it."""
    here = before
    for ply in plies:
        here = here.play(ply)
    if len(plies) == before.plies_left or here.outcome:
        yield plies, here
        return
    for ply in here.legal_moves():
        yield from turns(before, (*plies, ply))


SENTENCES = {"": 2, ".right": 1, ".wrong": 1, ".hint": 1}
"""How many each text of a task has at most."""


def check_lesson(game: AnyGame) -> None:
    """Each task can be done, and missed unless it is the first; its words are short; those of variants come last."""
    further = [task.further for task in game.lesson]
    assert further == sorted(further)
    assert further.count(False) <= 8
    assert len({task.key for task in game.lesson}) == len(game.lesson)
    for number, task in enumerate(game.lesson):
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", task.key), task.key
        before = game.notation.parse_position(task.position, game.choose(task.chosen))
        assert game.notation.format_position(before) == task.position, task.key
        assert before.outcome is None, task.key
        found = {task.right(before, plies, after) for plies, after in turns(before)}
        assert found == {True, False} or (number == 0 and found == {True}), task.key
        for language, (part, most) in product(LANGUAGES, SENTENCES.items()):
            (said,) = forms(entries(package(game), language)[f"{game.key}.lesson.{task.key}{part}"])
            sentences = re.split(r"(?<=[.!?]) ", said)
            assert len(sentences) <= most, said
            assert all(1 <= len(each.split()) <= 20 for each in sentences), said
            assert said[-1] in ".!?", said
            assert not re.search(r"[*_`<>{}/]", said), said


# Checks of what a game draws.


def check_diagram(line: Line) -> None:
    """What is drawn stands on the board, one piece to a cell, and shows the turn, the choice and the seats."""
    draw = line.game.draw
    for at in line.looks():
        position = line.positions[at]
        plain = draw(position)
        _check_board(line, position, plain)
        assert plain == draw(position)
        assert hash(plain) == hash(draw(position))
        if at:
            shown = draw(position, Highlights(last=line.moves[at - 1 : at], before=line.positions[at - 1]))
            _check_board(line, position, shown)
            signs = {mark.sign for mark in shown.marks}
            assert signs & {Sign.LEFT, Sign.ENTERED, Sign.CRUSHED} or shown.arrows, text(line, position)
            taken = line.game.takes(line.positions[at - 1], line.moves[at - 1])
            assert taken is (Sign.CRUSHED in signs), text(line, position)
            _check_board(line, position, draw(position, Highlights(last=line.moves[at - 1 : at])))
        _check_threats(line, position, plain)
        if position.outcome is not None:
            continue
        for count in (1, 9):
            offered = position.legal_moves()[:count]
            shown = draw(position, Highlights(candidates=offered))
            _check_board(line, position, shown)
            labels = [mark.label for mark in shown.marks if mark.sign is Sign.CANDIDATE]
            # Where candidates share a square its label may name several, in any short way.
            numbers = {int(number) for label in labels for number in re.findall("[0-9]+", label)}
            assert numbers, text(line, position)
            assert numbers <= set(range(1, len(offered) + 1)), text(line, position)
        path, _ = random_path(line.game, position, line.chance)
        for end in range(len(path)):
            _check_board(line, position, draw(position, Highlights(picked=path[:end])))
        shown = draw(position, Highlights(picked=path))
        _check_board(line, position, shown)
        assert any(mark.sign is Sign.PICKED for mark in shown.marks), (path, text(line, position))


def _check_threats(line: Line, position: Position[Any], shown: Diagram) -> None:
    found = line.game.threats(position)
    for threat in found:
        assert (piece := shown.at(threat.target)) is not None, text(line, position)
        assert piece.owner != threat.by, text(line, position)
        if threat.start is not None:
            assert (taker := shown.at(threat.start)) is not None, text(line, position)
            assert taker.owner == threat.by, text(line, position)
    mine = [threat for threat in found if threat.by == position.to_move]
    taking = [move for move in position.legal_moves() if line.game.takes(position, move)]
    assert len(mine) == len(taking), text(line, position)


def _check_board(line: Line, position: Any, shown: Diagram) -> None:
    seats = SEATS[: line.game.seats(line.options)]
    covered = [cell for piece in shown.pieces for cell in piece.cells]
    assert len(set(covered)) == len(covered), text(line, position)
    assert all(piece.cells for piece in shown.pieces)
    on_it = [
        *covered,
        *(cell for area in shown.areas for cell in area.cells),
        *(mark.square for mark in shown.marks),
        *(end for arrow in shown.arrows for end in (arrow.start, arrow.end)),
    ]
    assert all(cell in shown.grid for cell in on_it), text(line, position)
    assert {piece.owner for piece in shown.pieces} <= {None, *seats}
    assert {area.owner for area in shown.areas} <= {None, *seats}
    assert all(len(mark.label) <= 3 for mark in shown.marks)
    assert shown.out == position.out, text(line, position)
    assert shown.scores == position.scores
    assert shown.grid == line.game.draw(line.positions[0]).grid


def check_values(line: Line) -> None:
    """Positions are frozen, hashable values; text makes an equal one again, with the same moves in the same order."""
    notation = line.game.notation
    for at in line.looks():
        position = line.positions[at]
        written = notation.format_position(position)
        assert written.isascii(), written
        assert written.isprintable(), written
        again = notation.parse_position(written, line.options)
        assert again == position, text(line, position)
        assert hash(again) == hash(position), text(line, position)
        assert notation.format_position(again) == written
        assert again.legal_moves() == position.legal_moves(), text(line, position)
        assert again.outcome == position.outcome
        assert not hasattr(position, "__dict__"), "a position is slotted"
        for name in ("to_move", "outcome", "anything"):
            with pytest.raises((AttributeError, TypeError)):
                setattr(position, name, None)
    last = line.positions[-1]
    if line.moves and last.outcome is None:
        assert line.positions[-2] != last


def check_copies(line: Line) -> None:
    """Options and positions survive a deep copy and a pickle: equal, with the same hash, and playable."""
    for again in copies(line.options):
        assert again == line.options
        assert hash(again) == hash(line.options)
        assert line.game.start(again) == line.positions[0]
    for at in line.looks():
        position = line.positions[at]
        for here in copies(position):
            assert here == position, text(line, position)
            assert hash(here) == hash(position)
            assert here.legal_moves() == position.legal_moves(), text(line, position)
            for move in line.moves[at : at + 1]:
                assert here.play(move) == line.positions[at + 1]
                assert all(position.play(same) == line.positions[at + 1] for same in copies(move))


def copies(value: Any) -> tuple[Any, Any]:
    """A deep copy of a value, and what its pickle is read as."""
    return copy.deepcopy(value), pickle.loads(pickle.dumps(value))


def check_moves(line: Line) -> None:
    """Legal means legal: each move once, each can be played, none other, and none at all only at the end."""
    pool = _pool(line)
    for position in line.positions:
        assert bool(position.legal_moves()) == (position.outcome is None), text(line, position)
    for at, position in line.going():
        legal = position.legal_moves()
        assert len(set(legal)) == len(legal), text(line, position)
        written = line.game.notation.format_position(position)
        for move in line.some(legal, 30):
            assert isinstance(position.play(move), type(position))
        for move in pool:
            if move in legal:
                continue
            with pytest.raises(IllegalMove) as refused:
                position.play(move)
            assert_refusal(line.game, refused.value)
            assert refused.value.reason is not Legality.GAME_OVER
        assert line.game.notation.format_position(position) == written, (
            f"ply {at} changed what it was played on"
        )


def check_seats(line: Line) -> None:
    """Whose turn it is, who is out, how many plies are owed, who has won."""
    sides = line.game.sides(line.options)
    seats = {seat for side in sides for seat in side}
    assert sorted(seats) == list(SEATS[: len(seats)])
    assert sum(map(len, sides)) == len(seats) == line.game.seats(line.options) >= 2
    assert len(sides) >= 2
    assert all(sides)
    for position in line.positions:
        assert isinstance(position.to_move, Seat)
        assert position.to_move in seats
        assert position.out <= seats
        assert len(position.scores) in {0, len(seats)}
        outcome = position.outcome
        if outcome is None:
            assert position.to_move not in position.out, text(line, position)
            assert 1 <= position.plies_left <= position.turn_length, text(line, position)
            assert position.counts_plies or position.turn_length == 1, text(line, position)
            assert position.counts_plies == line.positions[0].counts_plies, text(line, position)
        elif outcome.winners:
            assert set(outcome.winners) in map(set, sides), text(line, position)
        if outcome is not None:
            assert_said(line.game, outcome.reason.value, set())
    for before, after in zip(line.positions, line.positions[1:], strict=False):
        assert before.out <= after.out, text(line, after)
        if after.outcome is not None:
            continue
        if after.to_move == before.to_move and before.plies_left > 1:
            assert after.plies_left == before.plies_left - 1, text(line, after)
            assert after.turn_length == before.turn_length, text(line, after)
        else:
            assert after.plies_left == after.turn_length, text(line, after)
            assert before.plies_left == 1 or before.to_move in after.out, text(line, after)


def check_end(line: Line) -> None:
    """Nothing can be played, typed or picked after the end."""
    last = line.positions[-1]
    if last.outcome is None:
        return
    notation = line.game.notation
    for move in _pool(line)[:10]:
        for attempt in (
            lambda move=move: last.play(move),
            lambda move=move: notation.parse(notation.format(move), last),
            lambda move=move: line.game.fork(last, notation.steps(move)),
        ):
            with pytest.raises(IllegalMove) as refused:
                attempt()
            assert refused.value.reason is Legality.GAME_OVER, text(line, last)
    with pytest.raises(IllegalMove):
        line.game.fork(last, ())


def check_notation(line: Line) -> None:
    """A move's text is read back, in any case, on either keyboard; so is a whole turn in one line."""
    notation = line.game.notation
    for _, position in line.going():
        texts = set()
        legal = position.legal_moves()
        for move in line.some(legal, 40):
            written = notation.format(move)
            assert written.isascii(), written
            assert len(written) <= MAX_TEXT
            texts.add(written)
            for typed in (written, written.upper(), cyrillic(written), f"  {written} "):
                assert notation.parse(typed, position) == (move,), f"{typed!r} in {text(line, position)}"
        assert len(texts) == len(line.some(legal, 40)), "two moves share a text"
    for before, plies, _ in line.turns():
        if before.turn_length > 1:
            typed = " ".join(map(notation.format, plies))
            assert notation.parse(typed, before) == tuple(plies), f"{typed!r} in {text(line, before)}"


def check_candidates(position: Any, refused: RulesError) -> None:
    """An ambiguous text comes with two or more legal moves to choose from."""
    if isinstance(refused, AmbiguousMove):
        assert len(set(refused.candidates)) == len(refused.candidates) >= 2
        assert set(refused.candidates) <= set(position.legal_moves())


def assert_playable(position: Any, plies: Sequence[Any]) -> None:
    """What a text was read as is one ply or more, at most a turn, and can be played."""
    assert 1 <= len(plies) <= position.plies_left
    for ply in plies:
        position = position.play(ply)


def check_source(line: Line) -> None:
    """A position, a move, a seat and a square print as what makes an equal one."""
    home = package(line.game)
    names: dict[str, Any] = dict(vars(rules.core))
    for module in pkgutil.iter_modules(home.__path__, f"{home.__name__}."):
        names |= vars(importlib.import_module(module.name))
    for at in line.looks():
        assert eval(repr(line.positions[at]), names) == line.positions[at]
    for _, position in line.going():
        for move in line.some(position.legal_moves(), 5):
            assert eval(repr(move), names) == move
        assert eval(repr(position.to_move), names) == position.to_move


def check_order(line: Line) -> None:
    """Where the game says so, the plies of a turn lead to one position in every order that is legal."""
    if not line.game.unordered:
        return
    for before, plies, after in line.turns():
        if len(plies) != before.turn_length or len(plies) < 2:
            continue
        orders = list(islice(permutations(plies), 1, 24))
        for order in line.some(orders, 3):
            try:
                here = before
                for ply in order:
                    here = here.play(ply)
            except IllegalMove:
                continue
            assert here == after, f"{order} in {text(line, before)}"


def check_retire(line: Line) -> None:
    """A seat that leaves a game of three or more is out, the rest play on, and there is an end."""
    seats = SEATS[: line.game.seats(line.options)]
    for _, position in line.going():
        if len(seats) == 2:
            with pytest.raises(ValueError, match="two"):
                position.retire(position.to_move)
            continue
        written = line.game.notation.format_position(position)
        for seat in line.some([seat for seat in seats if seat not in position.out], 3):
            here = position.retire(seat)
            assert line.game.notation.format_position(position) == written
            assert seat in here.out or here.outcome is not None, text(line, here)
            _check_left(line, here)
        here = position
        while here.outcome is None:
            staying = [seat for seat in seats if seat not in here.out]
            here = here.retire(line.chance.choice(staying))
            _check_left(line, here)


def check_ahead(line: Line) -> None:
    """A turn that is prepared begins whole, on the board as it is; on turn at its beginning, it is the position itself."""
    for _, position in line.going():
        for seat in line.some(SEATS[: line.game.seats(line.options)], 3):
            here = position.ahead(seat)
            if here is None:
                continue
            assert (here.to_move, here.outcome) == (seat, None), text(line, here)
            assert here.plies_left == here.turn_length
            assert line.game.draw(here).pieces == line.game.draw(position).pieces
            if seat == position.to_move and position.plies_left == position.turn_length:
                assert here == position


def check_restore(line: Line) -> None:
    """A seat that left and comes back at once was never away, unless it was on turn: then that turn is lost."""
    seats = SEATS[: line.game.seats(line.options)]
    for _, position in line.going():
        with pytest.raises(ValueError, match="Seat"):
            position.restore(position.to_move)
        if len(seats) == 2:
            continue
        for seat in line.some([seat for seat in seats if seat not in position.out], 3):
            gone = position.retire(seat)
            if gone.outcome is not None:
                with pytest.raises(ValueError, match="come back"):
                    gone.restore(seat)
                continue
            try:
                back = gone.restore(seat)
            except ValueError:
                assert not _can_act(position, seat), f"{seat} of {text(line, position)}"
                continue
            assert seat not in back.out
            assert seat == position.to_move or back == position, text(line, back)
            if seat == position.to_move:
                assert back.out >= position.out
                assert back.to_move == gone.to_move
                assert back.plies_left == gone.plies_left
            _check_left(line, back)


def _can_act(position: Any, seat: Any) -> bool:
    return bool(position.to_move == seat and position.legal_moves())


def _check_left(line: Line, here: Any) -> None:
    written = line.game.notation.format_position(here)
    assert line.game.notation.parse_position(written, line.options) == here, text(line, here)
    assert bool(here.legal_moves()) == (here.outcome is None), text(line, here)
    if here.outcome is None:
        assert here.to_move not in here.out, text(line, here)
        assert 1 <= here.plies_left <= here.turn_length, text(line, here)
    elif here.outcome.winners:
        assert set(here.outcome.winners) in map(set, line.game.sides(line.options)), text(line, here)


def check_said(line: Line) -> None:
    """What is said of a ply has words in every language for the fields it carries."""
    for at in line.looks():
        if at:
            phrase = line.game.say(line.positions[at - 1], line.moves[at - 1])
            assert_said(line.game, phrase.key, set(phrase.fields))


def check_fork(line: Line) -> None:
    """Picking step by step reaches every legal move once and nothing else, a few choices at a time."""
    for _, position in line.going():
        check_steps(line, position)
        check_tree(line, position)
        check_wrong_steps(line, position)


def check_parsed_positions(line: Line) -> None:
    """A position's text with something wrong in it is refused, or is the text of another position."""
    notation = line.game.notation
    chance = line.chance
    letters = "0123456789abcdefxX.-/:, +#oO\0٣я"
    for at in line.looks():
        written = notation.format_position(line.positions[at])
        for _ in range(60 if line.thorough else 12):
            wrong = mutated(written, letters, chance)
            try:
                position = notation.parse_position(wrong, line.options)
            except BadNotation as refused:
                assert_faults(line.game, refused)
            else:
                assert_played_on(line.game, line.options, position, chance)


def assert_faults(game: AnyGame, refused: BadNotation) -> None:
    """There are words for each fault of a position, and each is named once."""
    faults = (refused, *refused.also)
    assert len({str(fault) for fault in faults}) == len(faults), faults
    for fault in faults:
        assert_refusal(game, fault)
        assert fault is refused or not fault.also


def assert_played_on(game: AnyGame, options: Any, position: Any, chance: random.Random) -> None:
    """A position is over, or can be played on from; its text, and those after it, make equal ones."""
    for _ in range(4):
        written = game.notation.format_position(position)
        assert game.notation.parse_position(written, options) == position, written
        legal = position.legal_moves()
        assert bool(legal) == (position.outcome is None), written
        if not legal:
            return
        assert 1 <= position.plies_left <= position.turn_length, written
        position = position.play(chance.choice(legal))


def _pool(line: Line) -> list[Any]:
    other = play_out(line.case, line.seed + 1000) if line.thorough else line
    every = dict.fromkeys([*line.moves, *other.moves])
    for at in line.looks()[:3]:
        every |= dict.fromkeys(line.positions[at].legal_moves())
    pool = list(every)
    return random.Random(line.seed).sample(pool, min(len(pool), 40))


CHECKS = (
    check_ahead,
    check_copies,
    check_diagram,
    check_end,
    check_fork,
    check_moves,
    check_notation,
    check_order,
    check_parsed_positions,
    check_restore,
    check_retire,
    check_said,
    check_seats,
    check_source,
    check_values,
)
