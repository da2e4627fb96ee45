"""What can be pressed under a board that is being played: what the match waits for; the rest is in a menu.

Everybody sees the same buttons; whether a person may press one is checked when they do.

A board made of buttons, for platforms whose messages have keyboards.

The label of a button that can be pressed names its cell, so that it is understood when it is read aloud.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.presenting.naming import Presentation
from bot.chat.presenting.selection import PartialMove, PickTarget, Selection, leaves, touchable
from bot.chat.view import Button, ButtonGrid, ButtonStyle, SquareButton
from play.actions.agreeing import removable
from play.actions.leaving import vacant
from play.actions.playing import FINISH
from play.match import Ask, Match, Phase, is_engine
from play.people import Account
from play.replay import Course
from play.settings import Settings
from play.time.timers import BY_MOST, silent_at, untimed
from render import EMOJI, rows
from rules.core import AnyGame, Diagram, Grid, Picks, Sign, Square, sq

_NAMED: Final = (
    *(Verb.ACCEPT, Verb.DECLINE, Verb.WITHDRAW, Verb.JOIN, Verb.LEAVE, Verb.START, Verb.SEAT, Verb.REMATCH),
    *(
        Verb.MOVE,
        Verb.UNDO,
        Verb.TAKEBACK,
        Verb.DRAW,
        Verb.RESIGN,
        Verb.CLAIM,
        Verb.PAUSE,
        Verb.RESUME,
        Verb.END,
    ),
    *(Verb.YES, Verb.NO, Verb.SUBSTITUTE, Verb.MORE, Verb.MUTE, Verb.HINT, Verb.PAGE, Verb.BACK),
    *(Verb.FLIP, Verb.TEXT, Verb.REPLAY, Verb.ANALYSE, Verb.WHY, Verb.PUZZLE),
)
"""Verbs whose buttons can be named after them; any other is given its label."""

KEYS: Final = {"bot.button.{}": ([verb.name.lower() for verb in _NAMED],)}
"""The keys that this module puts together, by their template: the members of each hole."""

STYLES: Final[Mapping[Verb, ButtonStyle]] = {
    **dict.fromkeys(
        (Verb.ACCEPT, Verb.JOIN, Verb.START, Verb.YES, Verb.REMATCH, Verb.MOVE, Verb.RESUME, Verb.TRY),
        "good",
    ),
    **dict.fromkeys((Verb.DECLINE, Verb.NO, Verb.RESIGN), "danger"),
}
"""How the buttons look that do not look plain."""

UNFLIPPED: Final = "1"
"""In the argument of a button: the board as it is shown to all, the first seat's side below."""

FLIPPED: Final = "2"  # in the argument of a button: the board the other way round
IN_WORDS: Final = "words"  # in the argument of a button: the board in words
CONFIRMED: Final = "sure"  # the argument of a button that is pressed after a question whether one is sure


def button(presentation: Presentation, verb: Verb, argument: str = "", *, label: str | None = None) -> Button:
    """A button about a match as it is; its label names what it does, unless another is given."""
    match = presentation.match
    label = presentation.words(f"bot.button.{verb.name.lower()}") if label is None else label
    data = CallbackData(verb, match.id, match.revision, argument)
    return Button(label, data, style=STYLES.get(verb, "plain"))


def controls(presentation: Presentation) -> tuple[Button, ...]:
    """The controls of a match: what it waits for, and the menu with the rest; none unless it is being played."""
    match = presentation.match
    if match.phase is not Phase.PLAYING:
        return ()
    asked = match.offer.ask.value if match.offer else ""
    left = next(iter(vacant(presentation.course)), None)
    arguments = {
        Verb.YES: asked,
        Verb.NO: asked,
        Verb.SUBSTITUTE: "" if left is None else str(left.number),
        Verb.MORE: FLIPPED if presentation.flipped else "",
    }
    return (
        *votes(presentation),
        *(
            button(presentation, verb, arguments.get(verb, ""))
            for verb in _sensible(match, presentation.course)
        ),
    )


def finishing(presentation: Presentation) -> tuple[Button, ...]:
    """The button that plays the rest of a person's turn, where they win however they finish it; else nothing."""
    match, position = presentation.match, presentation.course.position
    player = match.chairs[position.to_move].player
    if match.phase is not Phase.PLAYING or match.paused or player is None or is_engine(player.account):
        return ()
    if not presentation.game.finish(position):
        return ()
    return (button(presentation, Verb.MOVE, FINISH, label=presentation.words("bot.button.finish")),)


def votes(presentation: Presentation) -> tuple[Button, ...]:
    """What the others can propose once the player on turn has done nothing for so long that a majority decides."""
    match, course, now = presentation.match, presentation.course, presentation.now
    mover = match.chairs[course.position.to_move].player
    if match.offer or not untimed(match) or mover is None or is_engine(mover.account):
        return ()
    if silent_at(match, BY_MOST, now) > now.at:
        return ()
    end = button(presentation, Verb.VOTE, Ask.END.value, label=presentation.words("bot.button.end"))
    if not removable(match, course):
        return (end,)
    label = presentation.words("bot.button.remove", name=presentation.names.seat(course.position.to_move))
    return (end, button(presentation, Verb.VOTE, Ask.REMOVE.value, label=label))


def asks_for_hints(match: Match, course: Course) -> Account | None:
    """The player on turn, who may ask for a hint if they and the places that show the match want hints.

    None: the match is rated, or is not being played, or waits for an engine.
    """
    if match.rated or match.phase is not Phase.PLAYING:
        return None
    player = match.chairs[course.position.to_move].player
    return None if player is None or is_engine(player.account) else player.account


def want_hints(chosen: Iterable[Settings]) -> bool:
    """Whether hints are wanted by all that have a say: the player who asks, and the places that show the match."""
    return all(settings.hints for settings in chosen)


def _sensible(match: Match, course: Course) -> Iterator[Verb]:
    if match.paused:
        yield Verb.RESUME
    else:
        yield Verb.MOVE
        if match.times is not None and match.times.up:
            yield Verb.CLAIM
    if vacant(course) and not match.rated:
        yield Verb.SUBSTITUTE
    if match.offer:
        yield Verb.YES
        yield Verb.NO
    yield Verb.MORE


MOST_FILES: Final = 8  # keys in a row, at most: Telegram's bound
MOST_KEYS: Final = 80  # keys in all, so that others have room under them: Telegram takes 100
EMPTY: Final = "·"  # where nothing stands and nothing can be chosen
TARGET: Final = "•"  # where nothing stands and something can be chosen


def fits(board: Grid) -> bool:
    """Whether a whole board can be keys."""
    return board.files <= MOST_FILES and len(board) <= MOST_KEYS


def grid(
    game: AnyGame, target: PickTarget, partial: PartialMove, diagram: Diagram, *, flipped: bool = False
) -> tuple[ButtonGrid | None, frozenset[str]]:
    """A half-made move as keys, and the tokens of the steps that are among them.

    A board that is too large is shown by the region that was picked; before one is, there are no keys. The diagram is the
    board as it is shown above the keys.
    """
    shown, corner = diagram.grid, Square(0, 0)
    if not fits(shown):
        region = picked_region(partial)
        if region is None:
            return None, frozenset()
        corner, far = region
        shown = Grid(far.file - corner.file + 1, far.rank - corner.rank + 1)
    if not fits(shown):
        return None, frozenset()
    selections, tokens = _choices(game, partial)
    if not selections:
        return None, frozenset()
    cells = _Cells(target, diagram, selections, partial)
    lines = [
        tuple(cells.at(Square(at.file + corner.file, at.rank + corner.rank)) for at in row)
        for row in rows(shown, flipped=flipped)
    ]
    return ButtonGrid(tuple(lines)), tokens


def picked_region(partial: PartialMove) -> tuple[Square, Square] | None:
    """The corners of the region that was picked last."""
    low, dash, high = (
        partial.selection.tokens[-1].partition("-") if partial.selection.tokens else ("", "", "")
    )
    if not dash or any(step.picks is Picks.REGION for step in partial.steps):
        return None
    corners = sq(low), sq(high)
    inside = all(
        corners[0].file <= square.file <= corners[1].file
        and corners[0].rank <= square.rank <= corners[1].rank
        for step in partial.steps
        for square in step.squares
    )
    return corners if inside else None


def _choices(game: AnyGame, partial: PartialMove) -> tuple[dict[Square, Selection], frozenset[str]]:
    """What touching each square picks; and the steps that need no button beside the keys."""
    if cells := touchable(partial):
        # Which of several placements is meant shows only when all their cells are touched: they keep their buttons.
        cells |= set(partial.selection.taps)
        return {square: partial.selection.tap(square) for square in cells}, frozenset()
    selections: dict[Square, Selection] = {}
    tokens = set()
    for selection, step in leaves(game, partial):
        if len(step.squares) == 1 and step.picks is not Picks.NOTHING:
            selections[step.squares[0]] = selection
            # Of a step inside a region, the region needs no button either.
            tokens.add(selection.tokens[len(partial.selection.tokens)])
    return selections, frozenset(tokens)


class _Cells:
    def __init__(
        self, target: PickTarget, diagram: Diagram, selections: dict[Square, Selection], partial: PartialMove
    ) -> None:
        self._target = target
        self._paths = selections
        self._pieces = {square: piece for piece in diagram.pieces for square in piece.cells}
        marked = {mark.square for mark in diagram.marks if mark.sign is Sign.PICKED}
        # A region that was picked is marked too, and is there to choose from.
        self._picked = (marked - selections.keys()) | set(partial.selection.taps)

    def at(self, square: Square) -> SquareButton:
        name, piece = str(square), self._pieces.get(square)
        stands = EMOJI.symbol(piece.kind, piece.owner) if piece else EMPTY
        data = None
        if selection := self._paths.get(square):
            data = self._target.pick(selection)
            data = data if data.fits else None
        if square in self._picked:
            picked = EMOJI.signs[Sign.PICKED]
            return SquareButton(f"{name}{picked}", picked, data, "picked", name)
        if data is None:
            return SquareButton(stands, stands, None, "free", name)
        label = f"{name}{stands}" if piece else name
        return SquareButton(label, stands if piece else TARGET, data, "choice", name)
