"""What is remembered of a match's messages at one place, so that nothing is said twice."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from typing import Final

from bot.sender.composer import Saying
from bot.sender.ports import To
from bot.sender.routing import Way, here
from storage.outgoing import Shown

_KINDS: Final = {Way.TURN: "turn", Way.EDIT: "turn", Way.CALL: "call", Way.ASIDE: "call"}


@dataclass(frozen=True, slots=True)
class Old:
    """A message whose controls are still to be taken away.

    Attributes:
        ref: Its name.
        stands: What its board showed, see `Saying.stands`; None: what it says stays right.
    """

    ref: str
    stands: int | None = None


@dataclass(frozen=True, slots=True)
class Messages:
    """The messages of a match at one place.

    Attributes:
        revision: The latest one that was shown.
        board: The message with the board.
        aside: The message beside it, with a question or a note.
        folding: Messages whose controls are still to be taken away.
        stands: What the board shows, see `Saying.stands`.
    """

    revision: int = 0
    board: str | None = None
    aside: str | None = None
    folding: tuple[Old, ...] = ()
    stands: int | None = None

    def with_board(self, ref: str, stands: int | None) -> Messages:
        """Once there is a fresh board: the old one is folded."""
        folding = _and(self.folding, self.board, self.stands)
        return replace(self, board=ref, stands=stands, folding=folding)

    def with_aside(self, ref: str) -> Messages:
        """Once there is a fresh message beside the board: the old one is folded."""
        return replace(self, aside=ref, folding=_and(self.folding, self.aside))

    def without_aside(self) -> Messages:
        """Once the message beside the board has had its time."""
        return replace(self, aside=None, folding=_and(self.folding, self.aside))

    def pack(self) -> Shown:
        """As the store keeps it."""
        folding = [[old.ref, old.stands] for old in self.folding]
        kept = [self.board, self.aside, self.stands, folding]
        return Shown(json.dumps(kept, ensure_ascii=False), self.revision)

    @classmethod
    def unpack(cls, shown: Shown | None) -> Messages:
        """From what `pack` made. Where that cannot be read, its messages are left as they are."""
        if shown is None:
            return cls()
        try:
            board, aside, *rest = json.loads(shown.message)
            if rest and isinstance(rest[-1], list):
                stands, folding = rest
                return cls(shown.revision, board, aside, tuple(Old(*old) for old in folding), stands)
        except (ValueError, TypeError):
            return cls(shown.revision)
        # As it was kept before it was known what boards show.
        return cls(shown.revision, board, aside, tuple(Old(str(ref)) for ref in rest))


def board_of(shown: Shown) -> str | None:
    """The message with the board, as its platform calls it, of what is remembered of a match at a place."""
    return Messages.unpack(shown).board


def nonce(saying: Saying, to: To) -> str:
    """The name that a new message goes out under, the same at each try.

    Platforms that compare such names do so over all of a bot's chats, so the place is part of it. With a revision
    of five digits it has 23 characters; Discord allows 25.
    """
    place = hashlib.blake2b(here(to).encode(), digest_size=2).hexdigest()
    return f"{saying.match_id}:v{saying.revision}:{_KINDS[saying.way]}:{place}"


def _and(folding: tuple[Old, ...], ref: str | None, stands: int | None = None) -> tuple[Old, ...]:
    if ref is None or any(old.ref == ref for old in folding):
        return folding
    return (*folding, Old(ref, stands))
