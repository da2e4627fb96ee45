"""Messages before a platform renders them: words, a board, things to press."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import Enum, auto
from typing import Any, Final, Literal, TypeAlias

from bot.chat.callback_data import CallbackData, Verb
from play.people import Account, Address
from play.settings import OldBoards, Settings
from render.animation import Animation
from render.picture import Panels, Sheet, Strip, Theme
from rules.core import AnyGame, Diagram, Position, Seat

ButtonStyle: TypeAlias = Literal["plain", "good", "danger"]
"""How a button looks, where a platform has colours for that."""

State: TypeAlias = Literal["free", "choice", "picked"]
"""Whether a cell cannot be chosen now, can be, or has been."""


class ViewKind(Enum):
    """What a message is; a platform has one table of how each kind of answer is shown."""

    NOTE = auto()  # a few words
    CARD = auto()  # a message of its own, to be kept
    PAGE = auto()  # takes the place of the page from which it was turned
    BOARD = auto()  # a match again, after a menu or a half-made move
    PICK = auto()  # a move to pick
    MENU = auto()  # what can be done in a match besides moving
    QUESTION = auto()  # asks before a move or a resignation is carried out
    CHOICE = auto()  # lines to choose from
    FORM = auto()  # one of several questions, of the place where it is asked
    PANEL = auto()  # the settings of a person
    INVITE = auto()  # to be passed on to others: platforms that have links to join add one
    REDRAWN = auto()  # a message changed where that need not be seen: its deadline, or a further seek named


File: TypeAlias = tuple[str, str | bytes]  # a file's name, and its text or its bytes


@dataclass(frozen=True, slots=True)
class Button:
    """Something to press, with the board that it leads to, where that helps to choose.

    If it is `on_grid`, keys of the view's grid do the same; a `shortcut` does what they do with one press more. What stands
    `apart` is no choice among others: what ends the choosing, and the way back. `short` is a label for narrow rows.
    """

    label: str
    data: CallbackData
    preview: Diagram | None = None
    style: ButtonStyle = "plain"
    on_grid: bool = False
    shortcut: bool = False
    apart: bool = False
    short: str = ""


def numbered(number: int, label: str) -> str:
    """The label of a button whose number stands on the board."""
    return f"{number}. {label}"


@dataclass(frozen=True, slots=True)
class SquareButton:
    """A key of a board made of keys: a short label, never empty, and what a press asks for, if there is anything to choose.

    The symbol is what stands on the square, without the square's name.
    """

    label: str
    symbol: str
    data: CallbackData | None
    state: State
    name: str


@dataclass(frozen=True, slots=True)
class ButtonGrid:
    """A board, or a part of it, made of keys: rows of cells, the top rank first. At most 8 in a row, 80 in all."""

    rows: tuple[tuple[SquareButton, ...], ...]


@dataclass(frozen=True, slots=True)
class PeopleChoice:
    """A choice of people, on platforms where people can be chosen, of at most so many."""

    prompt: str  # what is chosen, in words
    data: CallbackData  # what the choice asks for; the people come beside it, as the visitor's `selected`
    most: int
    setup: str = ""  # the match, if any, in the words of a command, for platforms that pass an invitation on


@dataclass(frozen=True, slots=True)
class RosterLine:
    """A player at the board: the seat, and everything to say beside its sign (name, team, points, turn)."""

    seat: Seat
    text: str


@dataclass(frozen=True, slots=True)
class Picking:
    """A turn to pick on a board that belongs to no match, for platforms where squares of any board are touched."""

    game: AnyGame
    start: Position[Any]  # before anything was picked
    picked: str  # as a button carries it
    picks: CallbackData  # what picking asks for, without what is picked
    plays: Verb  # plays what is picked
    typed: str  # the line of the view that says how it is typed in a chat


@dataclass(frozen=True, slots=True)
class View:
    """One message. Plain text only: the platform's adapter escapes it.

    Attributes:
        alt: What a picture of the board shows, in words: the last turn, who is on turn or how it ended, who plays, what
            stands where; or the sheet. At most 1024 characters, in UTF-16 units. Set wherever there is a diagram.
        position: What stands where, in words, and the last turn if no line says it: what of `alt` stands nowhere else.
        controls: What hangs under the board of a match that is being played, where things are pressed rather than typed.
        grid: The board as keys, where one person picks a move; what is no square is among the buttons.
        untimed: As `after`, without the time that is left in words, for platforms that show `deadline` in their own way.
        kind: None: it is what its button says, else a note.
    """

    lines: tuple[str, ...] = ()
    diagram: Diagram | None = None
    roster: tuple[RosterLine, ...] = ()  # beside the board, with the signs of its pieces
    after: tuple[str, ...] = ()  # under the board: whose turn it is, the result
    buttons: tuple[Button, ...] = ()  # in the order of their numbers, where buttons are typed
    ping: tuple[Account, ...] = ()
    alt: str = ""
    position: str = ""
    strip: Strip | None = None
    theme: Theme = Theme.LIGHT
    flipped: bool = False
    film: tuple[str, Animation] | None = None  # a file's name, and a match as an animation: a GIF file
    files: tuple[File, ...] = ()
    controls: tuple[Button, ...] = ()
    grid: ButtonGrid | None = None
    code: str | None = None
    revision: int = 0
    deadline: datetime | None = None
    untimed: tuple[str, ...] = ()
    text_board: bool = False  # whether the board is wanted as text, also where it could be a picture
    folded: OldBoards = OldBoards.KEEP  # of a board with a newer one below it
    links: tuple[tuple[str, str], ...] = ()  # where matches of its lines are shown: codes and URLs
    urls: tuple[str, ...] = ()  # in its lines, to be followed; any other is a player's text
    joinable: bool = False  # whether seats can be taken: platforms that have links to join hang one under it
    people: PeopleChoice | None = None
    picking: Picking | None = None
    sheet: Sheet | None = None  # a table that is shown as a picture, where there is no diagram
    panels: Panels | None = (
        None  # boards as one picture, of which its lines say everything; where there is neither
    )
    language: str | None = None  # of its words, where the platform may have to add some
    asks: bool = False  # whether it is answered by a line, for platforms that can open a field to type it
    kind: ViewKind | None = field(default=None, compare=False)

    def ending(self, *lines: str) -> View:
        """The view with further lines under the board."""
        return replace(self, after=(*self.after, *lines), untimed=(*self.untimed, *lines))

    @property
    def in_words(self) -> View:
        """The view with its table as lines, for where there are no pictures."""
        if self.sheet is None:
            return self
        return replace(self, lines=(*self.lines, "", *self.sheet.lines), sheet=None)

    @property
    def attachments(self) -> tuple[tuple[str, bytes], ...]:
        """The names and bytes of its files."""
        return tuple([(name, held.encode() if isinstance(held, str) else held) for name, held in self.files])


@dataclass(frozen=True, slots=True)
class Person:
    """Privately to one person, at the place where they are."""

    account: Account
    place: Address


@dataclass(frozen=True, slots=True)
class Message:
    """A view and who sees it: everybody at a place, or one person."""

    to: Address | Person
    view: View
    refused: bool = False  # whether nothing was carried out: it is a refusal, or a question that comes first
    secret: bool = False  # whether others must not read it, also if it is a refusal


def opens(verb: Verb, label: str, *typed: str) -> Button:
    """A button that runs the command of a verb with what is typed after it."""
    return Button(label, CallbackData.without_match(verb, " ".join(filter(None, typed))))


_THEMES: Final[dict[str | None, Theme]] = {theme.value: theme for theme in Theme}


def theme_of(*chosen: Settings | None) -> Theme:
    """The theme that the first of these settings has; one that there is no longer stands for nothing chosen."""
    return next((_THEMES[one.theme] for one in chosen if one and one.theme in _THEMES), Theme.LIGHT)
