"""A board as one reader sees it, square by square, and what can be picked on it, step by step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import blake2b
from itertools import chain
from typing import Any, Final

from bot.chat.i18n import Words
from bot.chat.presenting import picking
from bot.chat.presenting.captions import OwnerNames, square_texts
from bot.chat.presenting.naming import Presentation
from bot.chat.presenting.selection import PartialMove, Selection, follow, leaves, targeted, touchable
from bot.platforms.page import wire
from play.match import Ply
from render import rows
from render.picture import Theme, vector_cells, vector_piece
from rules.core import (
    AnyGame,
    Diagram,
    Highlights,
    Picks,
    Position,
    RulesError,
    Square,
    Threat,
    take,
    walk,
)

TREE: Final = 200  # legal moves up to which all steps go out with the view, so that a tap needs no round trip

_JOINS: Final = 16  # ways in which a square of a piece has neighbours of the same piece on its four sides


@dataclass(frozen=True, slots=True)
class Viewpoint:
    """How a reader sees boards: what owners are called, the colours, the side below; and the looks of squares, by key, that are in use."""

    names: OwnerNames
    theme: Theme
    flipped: bool
    looks: dict[str, str]

    def board(self, diagram: Diagram, threats: Sequence[Threat] = (), alt: str = "") -> wire.PageBoard:
        """Return a board as it is seen."""
        cells = vector_cells(diagram, self.theme, flipped=self.flipped)
        told = square_texts(diagram, self.names, threats)
        empty = self.names.words("bot.square.empty")
        order = rows(diagram.grid, flipped=self.flipped)
        legend: dict[tuple[str, str], int] = {}
        squares = [
            legend.setdefault((self.key(svg), told.get(square, empty)), len(legend))
            for names, drawings in zip(order, cells, strict=True)
            for square, svg in zip(names, drawings, strict=True)
        ]
        files, ranks = [str(square)[0] for square in order[0]], [str(names[0])[1:] for names in order]
        return wire.PageBoard(files, ranks, [wire.PageLegend(*entry) for entry in legend], squares, alt)

    def key(self, svg: str) -> str:
        """Return the key of a look, which is then in use."""
        key = _key(svg)
        self.looks[key] = svg
        return key


@lru_cache(maxsize=8192)
def _key(svg: str) -> str:
    return blake2b(svg.encode(), digest_size=6).hexdigest()


def viewpoint(presentation: Presentation, looks: dict[str, str]) -> Viewpoint:
    """Return how the reader of a match sees boards; their looks are added to `looks`."""
    return Viewpoint(presentation.names, presentation.theme, presentation.flipped, looks)


def picked(
    presentation: Presentation,
    selection: Selection,
    looks: dict[str, str],
    start: Position[Any] | None = None,
) -> wire.PagePick:
    """Return a half-made move from a position, else the present one, with the board as it would be; raises `RulesError`."""
    game = presentation.game
    partial = follow(game, presentation.course.position if start is None else start, selection)
    before = partial.start if partial.moves else None
    drawn = Highlights(last=partial.moves, planned=True, before=before, picked=partial.selection.tokens)
    made = pick_from(game, presentation.words, partial, flipped=presentation.flipped)
    diagram = game.draw(partial.position, drawn)
    made.board = viewpoint(presentation, looks).board(diagram, game.threats(partial.position))
    return made


def kept(presentation: Presentation, selection: Selection) -> tuple[Selection, bool]:
    """Return what is still legal of a selection that was made in an earlier position, and whether that is all but what was played."""
    game, start = presentation.game, presentation.course.position
    played = {entry.text for entry in presentation.course.log[-start.turn_length :] if isinstance(entry, Ply)}
    still, whole = Selection(), True
    for ply in selection.plies:
        try:
            still = follow(game, start, replace(still, plies=(*still.plies, ply))).selection
        except RulesError:
            whole = whole and ply in played
    rest = replace(selection, plies=still.plies)
    try:
        return follow(game, start, rest).selection, whole
    except RulesError:
        return still, False


def pick_from(
    game: AnyGame, words: Words, partial: PartialMove, *, flipped: bool, seen: Viewpoint | None = None
) -> wire.PagePick:
    """Return what is picked so far, and what can be picked next; by how boards are seen, also how what is put down looks."""
    start = partial.start
    gathers = start.turn_length > 1 or start.plies_left > 1
    tree = not gathers and len(start.legal_moves()) <= TREE
    picker = _Picker(game, words, _numbers(game, partial.position, flipped=flipped), tree)
    return wire.PagePick(
        at=str(partial.selection),
        node=None if partial.whole else picker.node(partial),
        said=picking.so_far(game, words, partial) or "",
        plies=bool(partial.moves),
        gathers=gathers,
        fades=picker.fades(partial),
        puts=_puts(seen, game, partial) if seen else {},
    )


@dataclass(frozen=True, slots=True)
class _Picker:
    game: AnyGame
    words: Words
    numbers: Mapping[Square, int]  # of the squares, as they are seen
    tree: bool  # whether all steps to come are sent

    def fades(self, partial: PartialMove) -> list[int]:
        """Return the squares that the mover's pieces leave, where one that covers several is put down anew."""
        if not touchable(partial):
            return []
        diagram, mover = self.game.draw(partial.position), partial.position.to_move
        own = (piece.cells for piece in diagram.pieces if piece.owner == mover and len(piece.cells) > 1)
        return [self.numbers[square] for cells in own for square in cells]

    def node(self, partial: PartialMove) -> wire.PageNode:
        prompt, had = partial.fork.prompt, len(partial.selection.tokens)
        steps = []
        for chosen, step in leaves(self.game, partial):
            path, label = "/".join(chosen.tokens[had:]), self.words(step.label) if step.label else step.token
            squares = [self.numbers[square] for square in step.squares]
            told = "" if label == path else label
            steps.append(wire.PageStep(path, step.picks.value, squares, told, self._after(partial, chosen)))
        for (chosen, _), target in targeted(partial):  # keys beside the board
            path, label = "/".join(chosen.tokens[had:]), f"{picking.PLAYS}{target}"
            steps.append(wire.PageStep(path, Picks.CELLS.value, [], label, self._after(partial, chosen)))
        return wire.PageNode(self.words(prompt) if prompt else "", steps)

    def _after(self, partial: PartialMove, chosen: Selection) -> wire.PageNode | bool | None:
        fork = self.game.fork(partial.position, chosen.tokens)
        if fork.move is not None:
            return None
        return not self.tree or self.node(
            replace(partial, selection=chosen, fork=fork, steps=fork.steps, ahead={})
        )


def _puts(seen: Viewpoint, game: AnyGame, partial: PartialMove) -> dict[str, list[str]]:
    """Return how what the next steps put down looks, by what they pick: pieces over several squares, or plies of one square."""
    position = partial.position
    diagram, mover = game.draw(position), position.to_move
    if any(len(piece.cells) > 1 and piece.owner == mover for piece in diagram.pieces):
        parts = (vector_piece(diagram, mover, seen.theme, joins=joins) for joins in range(_JOINS))
        return {Picks.CELLS.value: [seen.key(svg) for svg in parts]}
    found: dict[str, list[str]] = {}
    for chosen, step in leaves(game, partial):
        move = game.fork(position, chosen.tokens).move
        if step.picks.value not in found and len(step.squares) == 1 and move is not None:
            after = game.draw(position.play(move))
            put = next((piece for piece in after.pieces if step.squares[0] in piece.cells), None)
            if put is not None and put.owner is not None:
                svg = vector_piece(after, put.owner, seen.theme, put.kind)
                found[step.picks.value] = [seen.key(svg)]
    return found


def picked_by(presentation: Presentation, position: Position[Any], moves: Sequence[Any]) -> list[int]:
    """Return the squares, by number, that moves from a position pick."""
    game, numbers = presentation.game, _numbers(presentation.game, position, flipped=presentation.flipped)
    found = dict[int, None]()
    for move in moves:
        found |= dict.fromkeys(numbers[square] for square in _squares_of(game, position, move))
        position = position.play(move)
    return list(found)


def _squares_of(game: AnyGame, position: Position[Any], move: Any) -> Iterator[Square]:
    tokens, _ = walk(lambda path: game.fork(position, path), game.notation.steps(move))
    for at, token in enumerate(tokens):
        step = take(game.fork(position, tokens[:at]), token)
        if step.picks is not Picks.REGION:
            yield from step.squares


def _numbers(game: AnyGame, position: Position[Any], *, flipped: bool) -> dict[Square, int]:
    """The squares of a board by name, numbered as they are seen."""
    squares = chain.from_iterable(rows(game.draw(position).grid, flipped=flipped))
    return {square: at for at, square in enumerate(squares)}
