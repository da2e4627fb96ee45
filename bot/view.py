"""What is offered to people, before any platform has a say: words, a board, things to press."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from bot.actions import Action
from play.people import Account, Address
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
    """

    lines: tuple[str, ...] = ()
    diagram: Diagram | None = None
    roster: tuple[RosterLine, ...] = ()
    after: tuple[str, ...] = ()
    buttons: tuple[Button, ...] = ()
    ping: Account | None = None
    attachment: tuple[str, str] | None = None


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
