"""Captions and alt text: enough to follow a game without its picture."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from bot.i18n import Words
from bot.presenter.naming import Naming
from bot.presenter.position import called, position_text
from play.match import Entry, Exit, Ply
from play.replay import Course
from rules.core import Diagram

ALT: Final = 1024
"""Characters of an alt text at most, in UTF-16 units: Discord takes so many, and so does a caption of Telegram's."""

_CUT: Final = "…"
_STOPS: Final = (".", "!", "?", _CUT)
_ENDS: Final = (". ", "; ", ", ", " ")
_LEAST: Final = 0.6  # of what there is room for: a better place to cut than this is not worth more words


def alt_text(
    names: Naming,
    course: Course,
    said: Iterable[str],
    *,
    people: Iterable[str] = (),
    diagram: Diagram | None = None,
    limit: int = ALT,
) -> str:
    """What a picture of a match shows, in words: what happened last, and what else there is to say.

    Args:
        names: Of the match.
        course: Of the match.
        said: What stands under the board: whose turn it is or how it ended.
        people: Who plays, a text for each.
        diagram: The board, to tell what stands where.
        limit: Characters at most, in UTF-16 units. A position that is too long is told by numbers of pieces.
    """
    words = names.words
    parts = [*happened(names, course), *(sentence(one, words) for one in said)]
    if seated := "; ".join(people):
        parts.append(sentence(seated, words))
    if diagram:
        room = limit - sum(length(part) + 1 for part in parts)
        parts.append(position_text(diagram, names, room))
    return cut(" ".join(parts), limit)


def sentence(said: str, words: Words) -> str:
    """A text with a full stop, unless it ends in one already."""
    return said if said.endswith(_STOPS) else words("bot.caption.sentence", said=said)


def happened(names: Naming, course: Course) -> tuple[str, ...]:
    """The last turn, and whoever left, came back or fell in it or after it; as sentences."""
    log = course.log
    if not log:
        return (names.words("bot.match.started", opponents=names.opponents),)
    last = next((at for at in reversed(range(len(log))) if isinstance(log[at], Ply)), None)
    first = 0 if last is None else course.turn_start(last)
    entries = range(first, len(log))
    said = []
    if plies := [at for at in entries if isinstance(log[at], Ply)]:
        said.append(sentence(_played(names, course, plies), names.words))
    for at in entries:
        said += events(names, course, at)
    return tuple(said)


def _played(names: Naming, course: Course, plies: Sequence[int]) -> str:
    seat = course.log[plies[0]].seat
    return names.words("bot.moved", name=called(names, seat), moves=_said(names, course, plies))


def _said(names: Naming, course: Course, plies: Iterable[int]) -> str:
    """What some plies did, as the game says it; each by its place in the log."""
    game = names.game
    return "; ".join(names.phrase(game.say(course.positions[at], course.moves[at])) for at in plies)


@dataclass(frozen=True, slots=True)
class Step:
    """An entry of a log.

    Attributes:
        index: Where in the log it is.
        first: Where its turn began; of an exit or a return, the turn before it, if there was one.
        move: What was played, None for an exit or a return.
    """

    index: int
    first: int
    move: Any


def walk(course: Course) -> Iterator[Step]:
    """The entries of a log with the turns that they belong to, in one pass."""
    first = 0
    mover = None
    for index, (entry, move, before) in enumerate(
        zip(course.log, course.moves, course.positions, strict=False)
    ):
        if isinstance(entry, Ply):
            if entry.seat != mover or before.plies_left == before.turn_length:
                first = index
            mover = entry.seat
        yield Step(index, first, move)


def events(names: Naming, course: Course, index: int) -> Iterator[str]:
    """Who left, came back or fell with an entry of the log; a sentence each."""
    words, entry = names.words, course.log[index]
    if not isinstance(entry, Ply):
        yield _left(names, entry)
    gone = {entry.seat} if isinstance(entry, Exit) else set()
    for seat in sorted(course.positions[index + 1].out - course.positions[index].out - gone):
        yield words("bot.fell", name=names.seat(seat))


def _left(names: Naming, entry: Entry) -> str:
    key = "bot.departed" if isinstance(entry, Exit) else "bot.caption.returned"
    return names.words(key, name=names.seat(entry.seat))


def caption(names: Naming, course: Course, index: int) -> str:
    """What an entry of the log did, for the frame of an animation that shows the board after it."""
    said = list(events(names, course, index))
    if isinstance(course.log[index], Ply):
        moved = _played(names, course, [index])
        said.insert(0, sentence(moved, names.words) if said else moved)
    return " ".join(said)


def cut(text: str, limit: int) -> str:
    """A text, or as much of its beginning as there is room for, ended where a reader can pause.

    Args:
        text: Any.
        limit: Characters at most, in UTF-16 units, with the ellipsis.
    """
    if length(text) <= limit:
        return text
    kept = text.encode("utf-16-le")[: 2 * (limit - 1)].decode("utf-16-le", "ignore")
    if text[len(kept)] != " ":
        ends = [at for at in (kept.rfind(end) for end in _ENDS) if at > _LEAST * len(kept)]
        kept = kept[: max(ends)] if ends else kept
    return kept.rstrip(" ,;.") + _CUT


def length(text: str) -> int:
    """Characters in UTF-16 units, as both platforms count them."""
    return len(text.encode("utf-16-le")) // 2
