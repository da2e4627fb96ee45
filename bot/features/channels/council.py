"""How a place plays one match: the talk and the vote about its present turn, and what came of the earlier ones.

A turn has two phases. In the first half of its time people propose turns, each of which gets a letter; in the second they vote,
one vote a person, which may be changed. Most votes decide; a tie is the captain's, else the earlier proposal's. It ends early when
no proposal can overtake the leader, or once two thirds of those who voted in the last three turns have voted. In a relay nobody
votes: each turn, or action, is one member's, drawn among those who have moved least.

People stand in it by keys, which tell nobody else who they are; a relay alone has accounts, since it calls them.
"""

from __future__ import annotations

import hashlib
import secrets
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final, TypeAlias

from bot.chat.errors import CommandError, shown
from bot.chat.presenting.lettered import LETTERS
from play.people import GONE, Account, Player, entering
from play.voting import settled
from rules.core import Reason

_CYRILLIC: Final = str.maketrans("АВБСЦДЕФГНХ", "ABBCCDEFGHH")
EACH: Final = 2  # proposals of one person for a turn
QUORUM: Final = 2  # votes, where more than two people are known at the place
FEW: Final = 6  # voters; with more, a proposal needs a seconder
LAST: Final = 3  # turns whose voters are expected to vote
TURN: Final = timedelta(days=1)  # what a turn has where no clock runs
RUNNERS: Final = 50  # members of a relay
MARGIN: Final = timedelta(minutes=1)  # so long before its flag falls a place decides, or a tenth of the turn
RELAY: Final = timedelta(hours=12)  # what a member of a relay has, in waking hours
TRIED: Final = 3  # members who let their time pass before the engine moves
VOTERS: Final = 2000  # whose votes are kept; platforms count no further


class NotNow(Reason):
    """Why something is refused to the people of a place that plays."""

    NOT_SEEN = "bot.channel.not-seen"
    WHOLE_TURN = "bot.channel.whole-turn"
    FULL = "bot.channel.full"  # most
    EACH = "bot.channel.each"  # most
    VOTING = "bot.channel.voting"
    TALKING = "bot.channel.talking"
    DECIDED = "bot.channel.decided"
    FEW_VOTES = "bot.channel.few-votes"  # quorum
    NO_LETTER = "bot.channel.no-letter"  # text, known
    NOT_SECONDED = "bot.channel.not-seconded"  # letter
    OWN = "bot.channel.own"
    CAPTAIN = "bot.channel.captain-only"  # name
    VETOED = "bot.channel.vetoed-already"
    NOT_DRAWN = "bot.channel.not-drawn"  # name
    LATER = "bot.channel.drawn-later"  # name
    RELAY = "bot.channel.is-relay"
    NOTHING = "bot.channel.nothing"
    NOT_MINE = "bot.channel.not-on-turn"
    NO_HINTS = "bot.channel.no-hints"
    NO_LETTERS = "bot.channel.no-letters"
    ALONE = "bot.channel.alone"
    OPPONENT = "bot.channel.opponent"
    NOT_RELAY = "bot.channel.not-relay"
    FULL_RELAY = "bot.channel.full-relay"  # most


class Stage(StrEnum):
    """How far a turn has come."""

    TALK = "talk"
    VOTE = "vote"
    RELAY = "relay"
    DECIDED = "decided"


class Why(StrEnum):
    """What decided a turn."""

    VOTES = "votes"
    CAPTAIN = "captain"  # a tie, by the captain's vote
    TIE = "tie"  # a tie, for the earlier proposal
    FIRST = "first"  # too few votes: the first proposal
    ONLY = "only"  # nothing else was proposed by the end of the talk
    ENGINE = "engine"  # no proposal
    RELAY = "relay"


@dataclass(frozen=True, slots=True)
class Member:
    """A person as the place knows them: a key, and the name they were seen under."""

    key: str
    name: str


NOBODY: Final = Member("", "")


@dataclass(frozen=True, slots=True)
class Proposal:
    """A turn in canonical notation, who proposed it, and the keys of those who seconded it."""

    turn: str
    by: Member
    seconds: tuple[str, ...] = ()
    vetoed: bool = False


@dataclass(frozen=True, slots=True)
class Turn:
    """The place's present turn.

    Attributes:
        since: Revision at which the position came about; another one is another turn.
        entries: How many entries the log had then.
        votes: The numbers of proposals by the keys of voters.
        crowd: Whether proposals need a seconder.
        quorum: How many votes decide.
        chosen: What is played, once that is decided; None: not yet. Empty: what the engine finds.
        drawn: In a relay, whose turn it is, as an index of the pool.
        passed: Who of the pool let their time pass.
    """

    since: int
    entries: int
    start: datetime
    vote: datetime
    until: datetime
    crowd: bool = False
    quorum: int = QUORUM
    proposals: tuple[Proposal, ...] = ()
    votes: dict[str, int] = field(default_factory=dict)
    chosen: str | None = None
    why: Why | None = None
    drawn: int | None = None
    passed: tuple[int, ...] = ()

    def stage(self, at: datetime) -> Stage:
        """How far it has come."""
        if self.chosen is not None:
            return Stage.DECIDED
        if self.drawn is not None:
            return Stage.RELAY
        return Stage.TALK if at < self.vote or not self.standing else Stage.VOTE

    def ends(self, at: datetime) -> datetime:
        """When the stage that it has come to ends."""
        return self.vote if at < self.vote else self.until

    @property
    def standing(self) -> tuple[int, ...]:
        """The proposals that can be voted for: not vetoed, and seconded where that is needed and any is."""
        left = [number for number, each in enumerate(self.proposals) if not each.vetoed]
        seconded = [number for number in left if self.proposals[number].seconds]
        return tuple(seconded if self.crowd and seconded else left)

    def counts(self) -> Counter[int]:
        """How many votes each standing proposal has."""
        standing = self.standing
        return Counter(number for number in self.votes.values() if number in standing)


@dataclass(frozen=True, slots=True)
class Played:
    """A turn that the place has played: by whom it was proposed, how it was decided, and of how many votes it had how many."""

    entries: int
    turn: str
    by: Member
    why: Why
    votes: int = 0
    of: int = 0


@dataclass(frozen=True, slots=True)
class Runner:
    """A member of a relay, and how many turns they have played."""

    account: str
    name: str
    moves: int = 0


@dataclass(frozen=True, slots=True)
class Council:
    """How a place plays one match.

    Attributes:
        match: Its code, which the keys of people depend on.
        began: When its first turn was decided, or in a relay the time of its first member ended: who was first seen at the place after
            that does not take part; None: not yet.
        veto: Whether the captain has used theirs.
        idle: Turns in a row for which nothing was proposed.
        voters: Who voted in each of the last turns.
        pool: The members of a relay; empty: the place votes.
        best: The turn that gained most by the engine, and how many of how many were its own choice, once that is known.
        revision: The latest of the match that it has come to.
        ruled: The request that the captain last ended a talk or vote with, or vetoed: platforms may deliver one twice.
    """

    match: str
    captain: Member
    relay: bool = False
    began: datetime | None = None
    veto: bool = False
    idle: int = 0
    voters: tuple[tuple[str, ...], ...] = ()
    pool: tuple[Runner, ...] = ()
    turn: Turn | None = None
    played: tuple[Played, ...] = ()
    best: tuple[int, int, str] | None = None
    revision: int = 0
    ruled: str = ""

    def key(self, account: Account) -> str:
        """Return what stands for a person."""
        return hashlib.blake2b(f"{self.match} {account}".encode(), digest_size=6).hexdigest()

    @property
    def expected(self) -> frozenset[str]:
        """Those who voted in the last turns."""
        return frozenset(key for each in self.voters for key in each)

    def runner(self) -> Runner | None:
        """Return the member of a relay whose turn it is."""
        return None if self.turn is None or self.turn.drawn is None else self.pool[self.turn.drawn]

    def waiting(self, passed: Collection[int] = ()) -> Sequence[int]:
        """The members of a relay who may be drawn: those who were not forgotten, and have not let their time pass."""
        pool = enumerate(self.pool)
        return [number for number, each in pool if number not in passed and each.account != GONE]


def propose(council: Council, who: Member, turn: str, at: datetime) -> tuple[Council, int]:
    """Return the council after a proposal, or after it was seconded, and the proposal's number."""
    now = _talking(council, at)
    known = next((n for n, each in enumerate(now.proposals) if each.turn == turn), None)
    if known is not None:
        mine = now.proposals[known].by.key == who.key and not now.proposals[known].vetoed
        return (council if mine else second(council, who, known, at)), known
    if len(now.proposals) == len(LETTERS):
        raise CommandError(NotNow.FULL, most=len(LETTERS))
    if sum(each.by.key == who.key for each in now.proposals) >= EACH:
        raise CommandError(NotNow.EACH, most=EACH)
    proposals = (*now.proposals, Proposal(turn, who))
    return replace(council, turn=replace(now, proposals=proposals)), len(now.proposals)


def second(council: Council, who: Member, number: int, at: datetime) -> Council:
    """Return the council after a person has seconded a proposal of another."""
    now = _talking(council, at)
    proposal = now.proposals[number]
    if proposal.vetoed:
        raise CommandError(NotNow.NOT_SECONDED, letter=LETTERS[number])
    if proposal.by.key == who.key:
        raise CommandError(NotNow.OWN)
    if who.key in proposal.seconds or len(proposal.seconds) >= VOTERS:
        return council
    seconded = replace(proposal, seconds=(*proposal.seconds, who.key))
    return replace(council, turn=_with(now, number, seconded))


def _with(now: Turn, number: int, proposal: Proposal) -> Turn:
    proposals = (*now.proposals[:number], proposal, *now.proposals[number + 1 :])
    return replace(now, proposals=proposals)


def vote(council: Council, who: Member, number: int, at: datetime) -> Council:
    """Return the council after a vote; a person's earlier one counts no more."""
    now = _undecided(council)
    if now.stage(at) is Stage.TALK:
        raise CommandError(NotNow.TALKING)
    if number not in now.standing:
        raise CommandError(NotNow.NOT_SECONDED, letter=LETTERS[number])
    if who.key not in now.votes and len(now.votes) >= VOTERS:
        return council
    return replace(council, turn=replace(now, votes={**now.votes, who.key: number}))


def once(request: str, rule: Callable[[Council], Council]) -> Callable[[Council], Council]:
    """Return what a captain rules by a request as a change that its repeat does not make again; empty: it is never repeated."""

    def change(council: Council) -> Council:
        repeated = request and council.ruled == request
        return council if repeated else replace(rule(council), ruled=request)

    return change


def vetoed(council: Council, who: Member, number: int, at: datetime) -> Council:
    """Return the council after the captain's veto; where no proposal is left, people propose again in half of the time left."""
    now = _undecided(council)
    check_captain(council, who)
    if council.veto:
        raise CommandError(NotNow.VETOED)
    votes = {key: choice for key, choice in now.votes.items() if choice != number}
    now = _with(replace(now, votes=votes), number, replace(now.proposals[number], vetoed=True))
    if not now.standing:
        now = replace(now, vote=at + (now.until - at) / 2)
    return replace(council, turn=now, veto=True)


def hastened(council: Council, who: Member, at: datetime) -> Council:
    """Return the council after the captain has ended the talk: what is proposed is voted on now; or a vote that has enough votes."""
    now = _undecided(council)
    check_captain(council, who)
    if not now.standing:
        raise CommandError(NotNow.NOTHING)
    if now.stage(at) is Stage.TALK:
        return replace(council, turn=replace(now, vote=at))
    if now.counts().total() < now.quorum:
        raise CommandError(NotNow.FEW_VOTES, quorum=now.quorum)
    return replace(council, turn=replace(now, until=at))


def check_captain(council: Council, who: Member) -> None:
    """Refuse what only the captain may do; where there is none, anyone may."""
    if council.captain.key and who.key != council.captain.key:
        raise CommandError(NotNow.CAPTAIN, name=council.captain.name)


def _undecided(council: Council) -> Turn:
    if council.turn is None:
        raise CommandError(NotNow.NOT_MINE)
    if council.turn.drawn is not None:
        raise CommandError(NotNow.RELAY)
    if council.turn.chosen is not None:
        raise CommandError(NotNow.DECIDED)
    return council.turn


def _talking(council: Council, at: datetime) -> Turn:
    now = _undecided(council)
    if now.stage(at) is not Stage.TALK:
        raise CommandError(NotNow.VOTING)
    return now


Ends: TypeAlias = Callable[[int], datetime]
"""Returns until when it is the turn of a member of a relay who is drawn now, by their number in the pool."""


def decided(council: Council, at: datetime, ends: Ends) -> Council:
    """Return the council with what is played, once that is settled; as it was before."""
    now = council.turn
    if now is None or now.chosen is not None:
        return council
    if now.drawn is not None:
        return _passed(council, now, at, ends)
    order = sorted(now.standing, key=lambda number: number != now.votes.get(council.captain.key))
    if at < now.until and not _early(council, now, order, at):
        return council
    if not order:
        return _chosen(council, now, "", Why.ENGINE, at)
    counts = now.counts()
    if counts.total() < now.quorum:
        why = Why.ONLY if len(order) == 1 else Why.FIRST
        return _chosen(council, now, now.proposals[min(order)].turn, why, at)
    most = max(order, key=counts.__getitem__)
    level = sum(counts[number] == counts[most] for number in order)
    tie = Why.CAPTAIN if now.votes.get(council.captain.key) == most else Why.TIE
    return _chosen(council, now, now.proposals[most].turn, Why.VOTES if level == 1 else tie, at)


def _early(council: Council, now: Turn, order: Sequence[int], at: datetime) -> bool:
    """Whether a vote is settled before its time is up, of proposals in the order in which they win a tie."""
    counts, expected = now.counts(), council.expected
    if now.stage(at) is not Stage.VOTE:
        return False
    if len(order) == 1:
        return True
    if counts.total() < now.quorum or len(expected) < now.quorum:
        return False
    missing = expected - now.votes.keys()
    waiting = len(missing) + (council.captain.key in missing)  # whose vote decides a tie, too
    return 3 * len(missing) <= len(expected) or settled([counts[n] for n in order], waiting) is not None


def _chosen(council: Council, now: Turn, turn: str, why: Why, at: datetime) -> Council:
    turn_now = replace(now, chosen=turn, why=why)
    idle = council.idle + 1 if why is Why.ENGINE else 0
    voters = (*council.voters, tuple(now.votes))[-LAST:] if now.votes else council.voters
    return replace(council, turn=turn_now, idle=idle, voters=voters, began=council.began or at)


def _passed(council: Council, now: Turn, at: datetime, ends: Ends) -> Council:
    """Return the council of a relay once the time of the member on turn has passed: the next is drawn, or the engine moves."""
    if at < now.until:
        return council
    passed = now.passed if now.drawn is None else (*now.passed, now.drawn)
    if len(passed) >= TRIED or not council.waiting(passed):
        return _chosen(council, now, "", Why.ENGINE, at)
    number = drawn(council, now, passed)
    now = replace(now, passed=passed, drawn=number, vote=ends(number), until=ends(number))
    return replace(council, turn=now)


def drawn(council: Council, now: Turn, passed: Collection[int] = ()) -> int:
    """Return who plays next in a relay: by lot among those who have moved least. The same for every process that draws."""
    left = council.waiting(passed)
    least = min(council.pool[number].moves for number in left)
    lots = [number for number in left if council.pool[number].moves == least]
    text = f"{council.match} {now.entries} {len(passed)}".encode()
    return lots[int.from_bytes(hashlib.blake2b(text, digest_size=4).digest()) % len(lots)]


def joined(council: Council, who: Player) -> Council:
    """Return the council of a relay with one more member, who has moved as often as those who have least."""
    if not council.relay:
        raise CommandError(NotNow.NOT_RELAY)
    if any(each.account == str(who.account) for each in council.pool):
        return council
    if len(council.pool) >= RUNNERS:
        raise CommandError(NotNow.FULL_RELAY, most=RUNNERS)
    least = min((council.pool[number].moves for number in council.waiting()), default=0)
    return replace(council, pool=(*council.pool, Runner(str(who.account), entering(who).name, least)))


def numbered(council: Council, typed: str) -> int:
    """Return the number of the proposal with a letter, which may be typed in Cyrillic, as it looks or sounds."""
    proposals = _undecided(council).proposals
    if not proposals:
        raise CommandError(NotNow.NOTHING)
    known = LETTERS[: len(proposals)]
    letter = typed.upper().translate(_CYRILLIC)
    if len(letter) != 1 or letter not in known:
        raise CommandError(NotNow.NO_LETTER, text=shown(typed), known=", ".join(known))
    return known.index(letter)


def archived(council: Council, played: Sequence[str]) -> Council:
    """Return the council with its turn among those that it has played; `played` are the plies that the log has after it."""
    now, runner = council.turn, council.runner()
    council = replace(council, turn=None)
    if now is None or not played:
        return council
    turn, why, by, votes = " ".join(played), now.why or Why.VOTES, NOBODY, 0
    if runner and why is not Why.ENGINE:
        by, why = Member(council.key(account_of(runner.account)), runner.name), Why.RELAY
        pool = tuple(replace(each, moves=each.moves + (each == runner)) for each in council.pool)
        council = replace(council, pool=pool, idle=0)
    for number, each in enumerate(now.proposals):
        if each.turn == turn:
            by, votes = each.by, now.counts()[number]
    done = Played(now.entries, turn, by, why, votes, len(now.votes))
    return replace(council, played=(*council.played, done))


def led(council: Council) -> Council:
    """Return the council with another captain where theirs has not voted in the last turns: who has proposed most of what was played."""
    played = {each.by.key: each.by for each in council.played if each.by.key in council.expected}
    if len(council.voters) < LAST or council.captain.key in council.expected or not played:
        return council
    counts = Counter(each.by.key for each in council.played if each.by.key in played)
    return replace(council, captain=played[counts.most_common(1)[0][0]])


def without(council: Council, gone: str, account: Account) -> Council:
    """Return the council without the name, the account and the key of a person. What they voted counts on, for another key."""
    anyone = secrets.token_hex(6)

    def nameless(member: Member) -> Member:
        return Member("", "—") if member.key == gone else member

    def keys(known: Iterable[str]) -> tuple[str, ...]:
        return tuple(anyone if key == gone else key for key in known)

    now = council.turn
    if now is not None:
        nameless_now = [
            replace(each, by=nameless(each.by), seconds=keys(each.seconds)) for each in now.proposals
        ]
        votes = dict(zip(keys(now.votes), now.votes.values(), strict=True))
        now = replace(now, proposals=tuple(nameless_now), votes=votes)
    gone_runner = Runner(GONE, "—")
    return replace(
        council,
        captain=nameless(council.captain),
        voters=tuple(map(keys, council.voters)),
        pool=tuple(gone_runner if each.account == str(account) else each for each in council.pool),
        turn=now,
        played=tuple(replace(each, by=nameless(each.by)) for each in council.played),
    )


def account_of(text: str) -> Account:
    """Return the account that a text stands for."""
    platform, _, uid = text.partition(":")
    return Account(platform, uid)
