"""Picking a move step by step: what is asked, the board with what is picked so far, the ways on.

A list of the legal moves, each played by one press, for those who know what they want.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from bot.chat.callback_data import CallbackData
from bot.chat.i18n import Words
from bot.chat.presenting.boards import turn
from bot.chat.presenting.captions import alt_text, position_text, unpictured
from bot.chat.presenting.clocks import strip
from bot.chat.presenting.controls import STYLES, fits, grid, picked_region
from bot.chat.presenting.naming import Naming, Presentation
from bot.chat.presenting.selection import PartialMove, PickTarget, in_match, leaves, touchable
from bot.chat.view import Button, View
from rules.core import AnyGame, Diagram, Highlights, Mark, Picks, Sign, Square


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
    game, match, words, names = presentation.game, presentation.match, presentation.words, presentation.names
    target, diagram = target or in_match(match, flipped=presentation.flipped), board(game, partial)
    keys, on_grid = grid(game, target, partial, diagram, flipped=presentation.flipped)
    buttons = ways(words, target, partial, on_grid, confirms=confirms)
    said = so_far(words, partial) or turn(presentation, thinks=False)
    prompt = prompted(words, target, partial)
    position = position_text(diagram, names)
    return View(
        lines=(names.title, said),
        diagram=diagram,
        after=(prompt,),
        buttons=buttons,
        alt=alt_text(presentation, (said, prompt), diagram=diagram, position=position),
        position=unpictured(presentation, diagram, position),
        strip=strip(presentation, actions=0 if partial.whole else partial.position.plies_left),
        grid=keys,
        code=match.id,
        revision=match.revision,
        theme=presentation.theme,
        flipped=presentation.flipped,
    )


def board(game: AnyGame, partial: PartialMove) -> Diagram:
    """The board with what is picked so far."""
    before = partial.start if partial.moves else None
    diagram = game.draw(
        partial.position,
        Highlights(last=partial.moves, planned=True, before=before, picked=partial.selection.tokens),
    )
    in_region = not fits(diagram.grid) and picked_region(partial) is not None
    touched = [Mark(Sign.PICKED, square) for square in partial.selection.taps]
    targets = [Mark(Sign.CANDIDATE, square) for square in _targets(game, partial, pieces=in_region)]
    return replace(diagram, marks=(*diagram.marks, *touched, *targets))


def _targets(game: AnyGame, partial: PartialMove, *, pieces: bool) -> Iterator[Square]:
    """Yield the cells where something can go next, or a part of it; and `pieces` that can be picked."""
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
    """A button for each step, as far as a button can carry it."""
    for step in partial.steps:
        label = words(step.label) if step.label else step.token
        data = target.pick(partial.selection.step(step.token))
        if data.fits:
            yield Button(label, data, on_grid=step.token in on_grid)


def untold(offered: Sequence[tuple[Naming, CallbackData]], text: str, words: Words) -> View:
    """A move that was said without a command: how it is played, and a button that plays it in each match it fits."""
    buttons = []
    for names, data in offered:
        if data.fits:
            label = data.argument if len(offered) == 1 else f"{data.argument} · {names.title}"
            buttons.append(Button(label, data))
    return View(lines=(words("bot.untold", command=f"/move {text}"),), buttons=tuple(buttons))
