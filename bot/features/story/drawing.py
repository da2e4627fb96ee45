"""How the beats of a match are shown: as boards in one picture with a line each, and as a film that lingers at them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from bot.chat.callback_data import Verb
from bot.chat.presenting.captions import ALT, cut
from bot.chat.presenting.naming import Presentation, button
from bot.chat.view import View
from bot.features.analysis.cards import as_played
from bot.features.matches import cards
from bot.features.story.beats import Beat
from bot.features.story.captions import caption
from render.animation import Animation
from render.picture import Panels

FILM: Final = "film"
"""Argument of `Verb.STORY`: the match as an animation that lingers at its beats."""


def story(presentation: Presentation, told: Sequence[Beat]) -> View:
    """Return the beats of a match with a board each, and keys to its film and its analysis."""
    match, words, course = presentation.match, presentation.words, presentation.course
    # On a board as it was before a new start nothing is marked.
    boards = tuple(replace(as_played(course, beat.turn), first=None) for beat in told)
    film = button(presentation, Verb.STORY, FILM, label=words("bot.button.story-film"))
    return View(
        lines=_lines(presentation, told),
        panels=Panels(boards, presentation.flipped),
        alt=_alt(presentation, told),
        buttons=(film, button(presentation, Verb.ANALYSE)),
        theme=presentation.theme,
        code=match.id,
        revision=match.revision,
    )


def film(presentation: Presentation, told: Sequence[Beat], made: Animation | None) -> View:
    """Return a match as an animation; without one, where it could not be made, how else to look at it."""
    view = cards.replay(presentation, made)
    return view if made is None else replace(view, alt=_alt(presentation, told))


def captions(presentation: Presentation, told: Sequence[Beat]) -> Mapping[int, str]:
    """Return what a film says of the beats, by where in the log their turns end."""
    return {beat.turn.end - 1: line for beat, line in zip(told, _beats(presentation, told), strict=True)}


def _lines(presentation: Presentation, told: Sequence[Beat]) -> tuple[str, ...]:
    names = presentation.names
    title = presentation.words("bot.story.title", title=names.title, opponents=names.opponents)
    return (title, *_beats(presentation, told))


def _beats(presentation: Presentation, told: Sequence[Beat]) -> Sequence[str]:
    names, code, words = presentation.names, presentation.match.id, presentation.words
    return [
        words("bot.story.beat", number=number, turn=beat.turn.number, caption=caption(beat, names, code))
        for number, beat in enumerate(told, 1)
    ]


def _alt(presentation: Presentation, told: Sequence[Beat]) -> str:
    return cut("\n".join(_lines(presentation, told)), ALT)
