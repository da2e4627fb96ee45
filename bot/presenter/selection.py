"""How far somebody has come in picking a move, as a button carries it: `d4;e5;a2`, `c1-a1-a2/n a4`, `+a1+b1`.

Whole plies come first, in canonical notation, a `;` after each; then the tokens of the ply that is being picked, with
slashes between; then, where a piece covers several cells, those that have been touched, in any order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

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
    sq,
    take,
)

_PLY: Final = ";"
_TOKEN: Final = "/"  # noqa: S105 - a sign between the steps of a move
_TAP: Final = "+"


@dataclass(frozen=True, slots=True)
class Path:
    """What has been picked.

    Attributes:
        plies: Whole plies, in canonical notation.
        tokens: Of the next one.
        taps: Cells of the next step, where a step has several.
    """

    plies: tuple[str, ...] = ()
    tokens: tuple[str, ...] = ()
    taps: tuple[Square, ...] = ()

    @classmethod
    def read(cls, text: str) -> Path:
        """The path in a button.

        Raises:
            IllegalMove: there is none.
        """
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

    def step(self, token: str) -> Path:
        """One token further."""
        return Path(self.plies, (*self.tokens, token))

    def tap(self, square: Square) -> Path:
        """One more cell touched; one that was touched already is let go."""
        taps = tuple(each for each in self.taps if each != square)
        return replace(self, taps=taps if square in self.taps else (*taps, square))

    @property
    def moves(self) -> str:
        """The whole plies as people type them."""
        return " ".join(self.plies)


@dataclass(frozen=True, slots=True)
class Half:
    """A half-made move: a path, and where it leads in a position.

    Attributes:
        path: In its shortest form: what only one step could still mean is that step.
        start: The position before anything was picked.
        moves: The whole plies.
        position: The position after them.
        fork: What can be picked next; without steps where nothing is left of the turn.
        steps: Those of the fork's steps that the touched cells still allow.
        back: The path without what was picked last; None where nothing is.
        whole: Whether nothing of the turn is left.
    """

    path: Path
    start: Position[Any]
    moves: tuple[Any, ...]
    position: Position[Any]
    fork: Fork[Any]
    steps: tuple[Step, ...]
    back: Path | None
    whole: bool


def follow(game: AnyGame, start: Position[Any], path: Path) -> Half:
    """Where a path leads. A ply that it completes becomes one of the whole ones.

    Raises:
        RulesError: it leads nowhere in this position.
    """
    position, moves = start, []
    for text in path.plies:
        if _over(start, position):
            raise IllegalMove(Legality.NO_SUCH_STEP, step=text)
        (move, *more) = game.notation.parse(text, position)
        if more:
            raise IllegalMove(Legality.NO_SUCH_STEP, step=text)
        moves.append(move)
        position = position.play(move)
    if _over(start, position):
        if path.tokens or path.taps:
            raise IllegalMove(Legality.NO_SUCH_STEP, step=str(path)[:24])
        return Half(path, start, tuple(moves), position, Fork(""), (), _back(game, start, path), whole=True)
    fork: Fork[Any] = game.fork(position, path.tokens)
    steps = fork.steps
    if path.taps:
        touched = set(path.taps)
        steps = tuple(step for step in tappable(fork) if touched <= set(step.squares))
        if not steps:
            raise IllegalMove(Legality.NO_SUCH_STEP, step=str(path)[:24])
        if len(steps) == 1:
            return follow(game, start, path.step(steps[0].token))
    if fork.move is not None:
        # What was picked last is taken back first: the step that completed the ply, not the ply.
        done = follow(game, start, Path((*path.plies, game.notation.format(fork.move))))
        return replace(done, back=_without_last(game, position, path))
    return Half(path, start, tuple(moves), position, fork, steps, _back(game, start, path), whole=False)


def tappable(fork: Fork[Any]) -> tuple[Step, ...]:
    """The steps that are picked cell by cell, because one of them at least covers several."""
    steps = tuple(step for step in fork.steps if step.picks is Picks.CELLS and step.squares)
    return steps if any(len(step.squares) > 1 for step in steps) else ()


def leaves(game: AnyGame, half: Half) -> Iterator[tuple[Path, Step]]:
    """Every step that can be picked next, with the path that picks it; past the steps that only narrow the choice."""
    for step in half.steps:
        yield from _leaves(game, half.position, half.path, step)


def _leaves(game: AnyGame, position: Position[Any], path: Path, step: Step) -> Iterator[tuple[Path, Step]]:
    further = path.step(step.token)
    if step.picks is not Picks.REGION:
        yield further, step
        return
    for inner in game.fork(position, further.tokens).steps:
        yield from _leaves(game, position, further, inner)


def _over(start: Position[Any], position: Position[Any]) -> bool:
    """Whether the turn that was being made is whole."""
    return position is not start and (
        position.outcome is not None
        or position.to_move != start.to_move
        or position.plies_left == position.turn_length
    )


def _back(game: AnyGame, start: Position[Any], path: Path) -> Path | None:
    """The path without what was picked last."""
    if path.taps:
        return replace(path, taps=path.taps[:-1])
    if path.tokens:
        position = start
        for text in path.plies:
            position = position.play(game.notation.parse(text, position)[0])
        return _without_last(game, position, path)
    return Path(path.plies[:-1]) if path.plies else None


def _without_last(game: AnyGame, position: Position[Any], path: Path) -> Path:
    """The path without its last token, and without those before it that only narrowed the choice."""
    tokens: Sequence[str] = path.tokens[:-1]
    while tokens and take(game.fork(position, tokens[:-1]), tokens[-1]).picks is Picks.REGION:
        tokens = tokens[:-1]
    return Path(path.plies, tuple(tokens))
