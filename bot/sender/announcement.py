"""What is shown to one recipient of some facts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from bot.sender.routing import MessageKind
from bot.view import View
from play.people import Account

INVITATION: Final = -1  # what the message of an invitation shows; see `Announcement.shows`


@dataclass(frozen=True, slots=True)
class Announcement:
    """What is shown to one recipient.

    Attributes:
        revision: The latest revision that it tells of.
        open: Whether a question stays open after it, so that the message beside the board keeps its controls.
        shows: What its board shows: the match after so many entries of its log, or an invitation (`INVITATION`). None where
            it shows neither.
        instead: Codes of invitations: it is shown in the message of one of them, if that is there.
        about: Whether it is about people whom messages do not reach, which is no change of the match.
        board: The board as it is now, where `view` stands beside it and changes what it shows.
    """

    match_id: str
    revision: int
    kind: MessageKind
    view: View
    ping: tuple[Account, ...]
    open: bool
    shows: int | None = None
    board: View | None = None
    about: bool = False
    instead: tuple[str, ...] = ()
