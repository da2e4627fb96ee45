"""Captions and alt text: enough to follow a game without its picture."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from bot.i18n import Words
from bot.presenter.position import POSITION, fitted, name_and_side, position_text
from bot.presenter.presentation import Presentation
from play.match import Exit, Ply, Return
from play.replay import Course
from rules.core import Diagram

ALT: Final = 1024
"""Characters of an alt text at most, in UTF-16 units: Discord takes so many, and so does a caption of Telegram's."""

_CUT: Final = "…"
_STOPS: Final = (".", "!", "?", _CUT)
_ENDS: Final = (". ", "; ", ", ", " ")
_POINTS: Final = "count"  # the field of a game's phrase that says how many points a ply was worth
_LEAST: Final = 0.6  # of what there is room for: a better place to cut than this is not worth more words


def alt_text(
    presentation: Presentation,
    said: Iterable[str],
    *,
    people: Iterable[str] = (),
    diagram: Diagram | None = None,
    position: str | None = None,
) -> str:
    """What a picture of a match shows: what happened last, what is `said` under the board, who plays, what stands where.

    A position that is too long is told by numbers of pieces. `position` is its whole text, where that is known.
    """
    words = presentation.words
    parts = [*happened(presentation), *(sentence(one, words) for one in said)]
    if seated := "; ".join(people):
        parts.append(sentence(seated, words))
    if diagram:
        room = ALT - sum(length(part) + 1 for part in parts)
        whole = position_text(diagram, presentation.names) if position is None else position
        parts.append(fitted(whole, diagram, presentation.names, room))
    return cut(" ".join(parts), ALT)


def unpictured(presentation: Presentation, diagram: Diagram, position: str) -> str:
    """What only the picture would show of a half-made move: the last turn, and what stands where; `position` is its whole text."""
    return " ".join((*happened(presentation), fitted(position, diagram, presentation.names, POSITION)))


def sentence(said: str, words: Words) -> str:
    """A text with a full stop, unless it ends in one already."""
    return said if said.endswith(_STOPS) else words("bot.caption.sentence", said=said)


def happened(presentation: Presentation) -> tuple[str, ...]:
    """The last turn, and who left, came back or fell in it or after it; as sentences."""
    course, words = presentation.course, presentation.words
    log = course.log
    if not log:
        return (words("bot.match.started", opponents=presentation.names.opponents),)
    last = last_ply(course)
    entries = range(0 if last is None else course.turn_start(last), len(log))
    said = []
    if plies := [at for at in entries if isinstance(log[at], Ply)]:
        said.append(sentence(_moved(presentation, plies), words))
    for at in entries:
        said += events(presentation, at)
    return tuple(said)


def last_ply(course: Course) -> int | None:
    """The index of the last ply in a log; None where it has none."""
    return next((at for at in reversed(range(len(course.log))) if isinstance(course.log[at], Ply)), None)


def _moved(presentation: Presentation, plies: Sequence[int]) -> str:
    """Who played some plies, by their indices in the log, and what they did as the game says it."""
    names, course, game = presentation.names, presentation.course, presentation.game
    moves = "; ".join(names.phrase(game.say(course.positions[at], course.moves[at])) for at in plies)
    return presentation.words("bot.moved", name=player_then(presentation, plies[0], side=True), moves=moves)


def player_then(presentation: Presentation, index: int, *, side: bool = False) -> str:
    """Who an entry of the log is about: the player in its seat, by number where another has taken that over since."""
    names, seat = presentation.names, presentation.course.log[index].seat
    later = presentation.match.log[index + 1 :]
    if any(isinstance(entry, Return) and entry.seat == seat for entry in later):
        number = presentation.words("core.seat", number=seat.number)
        return number[0].upper() + number[1:]
    return name_and_side(names, seat) if side else names.seat(seat)


def played(presentation: Presentation, plies: Sequence[Ply], after: int = 0) -> str:
    """Some consecutive plies in notation, `after` entries before the end of the log; in phrases, where these tell the score."""
    names, course = presentation.names, presentation.course
    if course.position.scores:
        end = len(course.moves) - after
        at = slice(end - len(plies), end)
        phrases = list(map(presentation.game.say, course.positions[at], course.moves[at]))
        if any(_POINTS in phrase.fields for phrase in phrases):
            return "; ".join(map(names.phrase, phrases))
    return names.notation(plies)


def events(presentation: Presentation, index: int) -> Iterator[str]:
    """Who left, came back or fell with an entry of the log; a sentence each."""
    words, names, course = presentation.words, presentation.names, presentation.course
    entry = course.log[index]
    if not isinstance(entry, Ply):
        key = "bot.departed" if isinstance(entry, Exit) else "bot.caption.returned"
        yield words(key, name=player_then(presentation, index))
    gone = {entry.seat} if isinstance(entry, Exit) else set()
    for seat in sorted(course.positions[index + 1].out - course.positions[index].out - gone):
        yield words("bot.fell", name=names.seat(seat))


def caption(presentation: Presentation, index: int) -> str:
    """What an entry of the log did, for the frame of an animation that shows the board after it."""
    said = list(events(presentation, index))
    if isinstance(presentation.course.log[index], Ply):
        moved = _moved(presentation, [index])
        said.insert(0, sentence(moved, presentation.words) if said else moved)
    return " ".join(said)


def cut(text: str, limit: int) -> str:
    """A text, or as much of it as fits into so many UTF-16 units with an ellipsis, ended where a reader can pause."""
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
