"""Lines: what could be played from some position of a match on. A line is in its name alone, so that no process keeps one."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.page import wire
from bot.page.composing import Composed, drawn, pick_from, picked, seen_by
from bot.presenter import boards, refusals
from bot.presenter.presentation import Presentation
from bot.presenter.selection import Selection, follow
from play.match import Phase, Ply
from rules.core import Highlights, RulesError


@dataclass(frozen=True, slots=True)
class Tried:
    """A line that a reader tries: the entry of the log from which it starts, and its moves. Its text is `~12~a2-a3;b7-b6`."""

    at: int
    moves: tuple[str, ...] = ()

    @classmethod
    def read(cls, text: str) -> Tried:
        """Return the line that a text names.

        Raises:
            ValueError: it names none.
        """
        empty, at, moves = text.split("~", 2)
        if empty or not (at.isascii() and at.isdecimal()):
            raise ValueError(f"no line: {text[:24]!r}")
        return cls(int(at[:9]), tuple(filter(None, moves.split(";"))))

    def __str__(self) -> str:
        return f"~{self.at}~{';'.join(self.moves)}"

    @property
    def back(self) -> Tried:
        """The line without its last move."""
        return replace(self, moves=self.moves[:-1])


def names_one(text: str) -> bool:
    """Whether a board is that of a line."""
    return text.startswith("~")


def after(presentation: Presentation, tried: Tried) -> Presentation:
    """Return a match as it would be, had other moves been played from some entry of its log on.

    Raises:
        RulesError: they are not possible there.
    """
    match, course = presentation.match, presentation.course.cut(tried.at)
    for text in tried.moves:
        (move,) = presentation.game.notation.parse(text, course.position)
        course = course.played(move, presentation.now.at)
    result = course.result
    phase = Phase.PLAYING if result is None else Phase.OVER
    match = replace(match, phase=phase, result=result, log=course.log, times=None, offer=None)
    return replace(presentation, match=match, course=course, changes=())


def card(presentation: Presentation, tried: Tried) -> Composed:
    """Return the board of a line, on which all sides are moved.

    Raises:
        RulesError: its moves are not possible there.
    """
    then, words = after(presentation, tried), presentation.words
    game, course = then.game, then.course
    diagram = game.draw(course.position, Highlights(last=course.last_turn, before=course.before_turn))
    looks: dict[str, str] = {}
    title = words("bot.page.what-if")
    said = then.names.notation(entry for entry in course.log[tried.at :] if isinstance(entry, Ply))
    lines = [title, said or words("bot.page.what-if-how"), *boards.result_or_turn(then)]
    board = drawn(seen_by(then), diagram, looks, game.threats(course.position))
    made = wire.Card(lines, [], board, on=str(tried), back=str(tried.back) if tried.moves else "")
    if then.match.phase is Phase.PLAYING and len(made.on) < wire.MOST_TRIED:
        partial = follow(game, course.position, Selection())
        made.pick = pick_from(game, words, partial, flipped=then.flipped)
    return Composed(made, looks)


def answer(presentation: Presentation, asked: wire.Request) -> tuple[wire.Frame, Composed]:
    """Return the answer to what is picked, played or typed on the board of a line, or to the wish to see it."""
    frame, composed = wire.Frame(re=asked.op, cards=[]), Composed(None)
    try:
        tried = Tried.read(asked.on or asked.text)
        then = after(presentation, tried)
        if asked.do == "pick":
            composed = picked(then, Selection.read(asked.text))
            return wire.Frame(re=asked.op, pick=composed.data), composed
        if asked.do == "play":
            moves = follow(then.game, then.course.position, Selection.read(asked.text)).selection.plies
            tried = replace(tried, moves=(*tried.moves, *moves))
        elif asked.do == "type":
            try:
                typed = then.game.notation.parse(asked.text, then.course.position)
            except RulesError as refusal:
                said = presentation.words(refusal.reason, **presentation.names.named(refusal.fields))
                view = refusals.in_match(presentation.words, said, then.game, then.course.position)
                frame.cards = [wire.Card(list(view.lines), refused=True)]
                return frame, composed
            tried = replace(tried, moves=(*tried.moves, *map(then.game.notation.format, typed)))
        composed = card(presentation, tried)
        frame.cards = [composed.data]
    except (RulesError, ValueError):
        pass  # no page asks for this
    return frame, composed
