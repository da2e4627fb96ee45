"""The store that forgets: everything in this process. It passes the same contract tests as the real one."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final, NamedTuple

from play.errors import NoSuchMatch, Refused, ReusedOperation, Stale
from play.ports import Due, Loaded, Timer
from play.settings import Settings
from storage.codec import encode
from storage.facts import encode_fact
from storage.keys import check_operation, check_timer, match_key
from storage.listing import OVER_KEPT, concerns
from storage.memory_outgoing import Mail, MemoryBucket, MemoryOutgoing
from storage.upkeep import NOTE_KEPT, merged

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Collection, Sequence

    from play.clock import Outage
    from play.facts import Fact
    from play.match import Match
    from play.people import Account, Address
    from play.ports import Operation
    from play.ratings import Change, Rating

OPERATION_KEPT: Final = timedelta(days=7)
"""How long the result of an operation is kept."""


class _Done(NamedTuple):
    payload: str
    fact: Fact
    until: datetime


class MemoryStore:
    """A `play.ports.Store` in memory, for tests and trials.

    Args:
        clock: What time it is, aware; by default the computer's.
    """

    def __init__(self, clock: Callable[[], datetime] | None = None) -> None:
        self._clock = clock or (lambda: datetime.now(UTC))
        # A changed match moves to the end, so the order is that of changes.
        self._matches: dict[str, Match] = {}
        self._done: dict[tuple[str, str], _Done] = {}
        self._timers: dict[
            str, dict[Timer, datetime]
        ] = {}  # of each match: until when each is lent, or its time
        self._settings: dict[Account | Address, Settings] = {}
        self._mail = Mail()
        self._spent: dict[str, datetime] = {}
        self._outages: set[Outage] = set()
        self._beat: datetime | None = None
        self._bound: dict[str, tuple[str, str, datetime]] = {}  # by operation: payload, match, until when
        self._notes: dict[str, tuple[str, datetime]] = {}  # text, until when
        self._shelves: dict[str, dict[str, datetime]] = {}  # by name: text, its moment
        self._ratings: dict[tuple[str, Account], Rating] = {}  # by game and person
        self._counted: dict[tuple[str, str], Sequence[Change | None]] = {}  # by game and match

    async def load(self, match_id: str, operation: Operation | None = None) -> Loaded:
        """See `Store.load`."""
        try:
            match = self._matches[match_id]
        except KeyError:
            raise NoSuchMatch(Refused.NO_SUCH_MATCH, code=match_id) from None
        return Loaded(match, self._fact_of(match, operation))

    async def commit(
        self,
        fact: Fact,
        expected: int,
        *,
        operation: Operation | None = None,
        timers: Sequence[Timer] = (),
        announce: bool = True,
    ) -> Fact:
        """See `Store.commit`.

        Raises:
            NoSuchMatch: a revision is expected, and nothing at all is stored.
            ValueError: the match could not be stored for good as it is.
        """
        match = replace(fact.match, revision=expected + 1)
        committed = replace(fact, match=match)
        match_key(match.id)
        encode(match)  # only to refuse here whatever the real store refuses
        for timer in timers:
            check_timer(timer)
        stored = self._matches.get(match.id)
        if stored is not None:
            done = self._fact_of(stored, operation)
            if done is not None:
                return done
        if stored is None and expected:
            raise NoSuchMatch(Refused.NO_SUCH_MATCH, code=match.id)
        if stored is not None and stored.revision != expected:
            raise Stale(stored)
        self._matches.pop(match.id, None)
        self._matches[match.id] = match
        self._timers[match.id] = {timer: timer.at for timer in timers}
        if operation is not None:
            until = self._clock() + OPERATION_KEPT
            self._done[match.id, check_operation(operation).id] = _Done(operation.payload, committed, until)
        if announce:
            self._mail.post(committed)
        return committed

    def _fact_of(self, match: Match, operation: Operation | None) -> Fact | None:
        """What an operation did, with its match as it is now; None if it has not been done."""
        if operation is None:
            return None
        done = self._done.get((match.id, check_operation(operation).id))
        if done is None or done.until <= self._clock():
            return None
        if done.payload != operation.payload:
            raise ReusedOperation
        return replace(done.fact, match=match)

    def outgoing(self) -> MemoryOutgoing:
        """See `FullStore.outgoing`."""
        return MemoryOutgoing(self._mail)

    def bucket(self) -> MemoryBucket:
        """See `FullStore.bucket`."""
        return MemoryBucket(self._spent)

    async def at(self, address: Address, *, over: bool = True) -> Sequence[Match]:
        """See `Store.at`."""
        return [match for match in self._latest(address) if over or match.live]

    async def of(self, account: Account) -> Sequence[Match]:
        """See `Store.of`."""
        return self._latest(account)

    async def settings(self, whose: Account | Address) -> Settings:
        """See `Store.settings`."""
        return self._settings.get(whose, Settings())

    async def settings_of(self, *whose: Account | Address) -> Sequence[Settings]:
        """See `Store.settings_of`."""
        return [await self.settings(one) for one in whose]

    async def set_settings(self, whose: Account | Address, settings: Settings) -> None:
        """See `Store.set_settings`."""
        self._settings[whose] = settings

    async def change_settings(
        self, whose: Account | Address, change: Callable[[Settings], Settings]
    ) -> Settings:
        """See `Store.change_settings`."""
        self._settings[whose] = changed = change(self._settings.get(whose, Settings()))
        return changed

    async def ratings(self, game: str, *whose: Account) -> Sequence[Rating | None]:
        """See `Store.ratings`."""
        return [self._ratings.get((game, person)) for person in whose]

    async def counted(self, game: str, match_id: str) -> Sequence[Change | None] | None:
        """See `Store.counted`."""
        return self._counted.get((game, match_id))

    async def count(
        self,
        game: str,
        match_id: str,
        whose: Sequence[Account | None],
        change: Callable[[Sequence[Rating | None]], Sequence[Change]],
    ) -> Sequence[Change | None]:
        """See `Store.count`."""
        if (done := self._counted.get((game, match_id))) is not None:
            return done
        changed = change([self._ratings.get((game, person)) if person else None for person in whose])
        for person, one in zip(whose, changed, strict=True):
            if person is not None:
                self._ratings[game, person] = one.after
        kept = [one if person else None for person, one in zip(whose, changed, strict=True)]
        self._counted[game, match_id] = kept
        return kept

    async def merge_ratings(self, old: Account, new: Account) -> None:
        """See `Store.merge_ratings`."""
        for game, person in list(self._ratings):
            if person == old:
                theirs, own = self._ratings.pop((game, old)), self._ratings.get((game, new))
                if own is None or theirs.played > own.played:
                    self._ratings[game, new] = theirs

    async def now(self) -> datetime:
        """See `Store.now`."""
        return self._clock().astimezone(UTC)

    async def due(self, at: datetime, lease: datetime, limit: int) -> Sequence[Due]:
        """See `Store.due`."""
        found = [
            (timer.at, match_id, timer)
            for match_id, timers in self._timers.items()
            for timer, when in timers.items()
            if when <= at
        ]
        found.sort(key=lambda each: (each[0], each[1], each[2].name))
        for _, match_id, timer in found[:limit]:
            self._timers[match_id][timer] = lease
        return tuple([Due(match_id, timer, lease) for _, match_id, timer in found[:limit]])

    async def settle(self, due: Due) -> None:
        """See `Store.settle`."""
        timers = self._timers[due.match_id]
        if timers.get(due.timer) == due.lease:
            del timers[due.timer]

    async def beat(self, at: datetime) -> None:
        """See `Upkeep.beat`."""
        self._beat = at if self._beat is None else max(at, self._beat)

    async def last_beat(self) -> datetime | None:
        """See `Upkeep.last_beat`."""
        return self._beat

    async def add_outage(self, outage: Outage) -> None:
        """See `Upkeep.add_outage`."""
        self._outages.add(outage)

    async def outages(self, since: datetime) -> Sequence[Outage]:
        """See `Upkeep.outages`."""
        return [outage for outage in merged(self._outages) if outage.end > since]

    async def bind(self, operation: Operation, match_id: str) -> str:
        """See `Upkeep.bind`."""
        name, now = check_operation(operation).id, self._clock()
        bound = self._bound.get(name)
        if bound is None or bound[2] <= now:
            bound = self._bound[name] = (operation.payload, match_id, now + OPERATION_KEPT)
        if bound[0] != operation.payload:
            raise ReusedOperation
        return bound[1]

    async def match_ids(self) -> AsyncIterator[str]:
        """See `Upkeep.match_ids`."""
        for match_id in list(self._matches):
            yield match_id

    async def forget(self, account: Account, name: str, matches: Collection[str]) -> None:
        """See `Upkeep.forget`."""
        self._settings.pop(account, None)
        self._ratings = {whose: held for whose, held in self._ratings.items() if whose[1] != account}
        for key, done in list(self._done.items()):
            said = encode_fact(done.fact)
            if key[0] in matches and (name.encode() in said or account.uid.encode() in said):
                del self._done[key]
        for key, done in self._done.items():  # the match of a result is read anew each time
            if key[0] in matches:
                self._done[key] = done._replace(fact=replace(done.fact, match=self._matches[key[0]]))

    async def notes(self, *names: str) -> Sequence[str | None]:
        """See `Upkeep.notes`."""
        now = self._clock()
        found = [self._notes.get(name) for name in names]
        return [note[0] if note and note[1] > now else None for note in found]

    async def set_note(self, name: str, text: str | None, *, keep: timedelta = NOTE_KEPT) -> None:
        """See `Upkeep.set_note`."""
        self._notes.pop(name, None)
        if text is not None:
            self._notes[name] = (text, self._clock() + keep)

    async def note_once(self, name: str, text: str, *, keep: timedelta = NOTE_KEPT) -> bool:
        """See `Upkeep.note_once`."""
        if (await self.notes(name))[0] is not None:
            return False
        await self.set_note(name, text, keep=keep)
        return True

    async def take_note(self, name: str) -> str | None:
        """See `Upkeep.take_note`."""
        (text,) = await self.notes(name)
        self._notes.pop(name, None)
        return text

    async def shelve(self, name: str, text: str, at: datetime, *, most: int | None = None) -> None:
        """See `Upkeep.shelve`."""
        standing = self._shelves.setdefault(name, {})
        standing[text] = at
        for early in _in_order(standing)[: 0 if most is None else max(0, len(standing) - most)]:
            del standing[early]

    async def shelf(self, name: str, *, until: datetime | None = None) -> Sequence[str]:
        """See `Upkeep.shelf`."""
        standing = self._shelves.get(name, {})
        return [text for text in _in_order(standing) if until is None or standing[text] <= until]

    async def unshelve(self, name: str, text: str) -> None:
        """See `Upkeep.unshelve`."""
        self._shelves.get(name, {}).pop(text, None)

    def _latest(self, whose: Account | Address) -> Sequence[Match]:
        found = []
        over = 0
        for match in reversed(self._matches.values()):
            if concerns(match, whose):
                over += not match.live
                if match.live or over <= OVER_KEPT:
                    found.append(match)
        return tuple(found)


def _in_order(standing: dict[str, datetime]) -> list[str]:
    """The texts of a shelf, as Redis orders them: by moment, and of one moment by their bytes."""
    return sorted(standing, key=lambda text: (standing[text], text.encode()))
