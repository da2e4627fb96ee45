"""What is offered to people, before any platform has a say: words, a board, things to press."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from bot.actions import Action
from play.people import Account, Address
from render.animation import Film
from render.picture import Strip, Theme
from rules.core import Diagram, Seat


@dataclass(frozen=True, slots=True)
class Button:
    """Something to press: its words, what pressing claims, and the board it would lead to, where that helps to choose."""

    label: str
    action: Action
    preview: Diagram | None = None


@dataclass(frozen=True, slots=True)
class RosterLine:
    """Somebody at the board: the seat, and everything to say beside its sign (name, team, points, turn)."""

    seat: Seat
    text: str


@dataclass(frozen=True, slots=True)
class View:
    """One message. Plain text only: whoever shows it escapes it for the platform.

    Attributes:
        lines: The words, a paragraph each.
        diagram: The board, if one is shown.
        roster: Who plays; shown beside the board with the signs of its pieces.
        after: Words under the board: whose turn it is, the result.
        buttons: In the order in which they are numbered, where buttons are typed.
        ping: The person whose attention this asks for.
        attachment: A file's name and text.
        alt: What a picture of the board shows, in words: the last turn, who is on turn or how it ended, who plays, what
            stands where. At most 1024 characters, in UTF-16 units. Set wherever there is a diagram.
        strip: Who plays, for a picture of the board.
        theme: In which colours whoever sees this wants boards.
        flipped: Whether the board is shown as the side at the top sees it.
        film: A file's name, and a match as an animation: a GIF file.
    """

    lines: tuple[str, ...] = ()
    diagram: Diagram | None = None
    roster: tuple[RosterLine, ...] = ()
    after: tuple[str, ...] = ()
    buttons: tuple[Button, ...] = ()
    ping: Account | None = None
    attachment: tuple[str, str] | None = None
    alt: str = ""
    strip: Strip | None = None
    theme: Theme = Theme.LIGHT
    flipped: bool = False
    film: tuple[str, Film] | None = None


@dataclass(frozen=True, slots=True)
class Person:
    """Privately to one person, at the place where they are."""

    account: Account
    place: Address


Audience: TypeAlias = Address | Person


@dataclass(frozen=True, slots=True)
class Message:
    """A view and who sees it: everybody at a place, or one person."""

    to: Audience
    view: View
