"""Picking a move step by step: what is asked, the board with what is picked so far, the ways on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from bot.actions import Action, Verb
from bot.i18n import Words
from bot.presenter.boards import turn
from bot.presenter.captions import alt_text
from bot.presenter.controls import button
from bot.presenter.keys import grid
from bot.presenter.naming import Naming
from bot.presenter.paths import Half
from bot.presenter.position import POSITION, position_text
from bot.presenter.strips import strip
from bot.view import Button, View
from play.match import Match
from play.replay import Course
from rules.core import AnyGame, Diagram, Mark, Sign


def choose(
    game: AnyGame,
    match: Match,
    course: Course,
    words: Words,
    *,
    half: Half,
    confirms: bool = False,
    flipped: bool = False,
) -> View:
    """A half-made move as a private message: the board with what is picked so far, and a button for each way on.

    Args:
        game: Of the match.
        match: As it is.
        course: Of the match.
        words: The language.
        half: How far the move is made.
        confirms: Whether the move is played by a press of its own, and can be gone back in.
        flipped: Whether the board is shown as the side at the top sees it.
    """
    names = Naming(game, match, words)
    moves = half.path.moves
    diagram = _board(game, half)
    keys, on_grid = grid(game, match, half, diagram, flipped=flipped)
    buttons = list(_steps(match, words, half, on_grid))
    if half.whole:
        said, prompt = words("bot.pick.whole", moves=moves), words("bot.pick.play")
    else:
        said = turn(names, course)
        if moves:
            said = words.count("bot.pick.so-far", half.position.plies_left, moves=moves)
        prompt = words(half.fork.prompt) if buttons else words("bot.pick.enough")
    if confirms and moves:
        buttons.append(button(words, match, Verb.MOVE, moves, label=words("bot.button.play")))
    if confirms and half.back is not None:
        buttons.append(button(words, match, Verb.STEP, str(half.back), label=words("bot.button.back")))
    return View(
        lines=(names.title, said),
        diagram=diagram,
        after=(prompt,),
        buttons=tuple(buttons),
        alt=alt_text(names, course, (said, prompt), diagram=diagram),
        position=position_text(diagram, names, POSITION),
        strip=strip(names, course, actions=0 if half.whole else half.position.plies_left),
        grid=keys,
        code=match.id,
        revision=match.revision,
        flipped=flipped,
    )


def _board(game: AnyGame, half: Half) -> Diagram:
    """The board with what is picked so far."""
    before = half.start if half.moves else None
    diagram = game.draw(half.position, last=half.moves, before=before, picked=half.path.tokens)
    touched = tuple(Mark(Sign.PICKED, square) for square in half.path.taps)
    return replace(diagram, marks=(*diagram.marks, *touched)) if touched else diagram


def _steps(match: Match, words: Words, half: Half, on_grid: AbstractSet[str]) -> Iterator[Button]:
    """A button for each step, as far as a button can carry it."""
    for step in half.steps:
        label = words(step.label) if step.label else step.token
        action = Action(Verb.STEP, match.id, match.revision, str(half.path.step(step.token)))
        if action.fits:
            yield Button(label, action, on_grid=step.token in on_grid)


def untold(offered: Sequence[tuple[AnyGame, Match, Action]], text: str, words: Words) -> View:
    """A move that was said without a command: how it is played, and a button that plays it in each match it fits."""
    buttons = []
    for game, match, action in offered:
        if action.fits:
            title = Naming(game, match, words).title
            label = action.argument if len(offered) == 1 else f"{action.argument} · {title}"
            buttons.append(Button(label, action))
    return View(lines=(words("bot.untold", command=f"/move {text}"),), buttons=tuple(buttons))
