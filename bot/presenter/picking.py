"""Picking a move step by step: what is asked, the board with what is picked so far, the ways on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bot.actions import Action, Verb
from bot.i18n import Words
from bot.presenter.boards import turn
from bot.presenter.captions import alt_text
from bot.presenter.naming import Naming
from bot.presenter.strips import strip
from bot.view import Button, View
from play.match import Match
from play.replay import Course
from rules.core import AnyGame, Fork


def choose(
    game: AnyGame, match: Match, course: Course, words: Words, *, path: Sequence[str], fork: Fork[Any]
) -> View:
    """A fork as a private message with a button for each step."""
    names = Naming(game, match, words)
    buttons = tuple(
        Button(
            words(step.label) if step.label else step.token,
            Action(Verb.STEP, match.id, match.revision, "/".join((*path, step.token))),
        )
        for step in fork.steps
    )
    diagram, on_turn, prompt = (
        game.draw(course.position, picked=path),
        turn(names, course),
        words(fork.prompt),
    )
    return View(
        lines=(names.title, on_turn),
        diagram=diagram,
        after=(prompt,),
        buttons=buttons,
        alt=alt_text(names, course, (on_turn, prompt), diagram=diagram),
        strip=strip(names, course),
        code=match.id,
        revision=match.revision,
    )


def untold(offered: Sequence[tuple[AnyGame, Match, Action]], text: str, words: Words) -> View:
    """A move that was said without a command: how it is played, and a button that plays it in each match it fits."""
    buttons = []
    for game, match, action in offered:
        if action.fits:
            title = Naming(game, match, words).title
            label = action.argument if len(offered) == 1 else f"{action.argument} · {title}"
            buttons.append(Button(label, action))
    return View(lines=(words("bot.untold", command=f"/move {text}"),), buttons=tuple(buttons))
