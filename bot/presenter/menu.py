"""The menu of a match: everything that is done less often than moving, for one person."""

from __future__ import annotations

from collections.abc import Iterable

from bot.callback_data import Verb
from bot.presenter.boards import turn
from bot.presenter.controls import FLIPPED, IN_WORDS, UNFLIPPED, button
from bot.presenter.presentation import Presentation
from bot.view import View
from play.match import Ask


def more(presentation: Presentation, verbs: Iterable[Verb], *, muted: bool = False) -> View:
    """What a person can do in a match that is being played; everybody can have the board turned, as text and in words."""
    flip = button(presentation, Verb.FLIP, UNFLIPPED if presentation.flipped else FLIPPED)
    unmute = presentation.words("bot.button.unmute") if muted else None
    labels = {Verb.MUTE: unmute, Verb.VOTE: presentation.words("bot.button.end")}
    arguments = {Verb.VOTE: Ask.END.value}
    offered = (button(presentation, verb, arguments.get(verb, ""), label=labels.get(verb)) for verb in verbs)
    said = button(presentation, Verb.BOARD, IN_WORDS, label=presentation.words("bot.button.words"))
    buttons = (*offered, flip, button(presentation, Verb.TEXT), said)
    return presentation.note(turn(presentation), buttons=buttons)
