"""A request, what an action is, and the checks that many actions begin with.

A request says who asks, when, and at which revision they saw the match. An action is a value that decides what becomes
of the match.

Two people, one of whom has blocked the other, begin no match together and ask each other nothing. A person whom the
admins of a chat keep out takes no seat in a match made there.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import ClassVar, Final, Generic, TypeAlias, TypeVar

from play.errors import BadRequest, NotAllowed, Refused, Stale, WrongPhase
from play.facts import Fact
from play.match import Cancel, Match, Phase, is_engine
from play.people import Account, Player, clean, is_forgotten
from play.ports import Chance, Operation, SettingsStore
from play.replay import Course
from play.settings import Settings
from play.time.clock import Now, Outage
from rules.core import AnyGame, Seat

CLOCKWORK: Final = Player(Account("clockwork", ""), "")  # who asks when a timer comes; sits nowhere


@dataclass(frozen=True, slots=True)
class Request:
    """What every action is asked with.

    Attributes:
        at: When; aware.
        seen: Revision of the match that they were looking at; None: they are answered as the match is now. Each action
            says what must not have changed since (`check_fresh`).
        operation: The request as its platform names it; what it did before, it does not do again.
        outages: When the bot was down; the table fills it in.
        others: Other accounts of the same person.
    """

    who: Player
    at: datetime
    seen: int | None = None
    operation: Operation | None = None
    outages: Sequence[Outage] = field(default=(), repr=False)
    others: Sequence[Account] = ()

    @property
    def account(self) -> Account:
        return self.who.account

    @property
    def now(self) -> Now:
        return Now(self.at, self.outages)


F_co = TypeVar("F_co", bound=Fact, covariant=True)

Replayer: TypeAlias = Callable[[Match], Course]
"""Gives the course of a match; raises `BadLog` where its log does not replay."""


class Action(ABC, Generic[F_co]):
    """One thing that people, timers and engines can do to a match.

    Attributes:
        by_player: Whether it is a sign of life: refused once an invitation has expired, and noted as the last thing done.
        meets: Whether it brings a player together with the others, or asks them something: see
            `check_meeting`.
    """

    __slots__ = ()

    by_player: ClassVar[bool] = True
    meets: ClassVar[bool] = False

    @abstractmethod
    def decide(self, match: Match, replay: Replayer, request: Request, /) -> tuple[F_co, Course | None]:
        """Return what happens, with the match after it; and the course of that match where the log was needed."""


class Opening(ABC, Generic[F_co]):
    """One way in which a new match comes about: a value, as an `Action` is."""

    __slots__ = ()

    @abstractmethod
    def decide(self, games: Mapping[str, AnyGame], chance: Chance, request: Request, /) -> F_co:
        """Return what happens, with a match that has no id yet."""


def game_named(games: Mapping[str, AnyGame], key: str) -> AnyGame:
    """Return the game with that key."""
    game = games.get(key)
    if game is None:
        raise BadRequest(Refused.NO_SUCH_GAME, game=clean(key, 20), known=tuple(games))
    return game


def seat_of(match: Match, account: Account, on_turn: Seat | None = None) -> Seat:
    """Return the seat of an account; of several the one `on_turn`."""
    seat = match.seat_of(account, on_turn)
    if seat is None:
        raise NotAllowed(Refused.NOT_SEATED)
    return seat


def check_open(match: Match) -> None:
    """Refuse what can be done only before the start."""
    if match.phase is Phase.PLAYING:
        raise WrongPhase(Refused.ALREADY_STARTED)
    check_live(match)


def check_playing(match: Match) -> None:
    """Refuse what can be done only between the start and the end."""
    if match.phase is Phase.OPEN:
        raise WrongPhase(Refused.NOT_STARTED)
    check_live(match)


def check_live(match: Match) -> None:
    """Refuse what cannot be done once nothing more can happen."""
    if match.phase is Phase.OVER:
        raise WrongPhase(Refused.OVER)
    check_not_called_off(match)


def check_not_called_off(match: Match) -> None:
    """Refuse an invitation that came to nothing."""
    if match.phase is Phase.CALLED_OFF:
        late = match.cancelled is Cancel.EXPIRED
        raise WrongPhase(Refused.EXPIRED if late else Refused.CALLED_OFF)


def check_in(course: Course, seat: Seat) -> None:
    """Refuse a seat that plays no more."""
    if seat not in course.live:
        raise NotAllowed(Refused.YOU_ARE_OUT)


def check_going_on(match: Match) -> None:
    """Refuse what cannot be done during a pause."""
    if match.paused:
        raise WrongPhase(Refused.PAUSED)


def check_fresh(match: Match, request: Request, since: int) -> None:
    """Refuse a request made for the match as it was before some revision.

    A move depends on `match.position_since`, an answer on `match.question_since`, a timer on the latest revision. What is
    done to the match as such, to resign it or to take a chair, depends on its phase alone and needs no such check.
    """
    if request.seen is not None and not since <= request.seen <= match.revision:
        raise Stale(match)


def playing_seat(match: Match, course: Course, request: Request) -> Seat:
    """Return the seat of the player who asks, who is still in a match under way."""
    seat = seat_of(match, request.account, course.position.to_move)
    check_playing(match)
    check_in(course, seat)
    return seat


async def check_meeting(store: SettingsStore, who: Account, match: Match, *, new: bool = False) -> None:
    """Check that a person may meet or ask the others of a match, and that none who takes a seat is excluded there."""
    others = _others(who, match.people())
    if not others:
        return
    chats = [match.addresses[0].chat] if match.addresses else []
    own, *rest = await store.get_many(who, *chats, *others)
    chat, theirs = rest[0] if chats else Settings(), rest[len(chats) :]
    if chat.around:
        chat = await store.get(chat.around)
    if (new or match.seat_of(who) is None) and listed_in(chat.excluded, {who, *own.others}):
        raise NotAllowed(Refused.YOU_EXCLUDED)
    for account, chosen in zip(others, theirs, strict=True):
        _check_pair((who, own), (account, chosen))
        if new and (out := listed_in(chat.excluded, {account, *chosen.others})):
            raise NotAllowed(Refused.EXCLUDED, name=out.name)


def listed_in(listed: Sequence[Player], accounts: Collection[Account]) -> Player | None:
    """Return the person of a list who has one of these accounts; None if there is none."""
    return next((player for player in listed if player.account in accounts), None)


async def check_blocks(store: SettingsStore, who: Account, others: Iterable[Account]) -> None:
    """Check that a person may meet or ask others."""
    if met := _others(who, others):
        own, *theirs = await store.get_many(who, *met)
        for other in zip(met, theirs, strict=True):
            _check_pair((who, own), other)


def _others(who: Account, accounts: Iterable[Account]) -> list[Account]:
    return [
        one for one in dict.fromkeys(accounts) if one != who and not (is_engine(one) or is_forgotten(one))
    ]


def _check_pair(asker: tuple[Account, Settings], other: tuple[Account, Settings]) -> None:
    (who, own), (account, chosen) = asker, other
    if blocked := listed_in(own.blocked, {account, *chosen.others}):
        raise NotAllowed(Refused.YOU_BLOCKED, name=blocked.name)
    if listed_in(chosen.blocked, {who, *own.others}):
        raise NotAllowed(Refused.BLOCKED)


async def blocked_pairs(store: SettingsStore, accounts: Sequence[Account]) -> frozenset[tuple[int, int]]:
    """Return the pairs of some accounts, by their indices, the lower one first, of whom one has blocked the other."""
    chosen = await store.get_many(*accounts)
    mine = {
        account: index
        for index, (first, own) in enumerate(zip(accounts, chosen, strict=True))
        for account in (first, *own.others)
    }
    met = [
        (index, mine[player.account])
        for index, own in enumerate(chosen)
        for player in own.blocked
        if player.account in mine
    ]
    return frozenset((min(pair), max(pair)) for pair in met if pair[0] != pair[1])
