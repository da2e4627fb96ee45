"""Picking a move: the board with what is picked so far and the ways on, and what is asked where a move is not clear.

A board made of buttons, for platforms whose messages have keyboards. The label of a button that can be pressed names its
cell, so that it is understood when a screen reader reads it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Any, Final

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import Words
from bot.chat.presenting.captions import POSITION, alt_text, fitted, happened, position_text
from bot.chat.presenting.naming import STYLES, Naming, Presentation, strip, turn
from bot.chat.presenting.selection import (
    PartialMove,
    PickTarget,
    Selection,
    Way,
    aimed,
    follow,
    in_match,
    leaves,
    left_at_that,
    onward,
    targeted,
    touchable,
    turn_over,
)
from bot.chat.view import Button, ButtonGrid, SquareButton, View, ViewKind, numbered
from render import EMOJI, rows
from rules.core import (
    MAX_STEPS,
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
    picked_squares,
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
    buttons = ways(game, words, target, partial, on_grid, confirms=confirms)
    said = so_far(game, words, partial) or turn(presentation, thinks=False)
    view = asking(presentation, diagram, said, prompted(words, target, partial))
    left = strip(presentation, actions=0 if partial.whole else partial.position.plies_left)
    return replace(view, buttons=buttons, grid=keys, strip=left)


def proposed(view: View, words: Words) -> View:
    """A view on which a move is picked, in the words for who proposes it to a place and does not play it."""
    said = {
        words("bot.button.play"): words("bot.button.propose"),
        words("bot.pick.play"): words("bot.pick.propose"),
        words("bot.pick.list"): words("bot.pick.list-proposed"),
    }

    def label(button: Button) -> str:
        moves = button.data.argument
        whole = button.label == words("bot.button.play-this", moves=moves)
        return (
            words("bot.button.propose-this", moves=moves) if whole else said.get(button.label, button.label)
        )

    buttons = tuple(replace(each, label=label(each)) for each in view.buttons)
    return replace(view, after=tuple(said.get(line, line) for line in view.after), buttons=buttons)


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
    touched = [Mark(Sign.PICKED, square) for square in partial.selection.taps]
    targets = [
        Mark(Sign.CANDIDATE, square) for square in _targets(game, partial, pieces=not fits(diagram.grid))
    ]
    return replace(diagram, marks=(*diagram.marks, *touched, *targets))


def _targets(game: AnyGame, partial: PartialMove, *, pieces: bool) -> Iterator[Square]:
    if cells := touchable(partial):
        yield from sorted(cells)
        return
    yield from sorted(partial.ahead)
    marked = {Picks.CELLS, Picks.PIECE} if pieces else {Picks.CELLS}
    for _, step in leaves(game, partial):
        if step.picks in marked and len(step.squares) == 1:
            yield step.squares[0]


def so_far(game: AnyGame, words: Words, partial: PartialMove) -> str | None:
    """Which whole plies are picked, or the turn if it is left at that; None where there is neither."""
    moves = partial.selection.moves
    if whole := partial if partial.whole else left_at_that(game, partial):
        return words("bot.pick.whole", moves=whole.selection.moves)
    return words.count("bot.pick.so-far", partial.position.plies_left, moves=moves) if moves else None


def prompted(words: Words, target: PickTarget, partial: PartialMove) -> str:
    """What is to be picked next, as far as a button can carry it."""
    if partial.whole:
        return words("bot.pick.play")
    further = any(target.pick(partial.selection.step(step.token)).fits for step in partial.steps)
    return words(partial.fork.prompt) if further else words("bot.pick.enough")


def ways(
    game: AnyGame,
    words: Words,
    target: PickTarget,
    partial: PartialMove,
    on_grid: AbstractSet[str],
    *,
    confirms: bool,
) -> tuple[Button, ...]:
    """The ways on from a half-made move: its next steps, and where it is confirmed, what plays it and the way back.

    A step that completes the turn is there as what plays it. Where pieces need not move, so is each of them with each target, and
    that none moves is Play itself.
    """
    kept = left_at_that(game, partial) if confirms else None
    left = kept.selection.moves if kept else None
    steps = list(_offered(partial, tuple(onward(game, partial)), on_grid))
    if left and (moved := targeted(partial)):
        steps = [*(way for way, _ in moved), *(way for way in steps if len(way[1].squares) != 1)]
    few = len(steps) <= _MOST_SHORTCUTS
    ends = _ends(game, partial, steps) if confirms and (few or partial.position.plies_left == 1) else {}
    plays = filter(None, (left, partial.selection.moves if confirms else None))
    buttons = []
    for selection, step in steps:
        data, there = target.pick(selection), step.token in on_grid
        moves, text = ends.get(selection, ("", ""))
        if moves and (play := target.play(moves)).fits and moves != left:
            in_words = len(ends) <= _IN_WORDS
            label = words("bot.button.play-this", moves=text) if in_words else f"{PLAYS}{text.split()[-1]}"
            there = there and not partial.ahead
            buttons.append(Button(label, play, on_grid=there and not few, shortcut=there))
        elif data.fits and not (left and step.picks is Picks.NOTHING):
            buttons.append(Button(words(step.label) if step.label else step.token, data, on_grid=there))
    for turn_text in plays:
        play = target.play(turn_text)
        buttons.append(
            Button(words("bot.button.play"), play, style=STYLES.get(play.verb, "plain"), apart=True)
        )
    if confirms and partial.back is not None:
        buttons.append(Button(words("bot.button.back"), target.pick(partial.back), apart=True))
    return tuple(buttons)


def _offered(partial: PartialMove, steps: Sequence[Way], on_grid: AbstractSet[str]) -> Iterator[Way]:
    """The steps that get a button: those on the grid, the nearest beside it, and the parts of the board that hold others."""
    parts = [way for way in steps if way[1].picks is Picks.REGION]
    inside = steps[: len(steps) - len(parts)]
    beside = [way for way in inside if way[1].token not in on_grid]
    further = set(beside[_MOST_BESIDE - len(parts) :])
    held = {selection.tokens[len(partial.selection.tokens)] for selection, _ in further}
    yield from (way for way in inside if way not in further)
    yield from (way for way in parts if way[1].token in held)


def _ends(game: AnyGame, partial: PartialMove, steps: Iterable[Way]) -> dict[Selection, tuple[str, str]]:
    """Which steps complete the turn: all that is then played, and what of it is not picked yet."""
    found = {}
    for selection, step in steps:
        move = None if step.picks is Picks.REGION else game.fork(partial.position, selection.tokens).move
        if move is None:
            continue
        if partial.position.plies_left == 1 or turn_over(partial.start, partial.position.play(move)):
            text = game.notation.format(move)
            new = text.rpartition(f"{selection.tokens[0]} ")[2]
            found[selection] = " ".join((*selection.plies, text)), new
    return found


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
_MOST_SHORTCUTS: Final = 8  # shown beside the keys of a board, at most
_IN_WORDS: Final = 4  # keys that say in words that they play, at most; of more, a sign does
PLAYS: Final = "▶"
_MOST_BESIDE: Final = MAX_STEPS + 3  # buttons beside the keys of a large board; MAX_STEPS parts at most
_EMPTY: Final = "·"  # where nothing stands and nothing can be chosen
_TARGET: Final = "•"  # where nothing stands and something can be chosen


def fits(board: Grid) -> bool:
    """Whether a whole board can be keys."""
    return board.files <= _MOST_FILES and len(board) <= _MOST_KEYS


def grid(
    game: AnyGame, target: PickTarget, partial: PartialMove, diagram: Diagram, *, flipped: bool = False
) -> tuple[ButtonGrid | None, frozenset[str]]:
    """A half-made move as keys, and the tokens of the steps that are among them.

    Of a board that is too large the keys are a part: where most can be picked, all of the part that was picked, or where the
    turn goes on. The diagram is the board as it is shown above the keys.
    """
    selections, ways = _choices(game, partial)
    if not selections:
        return None, frozenset()
    shown, corner = diagram.grid, Square(0, 0)
    part = not fits(shown)
    if part:
        shown = Grid(min(_MOST_FILES, shown.files), min(_MOST_FILES, shown.ranks))
        corner = _corner(game, diagram.grid, shown, partial)
    pieces = {square: piece for piece in diagram.pieces for square in piece.cells}
    marked = {mark.square for mark in diagram.marks if mark.sign is Sign.PICKED}
    # A region that was picked is marked too, and is there to choose from.
    picked = (marked - selections.keys()) | set(partial.selection.taps)

    def key(square: Square) -> SquareButton:
        data = target.pick(selections[square]) if square in selections else None
        made = _key(square, pieces.get(square), data if data and data.fits else None, picked=square in picked)
        return replace(made, symbol=made.name) if part and made.symbol == _TARGET else made

    lines = [
        tuple(key(Square(at.file + corner.file, at.rank + corner.rank)) for at in row)
        for row in rows(shown, flipped=flipped)
    ]
    there = {Square(at.file + corner.file, at.rank + corner.rank) for at in shown}
    return ButtonGrid(tuple(lines)), frozenset(token for token, at in ways.items() if at <= there)


def _corner(game: AnyGame, board: Grid, shown: Grid, partial: PartialMove) -> Square:
    """Return where the keys of a large board begin: where they did before, if the last ply is there, or all that can be picked."""
    files, ranks = range(board.files - shown.files + 1), range(board.ranks - shown.ranks + 1)
    corners, found = [Square(file, rank) for file in files for rank in ranks], Square(0, 0)

    def held(corner: Square, squares: Iterable[Square]) -> int:
        return sum(
            0 <= at.file - corner.file < shown.files and 0 <= at.rank - corner.rank < shown.ranks
            for at in squares
        )

    plies, tokens = partial.selection.plies, partial.selection.tokens
    parts = [Selection(plies[:at]) for at in range(len(plies) + 1)]
    for part in (*parts, *(Selection(plies, tokens[: at + 1]) for at in range(len(tokens)))):
        then = follow(game, partial.start, part)
        choices = _choices(game, then)[0]
        last = () if part.tokens else game.notation.steps(then.moves[-1]) if then.moves else ()
        near = picked_squares(last) or tuple(choices)
        if held(found, near) < len(near) or not held(found, choices):
            found = max(corners, key=lambda corner: (held(corner, near), held(corner, choices)))
    return found


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


def _choices(game: AnyGame, partial: PartialMove) -> tuple[dict[Square, Selection], dict[str, set[Square]]]:
    """What touching each square picks; and the squares that do the same as a step by its name."""
    if cells := touchable(partial):
        # Which of several placements is meant shows only when all their cells are touched: they keep their buttons.
        cells |= set(partial.selection.taps)
        return {square: partial.selection.tap(square) for square in cells}, {}
    selections = aimed(partial)
    ways: dict[str, set[Square]] = {}
    for selection, step in leaves(game, partial):
        if len(step.squares) == 1 and step.picks is not Picks.NOTHING:
            selections[step.squares[0]] = selection
            # Of a step inside a region, the region needs no button either.
            for token in {step.token, selection.tokens[len(partial.selection.tokens)]}:
                ways.setdefault(token, set()).add(step.squares[0])
    return selections, ways


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
