"""Picking a move: the board with what is picked so far and the ways on, and what is asked where a move is not clear.

A board made of buttons, for platforms whose messages have keyboards. The label of a button that can be pressed names its
cell, so that it is understood when a screen reader reads it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Any, Final

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import Words
from bot.chat.presenting.captions import POSITION, alt_text, fitted, happened, position_text
from bot.chat.presenting.naming import STYLES, Naming, Presentation, strip, turn
from bot.chat.presenting.selection import PartialMove, PickTarget, Selection, in_match, leaves, touchable
from bot.chat.view import Button, ButtonGrid, SquareButton, View, ViewKind, numbered
from render import EMOJI, rows
from rules.core import (
    AmbiguousMove,
    AnyGame,
    Diagram,
    Grid,
    Highlights,
    Mark,
    Picks,
    Piece,
    Position,
    Sign,
    Square,
    sq,
)


def choose(
    presentation: Presentation,
    partial: PartialMove,
    *,
    confirms: bool = False,
    target: PickTarget | None = None,
) -> View:
    """A half-made move as a private message: the board with what is picked so far, and a button for each way on.

    With `confirms` the move is played by a press of its own, and can be gone back in. Without a `target` it is a move in the
    match as it is.
    """
    game, words = presentation.game, presentation.words
    target = target or in_match(presentation.match, flipped=presentation.flipped)
    diagram = board(game, partial)
    keys, on_grid = grid(game, target, partial, diagram, flipped=presentation.flipped)
    buttons = ways(words, target, partial, on_grid, confirms=confirms)
    said = so_far(words, partial) or turn(presentation, thinks=False)
    view = asking(presentation, diagram, said, prompted(words, target, partial))
    left = strip(presentation, actions=0 if partial.whole else partial.position.plies_left)
    return replace(view, buttons=buttons, grid=keys, strip=left)


def asking(presentation: Presentation, diagram: Diagram, said: str, prompt: str) -> View:
    """A question with a board: something said of the match above it, the prompt below."""
    position = position_text(diagram, presentation.names)
    alt = alt_text(presentation, (said, prompt), diagram=diagram, position=position)
    view = _with_board(presentation, diagram, (presentation.names.title, said), alt)
    shown = (*happened(presentation), fitted(position, diagram, presentation.names, POSITION))
    return replace(view, after=(prompt,), position=" ".join(shown), kind=ViewKind.PICK)


def _with_board(presentation: Presentation, diagram: Diagram, lines: tuple[str, ...], alt: str) -> View:
    return View(
        lines=lines,
        diagram=diagram,
        alt=alt,
        strip=strip(presentation),
        theme=presentation.theme,
        flipped=presentation.flipped,
        code=presentation.match.id,
        revision=presentation.match.revision,
    )


def board(game: AnyGame, partial: PartialMove) -> Diagram:
    """The board with what is picked so far."""
    before = partial.start if partial.moves else None
    picked = partial.selection.tokens
    drawn = Highlights(last=partial.moves, planned=True, before=before, picked=picked)
    diagram = game.draw(partial.position, drawn)
    in_region = not fits(diagram.grid) and _picked_region(partial) is not None
    touched = [Mark(Sign.PICKED, square) for square in partial.selection.taps]
    targets = [Mark(Sign.CANDIDATE, square) for square in _targets(game, partial, pieces=in_region)]
    return replace(diagram, marks=(*diagram.marks, *touched, *targets))


def _targets(game: AnyGame, partial: PartialMove, *, pieces: bool) -> Iterator[Square]:
    if cells := touchable(partial):
        yield from sorted(cells)
        return
    marked = {Picks.CELLS, Picks.PIECE} if pieces else {Picks.CELLS}
    for _, step in leaves(game, partial):
        if step.picks in marked and len(step.squares) == 1:
            yield step.squares[0]


def so_far(words: Words, partial: PartialMove) -> str | None:
    """Which whole plies are picked; None where none is."""
    moves = partial.selection.moves
    if partial.whole:
        return words("bot.pick.whole", moves=moves)
    return words.count("bot.pick.so-far", partial.position.plies_left, moves=moves) if moves else None


def prompted(words: Words, target: PickTarget, partial: PartialMove) -> str:
    """What is to be picked next, as far as a button can carry it."""
    if partial.whole:
        return words("bot.pick.play")
    further = any(target.pick(partial.selection.step(step.token)).fits for step in partial.steps)
    return words(partial.fork.prompt) if further else words("bot.pick.enough")


def ways(
    words: Words, target: PickTarget, partial: PartialMove, on_grid: AbstractSet[str], *, confirms: bool
) -> tuple[Button, ...]:
    """The ways on from a half-made move: its next steps, and where it is confirmed, what plays it and the way back."""
    buttons = list(_steps(words, target, partial, on_grid))
    if confirms and partial.moves:
        play = target.play(partial.selection.moves)
        buttons.append(Button(words("bot.button.play"), play, style=STYLES.get(play.verb, "plain")))
    if confirms and partial.back is not None:
        buttons.append(Button(words("bot.button.back"), target.pick(partial.back)))
    return tuple(buttons)


def _steps(
    words: Words, target: PickTarget, partial: PartialMove, on_grid: AbstractSet[str]
) -> Iterator[Button]:
    for step in partial.steps:
        label = words(step.label) if step.label else step.token
        data = target.pick(partial.selection.step(step.token))
        if data.fits:
            yield Button(label, data, on_grid=step.token in on_grid)


def without_command(offered: Sequence[tuple[Naming, CallbackData]], text: str, words: Words) -> View:
    """A move that was said without a command: how it is played, and a button that plays it in each match it fits."""
    buttons = []
    for names, data in offered:
        if data.fits:
            label = data.argument if len(offered) == 1 else f"{data.argument} · {names.title}"
            buttons.append(Button(label, data))
    lines = (words("bot.untold", command=f"/move {text}"),)
    return View(lines=lines, buttons=tuple(buttons), kind=ViewKind.QUESTION)


_MOST_FILES: Final = 8  # keys in a row, at most: Telegram's bound
_MOST_KEYS: Final = 80  # keys in all, so that others have room under them: Telegram takes 100
_EMPTY: Final = "·"  # where nothing stands and nothing can be chosen
_TARGET: Final = "•"  # where nothing stands and something can be chosen


def fits(board: Grid) -> bool:
    """Whether a whole board can be keys."""
    return board.files <= _MOST_FILES and len(board) <= _MOST_KEYS


def grid(
    game: AnyGame, target: PickTarget, partial: PartialMove, diagram: Diagram, *, flipped: bool = False
) -> tuple[ButtonGrid | None, frozenset[str]]:
    """A half-made move as keys, and the tokens of the steps that are among them.

    A board that is too large is shown by the region that was picked; before one is, there are no keys. The diagram is the
    board as it is shown above the keys.
    """
    shown, corner = diagram.grid, Square(0, 0)
    if not fits(shown):
        region = _picked_region(partial)
        if region is None:
            return None, frozenset()
        corner, far = region
        shown = Grid(far.file - corner.file + 1, far.rank - corner.rank + 1)
    if not fits(shown):
        return None, frozenset()
    selections, tokens = _choices(game, partial)
    if not selections:
        return None, frozenset()
    pieces = {square: piece for piece in diagram.pieces for square in piece.cells}
    marked = {mark.square for mark in diagram.marks if mark.sign is Sign.PICKED}
    # A region that was picked is marked too, and is there to choose from.
    picked = (marked - selections.keys()) | set(partial.selection.taps)

    def key(square: Square) -> SquareButton:
        data = target.pick(selections[square]) if square in selections else None
        return _key(square, pieces.get(square), data if data and data.fits else None, picked=square in picked)

    lines = [
        tuple(key(Square(at.file + corner.file, at.rank + corner.rank)) for at in row)
        for row in rows(shown, flipped=flipped)
    ]
    return ButtonGrid(tuple(lines)), tokens


def _key(square: Square, piece: Piece | None, data: CallbackData | None, *, picked: bool) -> SquareButton:
    name = str(square)
    stands = EMOJI.symbol(piece.kind, piece.owner) if piece else _EMPTY
    if picked:
        sign = EMOJI.signs[Sign.PICKED]
        return SquareButton(f"{name}{sign}", sign, data, "picked", name)
    if data is None:
        return SquareButton(stands, stands, None, "free", name)
    label = f"{name}{stands}" if piece else name
    return SquareButton(label, stands if piece else _TARGET, data, "choice", name)


def _picked_region(partial: PartialMove) -> tuple[Square, Square] | None:
    low, dash, high = next(reversed(partial.selection.tokens), "").partition("-")
    if not dash or any(step.picks is Picks.REGION for step in partial.steps):
        return None
    first, last = sq(low), sq(high)
    files, ranks = range(first.file, last.file + 1), range(first.rank, last.rank + 1)
    squares = [square for step in partial.steps for square in step.squares]
    return (first, last) if all(at.file in files and at.rank in ranks for at in squares) else None


def _choices(game: AnyGame, partial: PartialMove) -> tuple[dict[Square, Selection], frozenset[str]]:
    """What touching each square picks; and the steps that need no button beside the keys."""
    if cells := touchable(partial):
        # Which of several placements is meant shows only when all their cells are touched: they keep their buttons.
        cells |= set(partial.selection.taps)
        return {square: partial.selection.tap(square) for square in cells}, frozenset()
    selections: dict[Square, Selection] = {}
    tokens = set()
    for selection, step in leaves(game, partial):
        if len(step.squares) == 1 and step.picks is not Picks.NOTHING:
            selections[step.squares[0]] = selection
            # Of a step inside a region, the region needs no button either.
            tokens.add(selection.tokens[len(partial.selection.tokens)])
    return selections, frozenset(tokens)


MAX_CANDIDATES: Final = 25  # buttons under one message: five rows of five on Discord
_MAX_PREVIEWS: Final = 6  # candidates that get a board each; more would bury the question
EXAMPLES: Final = 3  # moves that a refusal names


def examples(game: AnyGame, position: Position[Any], count: int = EXAMPLES) -> list[str]:
    """A few legal moves as people would type them, from all over the list."""
    moves = position.legal_moves()
    return [game.notation.format(moves[i * len(moves) // count]) for i in range(count) if i < len(moves)]


def refused_move(words: Words, said: str, game: AnyGame, position: Position[Any]) -> View:
    """A refused move: the rule, and moves that would do."""
    return with_examples(words, examples(game, position), said)


def with_examples(words: Words, moves: Sequence[str], *said: str) -> View:
    """Lines, and below them moves that would do, if there are any."""
    shown = words("bot.refused.examples", examples=" · ".join(dict.fromkeys(moves)))
    return View(lines=(*said, shown) if moves else said)


def candidates(presentation: Presentation, error: AmbiguousMove) -> View:
    """Several moves fit: one tap plays. A number stands on the board and before the label of its button."""
    game, match, position = presentation.game, presentation.match, presentation.course.position
    words, moves = presentation.words, error.candidates
    buttons = []
    for number, move in enumerate(moves[:MAX_CANDIDATES], 1):
        text = game.notation.format(move)
        data = CallbackData(Verb.MOVE, match.id, match.revision, text)
        preview = None
        if len(moves) <= _MAX_PREVIEWS:
            shown = Highlights(last=(move,), planned=True, before=position)
            preview = game.draw(position.play(move), shown)
        buttons.append(Button(numbered(number, text), data, preview))
    lines = [words("bot.candidates", title=presentation.names.title)]
    if len(moves) > MAX_CANDIDATES:
        lines.append(words.count("bot.candidates.more", len(moves) - MAX_CANDIDATES))
    diagram = game.draw(position, Highlights(candidates=moves[:MAX_CANDIDATES]))
    alt = alt_text(presentation, (turn(presentation, thinks=False), *lines), diagram=diagram)
    view = _with_board(presentation, diagram, tuple(lines), alt)
    return replace(view, buttons=tuple(buttons), kind=ViewKind.QUESTION)


def several(offered: Sequence[tuple[Naming, CallbackData]], words: Words, *, example: str = "") -> View:
    """Several matches could be meant: one tap says which, and so does a code; `example` shows how."""
    buttons = []
    for names, data in offered[:MAX_CANDIDATES]:
        if data.fits:
            label = words("bot.which.match", title=names.title, opponents=names.opponents)
            label = f"{data.argument} · {label}" if data.verb is Verb.MOVE and data.argument else label
            buttons.append(Button(label, data))
    lines = [words("bot.which")]
    if len(buttons) < len(offered):
        lines.append(words("bot.which.code", codes=", ".join(f"#{names.match.id}" for names, _ in offered)))
    if example:
        lines.append(words("bot.which.example", example=example))
    ends = any(data.verb is Verb.END for _, data in offered)
    return View(lines=tuple(lines), buttons=tuple(buttons), kind=ViewKind.FORM if ends else ViewKind.QUESTION)
