"""Per-recipient delivery queue: ordered, coalesced per match."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from bot.sender.ports import Recipient
from bot.sender.routing import is_final
from play.events.facts import AnyFact, Changed
from play.facts import LobbyOpened
from play.match import Phase
from play.people import Account, Player
from storage.outgoing import Known

MOST_PASSING: Final = 4  # boards that go before a card that waits longer
MOST_RETIRING: Final = 4  # matches whose older messages wait to be retired while new ones are shown


@dataclass(slots=True)
class Bundle:
    """Facts of one match, or of one event, that are delivered together.

    Attributes:
        facts: In the order of their revisions.
        entries: Where in the stream they came from.
        also: Older lobbies of the same host that were opened meanwhile: the one card names them all.
        known: What the delivery left behind, as long as it is the last one there.
        pinged: Whom its message called.
    """

    match_id: str
    facts: list[AnyFact]
    entries: list[str]
    also: list[str] = field(default_factory=list)
    known: Known | None = None
    pinged: tuple[Account, ...] = ()

    def add(self, newer: Bundle) -> None:
        """Append what is delivered together with it."""
        self.facts += newer.facts
        self.entries += newer.entries
        self.also += newer.also

    @property
    def final(self) -> bool:
        """Whether it holds the end of its match."""
        return any(map(is_final, self.facts))

    @property
    def card(self) -> bool:
        """Whether it makes the card of an invitation or an event, for which no player on turn waits."""
        newest = self.facts[-1]
        return isinstance(newest, Changed) or newest.match.phase is Phase.OPEN

    @property
    def lobby(self) -> Player | None:
        """The host of a lobby that was opened and nothing more; None for all else."""
        opened = [fact for fact in self.facts if isinstance(fact, LobbyOpened)]
        return opened[-1].match.host if len(opened) == len(self.facts) else None


class DeliveryQueue:
    """The bundles for one recipient, delivered by one task, so that a slow chat delays no other."""

    def __init__(self, to: Recipient) -> None:
        self.to = to
        self.task: asyncio.Task[None] | None = None
        self._waiting: deque[Bundle] = deque()
        self._passed = 0  # boards that went before the first card
        self._delivered: dict[str, Bundle] = {}  # whose older messages are still to be retired

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, bundle: Bundle) -> None:
        """Add a bundle at the end.

        What waits of the same match goes out with it, and the older board never does; but the end of a match is not
        replaced by anything. Of several new lobbies of one host the newest is shown, and names the others.
        """
        for waiting in self._waiting:
            if bundle.match_id in waiting.also:
                waiting.also.remove(bundle.match_id)  # it is shown again, for more has happened
        before = self._of(bundle.match_id)
        if before is not None and not before.final:
            self._waiting.remove(before)
            _merge(before, bundle)
        older = self._lobby_of(bundle.lobby) if bundle.lobby else None
        if older is None:
            self._waiting.append(bundle)
            return
        bundle.entries[:0] = older.entries
        bundle.also[:0] = (*older.also, older.match_id)
        self._waiting[self._waiting.index(older)] = bundle

    def take(self) -> Bundle | None:
        """Remove and return the next bundle, boards before cards; None if none waits, or retiring is overdue."""
        if not self._waiting or len(self._delivered) > MOST_RETIRING:
            return None
        for earlier in self._delivered.values():
            earlier.known = None
        board = next((bundle for bundle in self._waiting if not bundle.card), None)
        if board is None or board is self._waiting[0] or self._passed >= MOST_PASSING:
            self._passed = 0
            return self._waiting.popleft()
        self._passed += 1
        self._waiting.remove(board)
        return board

    def retire_later(self, bundle: Bundle) -> None:
        """Keep a delivered bundle until nothing newer waits: its older messages are folded then."""
        before = self._delivered.pop(bundle.match_id, None)
        if before is not None:
            _merge(before, bundle)
        self._delivered[bundle.match_id] = bundle

    def take_delivered(self) -> Bundle | None:
        """Remove and return the first bundle whose older messages are still to be retired; None if there is none."""
        first = next(iter(self._delivered), None)
        return None if first is None else self._delivered.pop(first)

    def replaced(self, bundle: Bundle) -> bool:
        """Merge a bundle that did not get through into a newer one of its match, if one waits; whether one did."""
        if bundle.final:
            return False
        newer = self._of(bundle.match_id, last=False)
        if newer is None:
            return False
        _merge(bundle, newer)
        return True

    def _lobby_of(self, host: Player) -> Bundle | None:
        hosted = (bundle for bundle in self._waiting if bundle.lobby)
        return next(
            (bundle for bundle in hosted if bundle.lobby and bundle.lobby.account == host.account), None
        )

    def _of(self, match_id: str, *, last: bool = True) -> Bundle | None:
        waiting: Iterator[Bundle] = reversed(self._waiting) if last else iter(self._waiting)
        return next((bundle for bundle in waiting if bundle.match_id == match_id), None)


def _merge(before: Bundle, after: Bundle) -> None:
    after.facts[:0] = before.facts
    after.entries[:0] = before.entries
    after.also[:0] = before.also
