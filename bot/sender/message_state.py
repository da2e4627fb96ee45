"""The stored state of a match's messages at one place, so that nothing is posted twice."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from typing import Final

from bot.sender.announcement import INVITATION, Announcement
from bot.sender.ports import Recipient
from bot.sender.routing import MessageKind, label
from storage.outgoing import BoardMessage

_KINDS: Final = {
    MessageKind.BOARD: "turn",
    MessageKind.EDIT: "turn",
    MessageKind.IN_PLACE: "turn",
    MessageKind.QUESTION: "call",
    MessageKind.NOTE: "call",
}


@dataclass(frozen=True, slots=True)
class Outdated:
    """A message whose controls are still to be taken away.

    Attributes:
        shows: What its board showed, see `Announcement.shows`; None: what it says stays right.
    """

    ref: str
    shows: int | None = None


@dataclass(frozen=True, slots=True)
class MessageState:
    """The messages of a match at one place.

    Attributes:
        aside: The message beside it, with a question or a note.
        retiring: Messages whose controls are still to be taken away.
    """

    revision: int = 0
    board: str | None = None
    aside: str | None = None
    retiring: tuple[Outdated, ...] = ()
    shows: int | None = None

    @property
    def given_away(self) -> bool:
        """Whether a later invitation is shown in the message of this one."""
        return self.board is None and self.shows == INVITATION

    def with_board(self, ref: str, shows: int | None) -> MessageState:
        """Once there is a fresh board: the old one is retired."""
        retiring = _and(self.retiring, self.board, self.shows)
        return replace(self, board=ref, shows=shows, retiring=retiring)

    def with_aside(self, ref: str) -> MessageState:
        """Once there is a fresh message beside the board: the old one is retired."""
        return replace(self, aside=ref, retiring=_and(self.retiring, self.aside))

    def without_aside(self) -> MessageState:
        """Once the message beside the board has had its time."""
        return replace(self, aside=None, retiring=_and(self.retiring, self.aside))

    def pack(self) -> BoardMessage:
        """As the store keeps it."""
        retiring = [[old.ref, old.shows] for old in self.retiring]
        kept = [self.board, self.aside, self.shows, retiring]
        return BoardMessage(json.dumps(kept, ensure_ascii=False), self.revision)

    @classmethod
    def unpack(cls, shown: BoardMessage | None) -> MessageState:
        """From what `pack` made. Where that cannot be read, its messages are left as they are."""
        if shown is None:
            return cls()
        try:
            board, aside, shows, retiring = json.loads(shown.message)
            return cls(shown.revision, board, aside, tuple(Outdated(*old) for old in retiring), shows)
        except (ValueError, TypeError):
            return cls(shown.revision)


def board_of(shown: BoardMessage) -> str | None:
    """The message with the board, as its platform calls it, of what is remembered of a match at a place."""
    return MessageState.unpack(shown).board


def messages_of(shown: BoardMessage) -> tuple[str, ...]:
    """Return all messages, as their platform calls them, of what is remembered of a match at a place."""
    state = MessageState.unpack(shown)
    return (*filter(None, (state.board, state.aside)), *(old.ref for old in state.retiring))


def nonce(announcement: Announcement, to: Recipient) -> str:
    """The name that a new message goes out under, the same at each try.

    Platforms that compare such names do so over all of a bot's chats, so the place is part of it. With a revision
    of five digits it has 23 characters; Discord allows 25.
    """
    place = hashlib.blake2b(label(to).encode(), digest_size=2).hexdigest()
    kind = "gone" if announcement.about else _KINDS[announcement.kind]
    return f"{announcement.match_id}:v{announcement.revision}:{kind}:{place}"


def _and(retiring: tuple[Outdated, ...], ref: str | None, shows: int | None = None) -> tuple[Outdated, ...]:
    if ref is None or any(old.ref == ref for old in retiring):
        return retiring
    return (*retiring, Outdated(ref, shows))
