"""A half-made move as a button carries it: `d4;e5;a2`, `c1-a1-a2/n a4`, `+a1+b1`.

Whole plies come first, in canonical notation, a `;` after each; then the tokens of the ply that is being picked, with
slashes between; then, where a piece covers several cells, those that have been touched, in any order; or the cell to which one of
several pieces goes, where none needs to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.view import Picking
from play.match import Match
from rules.core import (
    AnyGame,
    BadNotation,
    Fork,
    IllegalMove,
    Legality,
    Picks,
    Position,
    Square,
    Step,
    picked_squares,
    sq,
    take,
)

_PLY: Final = ";"
_TOKEN: Final = "/"  # noqa: S105 - a sign between the steps of a move
_TAP: Final = "+"
_FLIPPED: Final = "~"

_IN_ORDER: Final = 20  # steps that are found by their names; of more, those near where it goes on come first


@dataclass(frozen=True, slots=True)
class Selection:
    """What is picked: whole plies, tokens of the next one, and touched cells of its next step."""

    plies: tuple[str, ...] = ()
    tokens: tuple[str, ...] = ()
    taps: tuple[Square, ...] = ()

    @classmethod
    def read(cls, text: str) -> Selection:
        """Return the selection in a button, or raise IllegalMove."""
        *plies, rest = text.split(_PLY)
        tokens = tuple(filter(None, rest.split(_TOKEN)))
        taps: tuple[Square, ...] = ()
        if tokens and tokens[-1].startswith(_TAP):
            try:
                taps = tuple(sq(name) for name in tokens[-1][1:].split(_TAP))
            except BadNotation:
                raise IllegalMove(Legality.NO_SUCH_STEP, step=tokens[-1][:24]) from None
            tokens = tokens[:-1]
        return cls(tuple(plies), tokens, taps)

    def __str__(self) -> str:
        taps = ("".join(f"{_TAP}{square}" for square in self.taps),) if self.taps else ()
        return _PLY.join((*self.plies, _TOKEN.join((*self.tokens, *taps))))

    def step(self, token: str) -> Selection:
        """One token further."""
        return Selection(self.plies, (*self.tokens, token))

    def tap(self, square: Square) -> Selection:
        """One more cell touched; one that was touched already is let go."""
        taps = tuple(each for each in self.taps if each != square)
        return replace(self, taps=taps if square in self.taps else (*taps, square))

    @property
    def moves(self) -> str:
        """The whole plies as people type them."""
        return " ".join(self.plies)


Way: TypeAlias = tuple[Selection, Step]
"""What a step picks, with all that was picked before it."""


@dataclass(frozen=True, slots=True)
class PartialMove:
    """A half-made move: a selection, and where it leads in a position."""

    selection: Selection  # in its shortest form: what only one step could still mean is that step
    start: Position[Any]  # before anything was picked
    moves: tuple[Any, ...]  # the whole plies
    position: Position[Any]  # after them
    fork: Fork[Any]  # what can be picked next; without steps where nothing is left of the turn
    steps: tuple[Step, ...]  # those of the fork that the touched cells still allow
    # Where a piece that need not move can go: what picks it with its target.
    ahead: Mapping[Square, tuple[Way, ...]]
    back: Selection | None  # the selection without what was picked last; None where nothing is
    whole: bool

    @property
    def named(self) -> bool:
        """Whether a target is touched, and which piece goes there is to be picked."""
        return bool(self.selection.taps) and self.selection.taps[0] in self.ahead


def follow(game: AnyGame, start: Position[Any], selection: Selection) -> PartialMove:
    """Return where a selection leads, or raise RulesError. A ply that it completes becomes one of the whole ones."""
    position, moves = start, []
    for text in selection.plies:
        if turn_over(start, position):
            raise IllegalMove(Legality.NO_SUCH_STEP, step=text)
        (move, *more) = game.notation.parse(text, position)
        if more:
            raise IllegalMove(Legality.NO_SUCH_STEP, step=text)
        moves.append(move)
        position = position.play(move)
    if turn_over(start, position):
        if selection.tokens or selection.taps:
            raise IllegalMove(Legality.NO_SUCH_STEP, step=str(selection)[:24])
        back = _back(game, start, selection)
        return PartialMove(selection, start, tuple(moves), position, Fork(""), (), {}, back, whole=True)
    fork: Fork[Any] = game.fork(position, selection.tokens)
    steps, ahead = fork.steps, _ahead(game, position, selection, fork)
    if selection.taps:
        touched = set(selection.taps)
        here = [
            (selection.step(step.token), step) for step in _tappable(fork) if touched <= set(step.squares)
        ]
        ways = here or (ahead.get(selection.taps[0], ()) if len(selection.taps) == 1 else ())
        if not ways:
            raise IllegalMove(Legality.NO_SUCH_STEP, step=str(selection)[:24])
        if len(ways) == 1:
            return follow(game, start, ways[0][0])
        steps = tuple(step for _, step in ways)
    if fork.move is not None:
        # What was picked last is taken back first: the step that completed the ply, not the ply.
        done = follow(game, start, Selection((*selection.plies, game.notation.format(fork.move))))
        return replace(done, back=_without_last(game, position, selection))
    back = _back(game, start, selection)
    return PartialMove(selection, start, tuple(moves), position, fork, steps, ahead, back, whole=False)


def _ahead(
    game: AnyGame, position: Position[Any], selection: Selection, fork: Fork[Any]
) -> dict[Square, tuple[Way, ...]]:
    """Return the targets of the pieces of a fork, where it can be left at that."""
    found: dict[Square, tuple[Way, ...]] = {}
    if all(step.picks is not Picks.NOTHING for step in fork.steps):
        return found
    taken = {square for step in fork.steps for square in step.squares}
    for step in (each for each in fork.steps if len(each.squares) == 1):
        picked = selection.step(step.token)
        for target in game.fork(position, picked.tokens).steps:
            if len(target.squares) == 1 and (at := target.squares[0]) not in taken:
                found[at] = (*found.get(at, ()), (picked.step(target.token), step))
    return found


def left_at_that(game: AnyGame, partial: PartialMove) -> PartialMove | None:
    """Return a half-made turn that becomes whole with nothing further picked, as what it becomes; else None."""
    leave = next((step for step in partial.steps if step.picks is Picks.NOTHING), None)
    left = follow(game, partial.start, partial.selection.step(leave.token)) if leave else None
    return left if left and left.whole else None


def targeted(partial: PartialMove) -> list[tuple[Way, str]]:
    """Return what picks each piece that need not move with each of its targets, and the squares of both: `a4-d2`."""
    found = [
        (way, f"{way[1].squares[0]}-{target}")
        for target, there in partial.ahead.items()
        for way in there
        if not partial.selection.taps
    ]
    return sorted(found, key=lambda each: each[1])


def _tappable(fork: Fork[Any]) -> tuple[Step, ...]:
    """The steps that are picked cell by cell, because one of them at least covers several."""
    steps = tuple(step for step in fork.steps if step.picks is Picks.CELLS and step.squares)
    return steps if any(len(step.squares) > 1 for step in steps) else ()


def touchable(partial: PartialMove) -> frozenset[Square]:
    """The cells that can be touched next, where a step is picked cell by cell."""
    if partial.named:
        return frozenset()
    there = partial.steps if partial.selection.taps else _tappable(partial.fork)
    return frozenset(square for step in there for square in step.squares) - set(partial.selection.taps)


def touched(game: AnyGame, partial: PartialMove, square: Square) -> Selection | None:
    """Return what touching a square picks; None where it cannot be picked next."""
    if square in touchable(partial):
        return partial.selection.tap(square)
    for selection, step in leaves(game, partial):
        if step.squares == (square,) and step.picks is not Picks.NOTHING:
            return selection
    return aimed(partial).get(square)


def aimed(partial: PartialMove) -> dict[Square, Selection]:
    """What touching the target of a piece picks that is not picked itself. One that was touched already is let go."""
    had = replace(partial.selection, taps=())
    return {
        square: had if (square,) == partial.selection.taps else replace(had, taps=(square,))
        for square in partial.ahead
    }


def in_order(game: AnyGame, start: Position[Any], newest: Selection, pressed: Selection) -> Selection:
    """Return what is picked after a press of a button that may have been drawn before `newest` was picked.

    If it was, its last step is taken on top of `newest`, if that is legal; one that is not leaves the whole plies as they are.
    A way back, and a step from what was let go since, pick what the button says. RulesError if `newest` leads nowhere.
    """
    now = follow(game, start, newest)
    last, covered = now.selection, _covered(game, now)
    before = Selection(pressed.plies, pressed.tokens[:-2])
    if now.named and pressed != now.back and before == replace(last, taps=()):
        # The key of a piece as it was drawn for another target: it goes to the one that was touched last.
        return next((each for each, step in onward(game, now) if step.token == pressed.tokens[-2]), pressed)
    if pressed == now.back or not _adds(pressed, last, covered | set(last.taps)):
        return pressed
    further, square = None, pressed.taps[-1] if pressed.taps else None
    if square is None:
        token = pressed.tokens[-1]
        further = next((each for each, step in onward(game, now) if step.token == token), None)
        square = next(iter(picked_squares((token,))), None)
    if further is None and square is not None:
        further = newest if square in covered else touched(game, now, square)
    if further is None and len(last.plies) > len(pressed.plies):
        return newest
    return further or pressed


def _adds(pressed: Selection, last: Selection, squares: set[Square]) -> bool:
    """Whether a selection adds one step to one that led to `last`, where these squares are picked of a ply."""
    plies = len(pressed.plies)
    tokens = pressed.tokens if pressed.taps else pressed.tokens[:-1]
    if pressed.plies != last.plies[:plies] or not (pressed.tokens or pressed.taps):
        return False
    return plies < len(last.plies) or (
        tokens == last.tokens[: len(tokens)] and squares.issuperset(pressed.taps[:-1])
    )


def _covered(game: AnyGame, partial: PartialMove) -> set[Square]:
    tokens = partial.selection.tokens
    steps = (take(game.fork(partial.position, tokens[:at]), token) for at, token in enumerate(tokens))
    return {square for step in steps if step.picks is not Picks.REGION for square in step.squares}


def onward(game: AnyGame, partial: PartialMove) -> Iterator[Way]:
    """Every step that can be picked next by its name; of many, the nearest first. Of a board in parts, the parts follow."""
    ways = list(leaves(game, partial))
    parts = [step for step in partial.steps if step.picks is Picks.REGION]
    if len(ways) > _IN_ORDER:
        ways.sort(key=_distance(game, partial))
    yield from ways
    yield from ((partial.selection.step(step.token), step) for step in parts)


def _distance(game: AnyGame, partial: PartialMove) -> Callable[[Way], int]:
    """How far a step is from where the turn goes on: from its last ply; of a turn that begins, from what can be taken."""
    if partial.moves:
        last = picked_squares(game.notation.steps(partial.moves[-1]))[-1:]
    else:
        last = tuple(threat.target for threat in game.threats(partial.position))
    return lambda way: min(
        (max(abs(at.file - to.file), abs(at.rank - to.rank)) for at in way[1].squares[:1] for to in last),
        default=0,
    )


def leaves(game: AnyGame, partial: PartialMove) -> Iterator[Way]:
    """As `onward`, past the steps that only narrow the choice."""
    if partial.named:
        yield from partial.ahead[partial.selection.taps[0]]
        return
    for step in partial.steps:
        yield from _leaves(game, partial.position, partial.selection, step)


def _leaves(game: AnyGame, position: Position[Any], selection: Selection, step: Step) -> Iterator[Way]:
    further = selection.step(step.token)
    if step.picks is not Picks.REGION:
        yield further, step
        return
    for inner in game.fork(position, further.tokens).steps:
        yield from _leaves(game, position, further, inner)


def turn_over(start: Position[Any], position: Position[Any]) -> bool:
    """Whether the turn that began at one position is played at another."""
    return position is not start and (
        position.outcome is not None
        or position.to_move != start.to_move
        or position.plies_left == position.turn_length
    )


def _back(game: AnyGame, start: Position[Any], selection: Selection) -> Selection | None:
    if selection.taps:
        return replace(selection, taps=selection.taps[:-1])
    if selection.tokens:
        position = start
        for text in selection.plies:
            position = position.play(game.notation.parse(text, position)[0])
        return _without_last(game, position, selection)
    return Selection(selection.plies[:-1]) if selection.plies else None


def _without_last(game: AnyGame, position: Position[Any], selection: Selection) -> Selection:
    """The selection without its last token, and without those before it that only narrowed the choice."""
    tokens = selection.tokens[:-1]
    while tokens and take(game.fork(position, tokens[:-1]), tokens[-1]).picks is Picks.REGION:
        tokens = tokens[:-1]
    return Selection(selection.plies, tokens)


@dataclass(frozen=True, slots=True)
class PickTarget:
    """Where a move is picked, as its buttons name it."""

    code: str  # of the match, or of what else it is
    seen: int  # which state of that the buttons are made for
    picks: Verb = Verb.STEP
    plays: Verb = Verb.MOVE
    flipped: bool = False  # whether the board above is so; it stays so while a move is picked

    def pick(self, selection: Selection) -> CallbackData:
        """So much is picked."""
        return CallbackData(self.picks, self.code, self.seen, f"{_FLIPPED * self.flipped}{selection}")

    def moves(self, page: int) -> CallbackData:
        """The legal moves are listed, from this page."""
        return CallbackData(Verb.MOVES, self.code, self.seen, f"{_FLIPPED * self.flipped}{page}")

    def play(self, moves: str) -> CallbackData:
        """This is played."""
        return CallbackData(self.plays, self.code, self.seen, moves)

    def picking(self, game: AnyGame, partial: PartialMove, typed: str) -> Picking:
        """A turn to pick on a board that belongs to no match."""
        picked, picks = str(partial.selection), self.pick(Selection())
        return Picking(game, partial.start, picked, picks, self.plays, typed)


def in_match(match: Match, *, flipped: bool = False) -> PickTarget:
    """A move in a match as it is."""
    return PickTarget(match.id, match.revision, flipped=flipped)


def begins(data: CallbackData) -> bool:
    """Whether a button only begins to pick a move."""
    if data.verb is Verb.MOVES:
        return True
    return data.argument in {Verb.MOVE: ("",), Verb.STEP: ("", _FLIPPED)}.get(data.verb, ())


def is_first(data: CallbackData) -> bool:
    """Whether a button picks what a move begins with, as keys under a board do before anyone picks."""
    with suppress(IllegalMove):
        said = read_pick(data.argument)[0]
        return data.verb is Verb.STEP and not said.plies and len(said.tokens) + len(said.taps) == 1
    return False


def read_page(argument: str) -> tuple[int, bool]:
    """Return what a button of the list of moves carries: the page, and whether its board is flipped."""
    page = argument.removeprefix(_FLIPPED)
    return int(page) if page.isdecimal() else 0, argument.startswith(_FLIPPED)


def read_pick(argument: str) -> tuple[Selection, bool]:
    """As `read_page`: the selection of a half-made move; IllegalMove if there is none."""
    return Selection.read(argument.removeprefix(_FLIPPED)), argument.startswith(_FLIPPED)
