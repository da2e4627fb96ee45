"""Captions, alt text, and positions and squares in words: enough to follow a game without its picture."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Any, Final, Protocol, TypeAlias

from bot.chat.i18n import Words
from bot.chat.presenting.naming import Presentation, line_played
from play.match import Exit, Ply, Return
from play.replay import Course
from render import Group, areas, pieces
from rules.core import (
    TURN,
    AnyGame,
    Diagram,
    Highlights,
    Kind,
    Mark,
    Piece,
    Position,
    Seat,
    Sign,
    Square,
    Threat,
    Zone,
)

POSITION: Final = 700  # characters of a position in words beside everything else that is said of a match

_RUN: Final = 3  # squares in a row that are named by their ends


class OwnerNames(Protocol):
    """What the owners of pieces are called."""

    @property
    def words(self) -> Words:
        """The language."""

    def seat(self, seat: Seat, /) -> str:
        """Who sits there."""

    def seat_and_side(self, seat: Seat, /) -> str:
        """Who sits there, and what the seat is called in the game, where that is something else."""


_Things: TypeAlias = tuple[str, str, str]
"""Things of one kind: the owner, empty where they are the board's; how many of what ("5 bugs"); where ("a1–a4, c3")."""


def position_text(diagram: Diagram, names: OwnerNames, room: int | None = None) -> str:
    """What stands where on a board, and what its squares are; see `position_lines`."""
    return " ".join(position_lines(diagram, names, room))


def fitted(whole: str, diagram: Diagram, names: OwnerNames, room: int) -> str:
    """Return the `whole` `position_text`, or where it is too long for some room, a shorter one."""
    return whole if len(whole) < room else position_text(diagram, names, room)


def position_lines(diagram: Diagram, names: OwnerNames, room: int | None = None) -> tuple[str, ...]:
    """What stands where on a board, and what its squares are: a line for each owner; above them the board before, if it is shown.

    Where there is no `room` for so many characters, the longest lists of squares are left out, but never how many there
    are of what.
    """
    if before := diagram.first:
        _, *stood = position_lines(replace(before, areas=()), names)
        said = names.words("bot.position.before", position=" ".join(stood))
        left = None if room is None else room - len(said) - 1
        return (said, *position_lines(replace(diagram, first=None), names, left))
    things = list(_things(diagram, names))
    lines = _worded(diagram, names, things)
    while room is not None and sum(len(line) + 1 for line in lines) > room:
        longest = max(range(len(things)), key=lambda at: len(things[at][2]), default=0)
        if not things or not things[longest][2]:
            break
        things[longest] = (*things[longest][:2], "")
        lines = _worded(diagram, names, things)
    return lines


def _worded(diagram: Diagram, names: OwnerNames, things: Iterable[_Things]) -> tuple[str, ...]:
    words, grid = names.words, diagram.grid
    parts = [words("bot.position.board", files=grid.files, ranks=grid.ranks)]
    for whose, group in groupby(things, key=itemgetter(0)):
        told = ((words("bot.position.on", what=what, squares=at) if at else what) for _, what, at in group)
        said = "; ".join(told)
        owned = words("bot.position.owned", owner=whose, things=said) if whose else said
        parts.append(words("bot.caption.sentence", said=owned))
    rims = (("joined-files", diagram.joined_files), ("joined-ranks", diagram.joined_ranks))
    parts += [words(f"bot.position.{rim}") for rim, joined in rims if joined]
    return tuple(parts)


def _things(diagram: Diagram, names: OwnerNames) -> Iterator[_Things]:
    # What each seat has, then what has no owner, then what is the board's.
    found = (piece for piece in diagram.pieces if piece.kind is Kind.TILE)
    tiles = (Group(piece.kind, piece.owner, piece.cells) for piece in found)
    others = (group for group in pieces(diagram) if group.what is not Kind.TILE)

    def place(group: Group) -> tuple[bool, int]:
        of_board = group.owner is None and isinstance(group.what, Zone)
        return of_board, len(Seat) if group.owner is None else group.owner

    for group in sorted((*tiles, *others, *areas(diagram)), key=place):
        if group.owner is not None:
            whose = names.seat_and_side(group.owner)
        else:
            whose = "" if isinstance(group.what, Zone) else names.words("bot.position.unowned")
        yield whose, _what(group, names), squares_text(group.squares)


def standing(diagram: Diagram, seat: Seat, names: OwnerNames) -> str:
    """How many of what a seat has on a board: "5 bugs, 2 walls". A piece that covers several squares is not counted."""
    small = tuple(piece for piece in diagram.pieces if piece.owner == seat and len(piece.cells) == 1)
    return ", ".join(_what(group, names) for group in pieces(replace(diagram, pieces=small)))


def _what(group: Group, names: OwnerNames) -> str:
    words, count = names.words, len(group.squares)
    if group.what is Zone.PAINTED:
        return words.count("bot.position.painted", count)
    if isinstance(group.what, Zone):
        return words(f"bot.legend.{group.what.value}")
    if group.what is Kind.TILE:
        return words("bot.position.tile")
    return words.count(f"bot.position.some.{group.what.value}", count)


@lru_cache(maxsize=2048)
def squares_text(squares: tuple[Square, ...]) -> str:
    """Squares as they are named: those in a row, along ranks or along files, by its ends.

    The same ones come again and again: in the caption, in the words for a screen reader, and after the next move.
    """
    ranks = _runs(sorted(squares, key=lambda at: (at.rank, at.file)), Square(1, 0))
    files = _runs(sorted(squares), Square(0, 1))
    return ", ".join(files if len(files) < len(ranks) else ranks)


def _runs(squares: Sequence[Square], step: Square) -> list[str]:
    runs: list[list[Square]] = []
    for square in squares:
        before = runs[-1][-1] if runs else None
        if before and square == (before.file + step.file, before.rank + step.rank):
            runs[-1].append(square)
        else:
            runs.append([square])
    ends = ([f"{run[0]}–{run[-1]}"] if len(run) >= _RUN else map(str, run) for run in runs)
    return [text for texts in ends for text in texts]


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

    A position that is too long says how many pieces there are. `position` is its whole text, where that is known.
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
    return names.seat_and_side(seat) if side else names.seat(seat)


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
        yield names.says("bot.fell", seat)


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


def explained(
    game: AnyGame, start: Position[Any], turn: Sequence[str], marks: Sequence[Mark] = ()
) -> Diagram:
    """Return a turn as a plan, with the marks of its idea; the position alone where the turn is empty.

    Where arrows tell the whole turn, the board is the one before it, on which the idea's marks are; else the one after it.

    Raises:
        RulesError: the turn cannot be played.
    """
    if not turn:
        return replace(game.draw(start), marks=tuple(marks))
    moves, after = line_played(game, start, turn)
    plan = game.draw(after, Highlights(last=moves, planned=True, before=start))
    came = {mark.square for mark in plan.marks if mark.sign in TURN and mark.sign is not Sign.LEFT}
    if plan.arrows and came <= {arrow.end for arrow in plan.arrows}:
        plan = replace(game.draw(start), arrows=plan.arrows, planned=True)
    taken = {(mark.sign, mark.square) for mark in plan.marks}
    further = (mark for mark in marks if (mark.sign, mark.square) not in taken)
    return replace(plan, marks=(*plan.marks, *further))


def marked(marks: Sequence[Mark], words: Words) -> Iterator[str]:
    """Yield a line that names the marked squares, for the alternative text."""
    if squares := [mark.square for mark in marks]:
        yield words("bot.hint.marked", squares=squares_text(tuple(squares)))


KEYS: Final = {  # for the check of the catalogues
    "bot.position.{}": (("joined-files", "joined-ranks"),),
    "bot.position.some.{}": ([kind for kind in Kind if kind is not Kind.TILE],),
    "bot.legend.{}": ((*Zone, *Sign, *(f"planned-{sign}" for sign in TURN)),),
    "bot.square.{}": (Kind,),
}

_BEFORE: Final = ", "


def square_texts(diagram: Diagram, names: OwnerNames, threats: Sequence[Threat] = ()) -> dict[Square, str]:
    """What is on each square: "man, Ann (White); goal, Bob (Black); just came; can take b4". A square that is left out is empty.

    The threats are those of the position that the diagram shows.
    """
    said: dict[Square, list[str]] = {}
    called: dict[tuple[Kind, Seat | None], str] = {}  # a board has many pieces of few kinds
    for piece in diagram.pieces:
        what = called.get((piece.kind, piece.owner)) or _piece(piece, names)
        called[piece.kind, piece.owner] = what
        for at in piece.cells:
            said.setdefault(at, []).append(what)
    for area in diagram.areas:
        what = names.words(f"bot.legend.{area.zone.value}")
        if area.owner is not None:
            what = _BEFORE.join((what, names.seat(area.owner)))
        for at in area.cells:
            said.setdefault(at, []).append(what)
    for mark in diagram.marks:
        if mark.sign is not Sign.CANDIDATE:
            planned = diagram.planned and mark.sign in TURN
            sign = f"planned-{mark.sign}" if planned else mark.sign
            said.setdefault(mark.square, []).append(names.words(f"bot.legend.{sign}"))
    for at, threat in _threatened(threats, names):
        said.setdefault(at, []).append(threat)
    return {at: "; ".join(dict.fromkeys(parts)) for at, parts in said.items()}


def _piece(piece: Piece, names: OwnerNames) -> str:
    what = names.words(f"bot.square.{piece.kind.value}")
    if piece.owner is not None:
        return _BEFORE.join((what, names.seat_and_side(piece.owner)))
    return what if piece.kind is Kind.WALL else _BEFORE.join((what, names.words("bot.square.neutral")))


def _threatened(threats: Sequence[Threat], names: OwnerNames) -> Iterator[tuple[Square, str]]:
    taking: dict[Square, list[Square]] = {}
    taken: dict[Square, list[str]] = {}
    for threat in threats:
        if threat.start is not None:
            taking.setdefault(threat.start, []).append(threat.target)
        by = names.seat(threat.by) if threat.start is None else str(threat.start)
        taken.setdefault(threat.target, []).append(by)
    for at, targets in taking.items():
        yield at, names.words("bot.square.takes", squares=squares_text(tuple(targets)))
    for at, takers in taken.items():
        yield at, names.words("bot.square.attacked", by=_BEFORE.join(takers))
