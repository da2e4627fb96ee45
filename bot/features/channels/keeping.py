"""Keeps how places play their matches, and plays what is decided. What people say is stored before it is answered.

Each match of a place has a note, which several processes may change; in the timeline `councils` stands when it is to be looked at:
an entry for what people have just done, and one for the end of a phase. Who looks plays by an operation that is done once.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final
from weakref import WeakValueDictionary

import msgspec

from bot.chat.registry import FORGOTTEN, Registry
from bot.chat.seen import count_seen
from bot.chat.services import Services
from bot.chat.thinking import Busy, NoAnswer
from bot.chat.thinking.jobs import job_for
from bot.features.channels.council import (
    FEW,
    MARGIN,
    NOBODY,
    QUORUM,
    RELAY,
    TURN,
    Council,
    Ends,
    Member,
    Runner,
    Turn,
    account_of,
    archived,
    decided,
    drawn,
    led,
    without,
)
from play.actions.leaving import Resign
from play.actions.playing import MakeMove
from play.errors import PlayError, Unavailable
from play.facts import Deliberated
from play.match import Match, Phase, Ply
from play.people import CHANNEL, Account, Address, Player, channel, channel_place, entering
from play.ports import Operation
from play.request import Request
from play.time.calendar import week_of
from play.time.clock import deadline, reached
from play.time.timers import silence_of
from play.time.week import rests
from rules.core import RulesError
from storage.ports import FullStore

registry: Final = Registry()

EVERY: Final = 2.0  # seconds between looks at what is due
KEPT: Final = timedelta(days=60)  # how long after a match its table is kept
LEVEL: Final = 3  # of the engine that moves where nobody proposes
PICKING: Final = timedelta(minutes=1)  # how long a place's board waits for who picks a move on it
AGAIN: Final = timedelta(seconds=10)  # until a turn that could not be played is looked at once more
REMINDED: Final = "reminded:{}"  # the timeline of whom the turns of a place call
_DUE: Final = "councils"
_MOST: Final = 20_000  # entries of the timeline
_LOOK, _PHASE = "look", "phase"
_GATHERED: Final = 10  # seconds whose votes are shown together
_ASKED: Final = timedelta(hours=1)  # how long it is known who asked for a match that is not shown yet

_log: Final = logging.getLogger(__name__)
_locks: Final[WeakValueDictionary[str, asyncio.Lock]] = WeakValueDictionary()
_decode: Final = msgspec.json.Decoder(Council).decode


def place_seats(match: Match) -> Iterable[tuple[Account, Address]]:
    """Yield the accounts and places that play a match."""
    for chair in match.chairs:
        if chair.player and (place := channel_place(chair.player.account)):
            yield chair.player.account, place


def on_turn(services: Services, match: Match, account: Account) -> bool:
    """Whether a match waits for a place."""
    if match.phase is not Phase.PLAYING:
        return False
    return services.table.position(match).to_move in match.seats_of(account)


async def asked_by(store: FullStore, place: Address, who: Player, *, relay: bool) -> None:
    """Note who asks in the name of a place: the captain of the match that comes of it."""
    said = [who.account.platform, who.account.uid, entering(who).name, relay]
    text = json.dumps(said, ensure_ascii=False)
    await store.notes.write(f"captain:{channel(place)}", text, keep=_ASKED)


@dataclass(frozen=True)
class Councils:
    """The councils of a store."""

    services: Services

    async def present(self, match: Match, account: Account) -> Council:
        """Return how a place plays a match, with the turn that it has come to."""
        council, place = await self.of(match, account), channel_place(account)
        waits = on_turn(self.services, match, account)
        since = council.turn.since if council and council.turn else None
        if place is not None and (council is None or since != (match.position_since if waits else None)):
            return await self.follow(match, account, place)
        return council or Council(match.id, NOBODY)

    async def change(
        self, match: Match, account: Account, change: Callable[[Council], Council], *, gathered: bool = False
    ) -> Council:
        """Change how a place plays a match, have it looked at soon, or with what else is `gathered`, and return it."""
        council, at = await self._change(match, account, change), self.services.now()
        if not gathered:
            await self.services.store.notes.write(_picking(match.id, account), None)
        else:
            at += timedelta(seconds=_GATHERED - at.timestamp() % _GATHERED)
        await self._due(match.id, account, _LOOK, at)
        return council

    async def hold(self, match: Match, account: Account) -> None:
        """Leave the board of a place as it is while a person picks a move on it; for a minute, if they do not go on."""
        until = self.services.now() + PICKING
        await self.services.store.notes.write(_picking(match.id, account), until.isoformat(), keep=PICKING)
        await self._due(match.id, account, _LOOK, until)

    async def _change(self, match: Match, account: Account, change: Callable[[Council], Council]) -> Council:
        # Those of one process wait for one another: many people vote in the same second.
        name, first = _name(match.id, account), Council(match.id, NOBODY)
        async with _locks.setdefault(name, asyncio.Lock()):
            return _decode(
                await self.services.store.notes.change(
                    name, lambda text: _packed(change(_decode(text) if text else first))
                )
            )

    @staticmethod
    async def note(store: FullStore, match: Match, account: Account, best: tuple[int, int, str]) -> bool:
        """Keep how often a place agreed with the engine, of how many turns, and its best one; return whether that is news."""
        name = _name(match.id, account)
        (text,) = await store.notes.read(name)
        if not text or _decode(text).best == best:
            return False
        await store.notes.change(name, lambda now: _packed(replace(_decode(now or text), best=best)))
        return True

    async def follow(self, match: Match, account: Account, place: Address) -> Council:
        """Return how a place plays a match, once what the match has come to is stored; facts may tell of it as it was before."""
        store = self.services.store
        known = await self.of(match, account) or await self._first(match, account)
        around = (await store.settings.get(place)).around or place.chat
        seen, ends = await count_seen(store, around), await self._ends(known, match)

        def synced(before: Council) -> Council:
            before = known if before.captain == NOBODY else before
            if match.revision < before.revision:
                return before
            return replace(self._synced(before, match, account, seen, ends), revision=match.revision)

        council = await self._change(match, account, synced)
        turn, at = council.turn, self.services.now()
        if match.live and (turn is None or match.paused):
            at += _while(match)
        elif turn is not None and turn.chosen is None:
            at = turn.ends(at)
        await self._due(match.id, account, _PHASE, at)
        return council

    async def of(self, match: Match, account: Account) -> Council | None:
        """Return how a place plays a match; None where that is not known yet."""
        (text,) = await self.services.store.notes.read(_name(match.id, account))
        return _decode(text) if text else None

    async def _first(self, match: Match, account: Account) -> Council:
        (text,) = await self.services.store.notes.read(f"captain:{account}")
        if not text:
            return Council(match.id, NOBODY)
        platform, uid, name, relay = json.loads(text)
        council = Council(match.id, Member("", name), relay)
        pool = (Runner(f"{platform}:{uid}", name),) if relay else ()
        return replace(council, captain=Member(council.key(Account(platform, uid)), name), pool=pool)

    async def _ends(self, council: Council, match: Match) -> Ends:
        """Return until when it is the turn of a member of a relay from now on: 12 hours in which they are awake, as far as the clock allows."""
        now, accounts = self.services.now(), [account_of(each.account) for each in council.pool]
        chosen = await self.services.store.settings.get_many(*accounts) if accounts else ()
        ends = [reached(now, RELAY, rests(week_of(each), now)) for each in chosen]
        last = self._span(match)[1] if match.clock else datetime.max.replace(tzinfo=now.tzinfo)
        return lambda number: min(last, ends[number] if number < len(ends) else now + RELAY)

    def _synced(self, council: Council, match: Match, account: Account, seen: int, ends: Ends) -> Council:
        """Return a council with the turn that the match has come to, if it is the place's; what it played is among its turns."""
        now, mine = council.turn, on_turn(self.services, match, account)
        if now is not None and (now.since != match.position_since or not mine):
            later = match.log[now.entries :]
            seats = tuple(match.seats_of(account))
            first = next((n for n, each in enumerate(later) if each.seat not in seats), len(later))
            plies = [each.text for each in later[:first] if isinstance(each, Ply)]
            council, now = led(archived(council, plies)), None
        kept = tuple(each for each in council.played if each.entries < len(match.log))  # not taken back
        council = replace(council, played=kept)
        if not mine or match.paused:
            return council
        start, until = self._span(match)
        if now is not None and now.drawn is not None:
            again = replace(now, start=start, vote=ends(now.drawn), until=ends(now.drawn))
            return council if start == now.start else replace(council, turn=again)
        if now is not None:
            paused = until - now.until if start != now.start else timedelta()
            again = replace(now, start=start, vote=now.vote + paused, until=until)
            return replace(council, turn=again)
        few = len(council.expected) if council.voters else seen
        turn = Turn(match.position_since, len(match.log), start, start + (until - start) / 2, until)
        turn = replace(turn, crowd=few > FEW, quorum=1 if seen <= QUORUM else QUORUM)
        if council.relay and council.waiting():
            number = drawn(council, turn)
            turn = replace(turn, drawn=number, vote=ends(number), until=ends(number))
            council = replace(council, began=council.began or turn.until)
        return replace(council, turn=turn)

    def _span(self, match: Match) -> tuple[datetime, datetime]:
        """Return when a place's turn began, and by when it decides: before its flag falls, and for one turn no more than a part of a bank."""
        now, times, clock = self.services.table.as_of(match), match.times, match.clock
        ends = deadline(times, now) if times else None
        if times is None or clock is None or times.since is None or ends is None:
            since = silence_of(match).since
            return since, since + TURN
        if clock.increment is not None:
            ends = min(ends, times.since + max(clock.increment, (ends - times.since) / 8))
        return times.since, ends - min(MARGIN, (ends - times.since) / 10)

    async def _due(self, match_id: str, account: Account, kind: str, at: datetime) -> None:
        text = json.dumps([match_id, account.uid, kind], ensure_ascii=False)
        await self.services.store.timelines.add(_DUE, text, at, most=_MOST)

    async def tick(self) -> None:
        """Look at all that is due."""
        now, timelines = self.services.now(), self.services.store.timelines
        for text in (due := await timelines.read(_DUE, until=now)):
            match_id, uid, _ = json.loads(text)
            try:
                await self._look(match_id, Account(CHANNEL, uid), now)
            except Unavailable:
                raise
            except (
                PlayError,
                RulesError,
            ) as refused:  # it has just changed, as a rule; the others do not wait
                _log.info("a turn of %s waits: %r", match_id, refused)
                await self._due(match_id, Account(CHANNEL, uid), _PHASE, now + AGAIN)
        if due:
            await timelines.cut(_DUE, until=now)

    async def _look(self, match_id: str, account: Account, now: datetime) -> None:
        table = self.services.table
        match, place = await table.find(match_id), channel_place(account)
        if match is None or place is None:
            return
        if not match.live:
            if now < match.changed_at + KEPT:
                await self._due(match_id, account, _PHASE, match.changed_at + KEPT)
            else:
                await self.services.store.notes.write(_name(match_id, account), None)
            return
        council = await self.present(match, account)
        if council.turn is None or match.paused:
            await self._due(match_id, account, _PHASE, now + _while(match))
            return
        ends = await self._ends(council, match)
        passed = council.turn.passed
        council = await self._change(match, account, lambda before: decided(before, now, ends))
        turn = council.turn
        if turn is None or turn.since != match.position_since:
            return
        if turn.chosen is not None:
            await self._play(match, account, council, turn)
            await self._due(match_id, account, _PHASE, now + _while(match))
            return
        await self._due(match_id, account, _PHASE, turn.ends(now))
        (picked,) = await self.services.store.notes.read(_picking(match_id, account))
        if picked and datetime.fromisoformat(picked) > now and turn.passed == passed:
            await self._due(match_id, account, _LOOK, datetime.fromisoformat(picked))
        else:
            await self.services.store.matches.announce(Deliberated(match, place, turn.passed != passed))

    async def _play(self, match: Match, account: Account, council: Council, turn: Turn) -> None:
        table, player = self.services.table, match.player(next(match.seats_of(account)))
        operation = Operation(f"council:{match.id}:{turn.since}", "turn")
        request = Request(player, self.services.now(), match.revision, operation)
        if not turn.chosen and council.idle >= 2:
            await table.act(match.id, Resign(), replace(request, seen=None), known=match)
            return
        await table.act(match.id, MakeMove(turn.chosen or await self._engine(match)), request, known=match)

    async def _engine(self, match: Match) -> str:
        """Return the turn that an engine plays where nobody proposes; without engines, or while they have no time, any."""
        course, thinker = self.services.table.course(match), self.services.thinker
        seed = int.from_bytes(hashlib.blake2b(f"{match.id} {len(match.log)}".encode()).digest()[:4])
        if thinker is not None:
            job = job_for(course.game, course.options, course.position, level=LEVEL, seconds=1.0, seed=seed)
            with suppress(Busy, NoAnswer):
                return " ".join((await thinker.turn(job, match.id)).lines[0].turn)
        after, turn = course.position, list[str]()
        while after.outcome is None and after.to_move == course.position.to_move:
            moves: Sequence[Any] = after.legal_moves()
            turn.append(course.game.notation.format(moves[seed % len(moves)]))
            after = after.play(moves[seed % len(moves)])
            if after.plies_left == after.turn_length:
                break
        return " ".join(turn)


def _while(match: Match) -> timedelta:
    """After how long a place that is not on turn is looked at: one that is gone begins its turn without a message."""
    return min(TURN, match.clock.initial / 4) if match.clock else TURN


def _picking(match_id: str, account: Account) -> str:
    return f"picking:{match_id}:{account.uid}"


def _name(match_id: str, account: Account) -> str:
    return f"council:{match_id}:{account.uid}"


def _packed(council: Council) -> str:
    return msgspec.json.encode(council).decode()


@registry.periodically("councils", EVERY)
async def _tick(services: Services, *_: object) -> None:
    await Councils(services).tick()


@FORGOTTEN
async def forget(store: FullStore, account: Account, _names: object) -> None:
    """Have no council name a person who is forgotten, and no turn call them."""

    def changed(text: str) -> str:
        council = _decode(text)
        return _packed(without(council, council.key(account), account))

    for due in await store.timelines.read(_DUE):
        match_id, uid, _ = json.loads(due)
        await store.timelines.remove(REMINDED.format(uid), str(account))
        name = _name(match_id, Account(CHANNEL, uid))
        (kept,) = await store.notes.read(name)
        if kept and changed(kept) != kept:
            await store.notes.change(name, lambda now, kept=kept: changed(now or kept))  # type: ignore[misc]
