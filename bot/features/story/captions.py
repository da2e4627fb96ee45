"""What a story says of its beats: one of three wordings each, the same for every reader of a match."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any, Final

from bot.chat.presenting.naming import Naming
from bot.features.analysis.explaining import compared_values
from bot.features.story.beats import Beat, Kind
from play.match import Closing, Ply, Return
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
