"""A stream, couriers and words for tests: they fail as often as they are told to, and remember everything."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.sending import Sender
from bot.chat.sending.composer import Chosen, Composer
from bot.chat.sending.ports import Courier, Gone, NoMessage, Pace, Recipient, RetryAfter, Transient
from bot.chat.sending.routing import Announcement, MessageKind, message_kind, parted
from bot.chat.view import Button, View
from play import facts
from play.errors import Unavailable
from play.events.event import AnyFact, subject_of
from play.facts import Fact
from play.match import Chair, Match, Phase, Result, plays_alone
from play.people import Account, Address, Player
from rules.core import Seat
from storage.ports import BoardMessage, Sent
from tests.support.memory.notes import MemorySettings
from tests.support.memory.streams import MemoryBucket, MemoryOutgoing, Outbox
from tests.support.waiting import START, moment, play

PLATFORM: Final = "toy"
ANN: Final = Player(Account(PLATFORM, "ann"), "Ann")
BOB: Final = Player(Account(PLATFORM, "bob"), "Bob")
HALL: Final = Address(PLATFORM, "hall")
YARD: Final = Address(PLATFORM, "yard")
CELLAR: Final = Address(PLATFORM, "cellar")


def match(
    code: str = "aaaaaa", revision: int = 1, *, at: Sequence[Address] = (HALL,), over: bool = False
) -> Match:
    return Match(
        id=code,
        game="notches",
        rules_version=1,
        options=(),
        chairs=(Chair(ANN), Chair(BOB)),
        host=ANN,
        lobby=False,
        addresses=tuple(at),
        opened=START,
        expires=START,
        phase=Phase.OVER if over else Phase.PLAYING,
        result=Result((), "draw") if over else None,
        revision=revision,
    )


def moved(match: Match, *, handed_on: bool = True) -> facts.Moved:
    return facts.Moved(match, Seat(0), (), handed_on, ())


class Stream:
    """What is to be told, in the store in memory; every call takes a moment, and some fail."""

    def __init__(self, luck: random.Random | None = None, trouble: float = 0.0) -> None:
        self.mail = Outbox()
        self.settings = MemorySettings()
        self.luck = luck or random.Random(0)
        self.trouble = trouble

    @property
    def entries(self) -> dict[str, Sent]:
        return self.mail.streams.waiting

    def add(self, *told: Fact) -> None:
        for fact in told:
            self.mail.post(fact)

    def reader(self) -> Reader:
        return Reader(self)

    async def stumble(self) -> None:
        await asyncio.sleep(self.luck.random() * 0.01)
        if self.luck.random() < self.trouble:
            raise Unavailable


class Reader(MemoryOutgoing):
    """One sender's hold on the stream."""

    def __init__(self, stream: Stream) -> None:
        super().__init__(stream.mail, stream.settings)
        self.stream = stream

    async def read(self, limit: int, done: Sequence[Sent] = ()) -> Sequence[Sent]:
        await self.stream.stumble()
        return await super().read(limit, done)

    async def done(self, entries: Sequence[Sent]) -> None:
        await self.stream.stumble()
        await super().done(entries)
        await self.stream.stumble()

    async def shown(self, match_id: str, address: Address) -> BoardMessage | None:
        await self.stream.stumble()
        return await super().shown(match_id, address)

    async def set_shown(self, match_id: str, address: Address, shown: BoardMessage | None) -> None:
        await self.stream.stumble()
        await super().set_shown(match_id, address, shown)
        await self.stream.stumble()

    async def dead(self, address: Address) -> datetime | None:
        await self.stream.stumble()
        return await super().dead(address)

    async def set_dead(self, address: Address, at: datetime | None) -> None:
        await self.stream.stumble()
        await super().set_dead(address, at)


@dataclass
class Shelf:
    """A message as it stands in a chat."""

    ref: str
    to: Recipient
    nonce: str
    view: View
    pings: list[Account] = field(default_factory=list)
    edits: int = 0
    retired: bool = False

    @property
    def revisions(self) -> list[int]:
        return [int(line) for line in self.view.lines]


class Chats:
    """A courier to chats in memory.

    Args:
        luck: Decides what goes wrong.
        trouble: How often a call fails, before or after it had its effect.
        slow: Seconds that a call takes, by place.
        banned: Places where nothing may be written.
    """

    platform: str = PLATFORM
    closes = True

    def __init__(
        self,
        luck: random.Random | None = None,
        trouble: float = 0.0,
        *,
        slow: dict[Recipient, float] | None = None,
        banned: Sequence[Recipient] = (),
        pace: Pace | None = None,
    ) -> None:
        self.luck = luck or random.Random(0)
        self.trouble = trouble
        self.slow = slow or {}
        self.banned = set(banned)
        self.pace = pace or Pace()
        self.messages: dict[str, Shelf] = {}
        self.events: list[tuple[float, str, Recipient, tuple[int, ...]]] = []
        self.calls: Counter[Recipient] = Counter()
        self.below: set[str] = set()  # messages with others below them
        self.silent_until: dict[Recipient | None, float] = {}

    async def post(self, to: Recipient, view: View, *, ping: Sequence[Account], nonce: str) -> str:
        await self._stumble(to)
        assert len(nonce) <= 25
        known = next((shelf for shelf in self.messages.values() if shelf.nonce == nonce), None)
        if known is None:
            known = Shelf(f"m{len(self.messages) + 1}", to, nonce, view, list(ping))
            self.messages[known.ref] = known
            self._note("post", known)
        self._stumble_after()
        return known.ref

    async def edit(self, ref: str, view: View) -> None:
        shelf = self._find(ref)
        await self._stumble(shelf.to)
        if shelf.view != view:
            shelf.view = view
            shelf.edits += 1
            self._note("edit", shelf)
        self._stumble_after()

    async def reads(self, where: Address, who: Account) -> bool:
        return True

    def buried(self, to: Recipient, ref: str) -> bool:
        return ref in self.below

    async def close(self, ref: str, view: View | None) -> None:
        shelf = self._find(ref)
        await self._stumble(shelf.to)
        shelf.view = replace(shelf.view if view is None else view, buttons=())
        shelf.retired = True
        self._stumble_after()

    def at(self, to: Recipient, code: str = "") -> list[Shelf]:
        return [s for s in self.messages.values() if s.to == to and s.nonce.startswith(code)]

    def _find(self, ref: str) -> Shelf:
        if ref not in self.messages:
            raise NoMessage
        return self.messages[ref]

    def _note(self, what: str, shelf: Shelf) -> None:
        now = asyncio.get_running_loop().time()
        self.events.append((now, what, shelf.to, tuple(shelf.revisions)))

    async def _stumble(self, to: Recipient) -> None:
        self.calls[to] += 1
        now = asyncio.get_running_loop().time()
        for bound in (to, None):
            if (left := self.silent_until.get(bound, 0) - now) > 0:  # another sender was told, and has ended
                raise RetryAfter(left, everywhere=bound is None)
        await asyncio.sleep(self.slow.get(to, 0.01))
        if to in self.banned:
            raise Gone
        chance = self.luck.random()
        if chance < self.trouble / 4:
            seconds = self.luck.uniform(1, 30)
            now = asyncio.get_running_loop().time()
            self.silent_until[to] = now + seconds
            raise RetryAfter(seconds)
        if chance < self.trouble * 0.7:
            raise Transient

    def _stumble_after(self) -> None:
        if self.luck.random() < self.trouble / 3:
            raise Transient


class Numbers(Composer):
    """Says the revision of each fact, a line each."""

    def __init__(
        self,
        *,
        broken: Sequence[int] = (),
        awaited: Sequence[int] = (),
    ) -> None:
        self.broken = set(broken)
        self.awaited = set(awaited)  # revisions after which an engine is to move

    def concerns(self, _told: Sequence[AnyFact], _to: Recipient) -> Sequence[Recipient]:
        return ()

    def wants(self, _told: Sequence[AnyFact], _to: Recipient, _chosen: Chosen) -> bool:
        return True

    def awaits_engine(self, fact: AnyFact) -> bool:
        return subject_of(fact).revision in self.awaited

    async def of_a_place(self, shown: Announcement, *_: object) -> Announcement:
        return shown

    async def compose(
        self, told: Sequence[AnyFact], to: Recipient, chosen: Chosen, also: Sequence[str] = ()
    ) -> Announcement:
        _, facts = parted(told)
        newest = facts[-1].match
        if newest.revision in self.broken:
            raise ValueError(newest.revision)
        view = View(
            lines=tuple(str(fact.match.revision) for fact in facts),
            buttons=(Button("press", CallbackData(Verb.BOARD, newest.id, newest.revision)),),
        )
        kind = max(map(message_kind, facts))
        ping = (BOB.account,) if kind >= MessageKind.IN_PLACE else ()
        open_, shows, recalls = newest.offer is not None, len(newest.log), not plays_alone(newest)
        return Announcement(newest.id, newest.revision, kind, view, ping, open_, shows, recalls=recalls)

    def closed(self, told: Sequence[AnyFact], to: Recipient, chosen: Chosen, shows: int) -> View | None:
        return None


# A sender and its drain, for tests.


def sender(stream: Stream, *couriers: Courier, composer: Numbers | None = None) -> Sender:
    return Sender(
        stream.reader(), MemoryBucket({}), composer or Numbers(), couriers, now=moment, paced=moment
    )


def delivered(stream: Stream, *couriers: Courier, composer: Numbers | None = None) -> None:
    play(sender(stream, *couriers, composer=composer).drain())


def one_by_one(
    stream: Stream, chats: Chats, *told: facts.Fact, composer: Numbers | None = None
) -> list[list[tuple[int | bool, ...]]]:
    """Deliver each fact before the next; what stood in the hall after each: the revisions, and whether it has buttons."""
    states: list[list[tuple[int | bool, ...]]] = []

    async def evening() -> None:
        one = sender(stream, chats, composer=composer)
        for fact in told:
            stream.add(fact)
            await one.drain()
            states.append([(*shelf.revisions, bool(shelf.view.buttons)) for shelf in chats.at(HALL)])

    play(evening())
    assert not stream.entries
    return states


class Post(Chats):
    """A courier that remembers, and fails as it is told to."""

    def __init__(self, platform: str = PLATFORM) -> None:
        super().__init__()
        self.platform = platform
        self.posted: list[tuple[Recipient, View, str]] = []
        self.failing: list[BaseException] = []
        self.edited: list[View] = []

    async def post(self, to: Recipient, view: View, *, ping: Sequence[Account], nonce: str) -> str:
        assert not ping
        await asyncio.sleep(0)
        if self.failing:
            raise self.failing.pop(0)
        self.posted.append((to, view, nonce))
        return "1"

    async def edit(self, ref: str, view: View) -> None:
        assert ref == "1"
        if self.failing:
            raise self.failing.pop(0)
        self.edited.append(view)
