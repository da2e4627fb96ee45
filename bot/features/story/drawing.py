"""How the beats of a match are shown: as boards in one picture with a line each, and as a film that lingers at them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from bot.chat.callback_data import Verb
from bot.chat.presenting.captions import ALT, cut
from bot.chat.presenting.naming import Naming, Presentation, button
from bot.chat.view import View
from bot.features.analysis.cards import as_played
from bot.features.analysis.explaining import compared_values
from bot.features.matches import cards
from bot.features.story.beats import Beat, Kind
from play.match import Closing, Ply, Return
from render.animation import Animation
from render.picture import Panels
from rules.core import Seat

_WORDINGS: Final = ("1", "2", "3")
_VARIANTS: Final = ("lead.guess", "swing.guess", "missed.guess", "finish.closed", "out.alone")

KEYS: Final = {"bot.story.{}.{}": ((*Kind, *_VARIANTS), _WORDINGS)}  # for the check of the catalogues


def caption(beat: Beat, names: Naming, code: str) -> str:
    """Return what is said of a beat; which wording, follows from the code of its match."""
    words = names.words
    fields: dict[str, Any] = {"name": beat.turn.seat, "moves": " ".join(beat.turn.plies)}
    fields |= {**beat.fields, **beat.seats}
    if start := fields.pop("start", None):
        pair = compared_values(fields["before"], fields["after"], start, words)
        fields["before"], fields["after"] = pair
    for key, value in fields.items():
        if isinstance(value, Seat):
            fields[key] = _name(beat, names, value)
        elif isinstance(value, tuple):
            fields[key] = words.list(_name(beat, names, seat) for seat in value)
    if beat.kind is Kind.FINISH:
        fields["result"] = _result(names)
    seed = hashlib.blake2b(f"{code} {beat.kind} {beat.turn.number}".encode(), digest_size=4).digest()
    number = _WORDINGS[int.from_bytes(seed, "big") % len(_WORDINGS)]
    return words(f"bot.story.{_told(beat, names)}.{number}", **fields)


def _told(beat: Beat, names: Naming) -> str:
    result = names.match.result
    if beat.kind is Kind.FINISH and (
        result is None or result.reason in _CLOSINGS or not isinstance(names.match.log[-1], Ply)
    ):
        return "finish.closed"
    if beat.kind is Kind.OUT and beat.fields["others"] == (beat.turn.seat,):
        return "out.alone"
    return beat.kind if beat.sure else f"{beat.kind}.guess"


_CLOSINGS: Final = frozenset(Closing) - {Closing.REPETITION}


def _name(beat: Beat, names: Naming, seat: Seat) -> str:
    """Who sat there then; a seat that another took over since is called by its number."""
    later: Iterable[Any] = names.match.log[beat.turn.end :]
    if any(isinstance(entry, Return) and entry.seat == seat for entry in later):
        number = names.words("core.seat", number=seat.number)
        return number[0].upper() + number[1:]
    return names.seat(seat)


def _result(names: Naming) -> str:
    result = names.match.result
    if result is not None and result.reason == Closing.SILENCE and not result.winners:
        return names.words("bot.story.silence")
    return " ".join(filter(None, names.ended or ()))


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
