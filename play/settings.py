"""What a person, or a place, has chosen once for all matches."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, time, timedelta
from enum import StrEnum
from typing import Final

from play.match import Talk
from play.people import Account, Address, Player
from play.time.week import Week

MOST_MATCHES: Final = 1000  # the largest number of matches that a place can be limited to


class OldBoards(StrEnum):
    """What becomes of a board in a chat once there is a newer one."""

    KEEP = "keep"
    SHRINK = "shrink"  # its picture becomes small
    DELETE = "delete"  # as far as the platform allows that


@dataclass(frozen=True, slots=True)
class QuietHours:
    """When a person does not want to be reminded: from `start` to `end` (past midnight if earlier), in a time zone."""

    start: time
    end: time
    zone: str


@dataclass(frozen=True, slots=True)
class DailyPuzzle:
    """When a place is given the puzzle of the day, in a time zone."""

    at: time
    zone: str


@dataclass(frozen=True, slots=True)
class PlannedVacation:
    """A vacation that begins later.

    Attributes:
        year: Whose days it takes: the year in which it begins where the person lives.
        zone: The time zone in which its days were named.
    """

    since: datetime
    until: datetime
    year: int
    zone: str = "UTC"


@dataclass(frozen=True, slots=True)
class Vacation:
    """A person's vacation: the days taken this year, and until when the present one lasts.

    Attributes:
        automatic: Whether it is a day that was taken by itself, to save a match.
        plan: The next one; once it begins it is the present one, see `as_of`.
    """

    year: int
    spent: timedelta = timedelta()
    since: datetime | None = None
    until: datetime | None = None
    automatic: bool = False
    plan: PlannedVacation | None = None


def as_of(vacation: Vacation | None, at: datetime) -> Vacation | None:
    """Return a person's vacation at a moment: a planned one that has begun is the present one."""
    if vacation is None or vacation.plan is None or at < vacation.plan.since:
        return vacation
    plan = vacation.plan
    spent = vacation.spent if vacation.year == plan.year else timedelta()
    return Vacation(plan.year, spent + (plan.until - plan.since), plan.since, plan.until)


def on_vacation(vacation: Vacation | None, at: datetime) -> tuple[datetime, datetime] | None:
    """Return from when until when a person is on vacation at a moment; None: they are not."""
    vacation = as_of(vacation, at)
    if vacation and vacation.since and vacation.until and vacation.since <= at < vacation.until:
        return vacation.since, vacation.until
    return None


@dataclass(frozen=True, slots=True)
class Settings:
    """What was chosen; None and the defaults below stand for what was not.

    Attributes:
        language: `uk`, `ru` or `en`.
        reminders: At which percentages of a turn's time left a reminder comes; empty: never.
        zone: The time zone of the person, by name; None: none was named, or only one for quiet hours.
        quiet: When none comes; of a place: when no player is called there.
        heads_up: Whether to be told "you are next" while the player before is thinking.
        vacation: Days off; only a person's.
        active: When the person last did something; only a person's.
        theme: In which colours boards are painted.
        flip: Whether the person sees boards from their own side; only a person's.
        confirm: Whether a move that the person has picked step by step is played by a press of its own; only a person's.
        hints: Whether hints may be asked for: in the matches of a place, or by a person who wants none for themselves.
        profile: Whether others may see the person's profile, and the person in lists of the best.
        warnings: Whether moves that lose at once are asked back in unrated matches of games in which the person is a
            beginner; only a person's.
        warned: Whether they are in games in which the person is none, too.
        games: Which games may be begun; empty: all; only a place's.
        most: How many matches there may be at once; 0: any number; only a place's.
        page: Whether its matches may be seen on the board page; only a place's.
        threads: Whether each match has a thread of its own, where the platform has such; only a place's.
        old_boards: What becomes of boards that have newer ones below them; only a place's.
        each_board: Whether each move is a message of its own, with those who play looking, too; only a place's.
        ends: Whether its admins may end a match; only a place's.
        puzzle: When the puzzle of the day comes; None: it does not; only a place's.
        person: The person's first account, where they have several; of a conversation with the bot, whose it is.
        others: Of the first account: the person's other ones.
        blocked: The people with whom the person wants no new matches and no questions, as they were called then.
        muted: The matches, by code, in which the person is not called or reminded.
        excluded: The people whom its admins keep out, as they were called then; only a chat's.
        around: The chat that a place is a part of, where its address does not tell: of a thread on Discord, its channel.
        passed: Of another account: the matches that it passed to the first one.
        coached: The games in which a coach speaks in the person's unrated matches against the computer, to the end of the next one.
        left: Of the first account: the places that the person does not read any more.
        name: What the platform called the account when it was seen last.
        week: When the person is awake, for clocks that rest; None: at the usual hours in their zone; only a person's.
        week_since: When the person chose it, or another zone, last.
        talk: Whether the seats of the matches that are made there may write to each other; only a place's.
        digest: Whether its week is posted there on Mondays; only a place's.
        story: Whether the story of each match is told there once it is over; only a place's.
    """

    language: str | None = None
    reminders: tuple[int, ...] = (50, 10)
    quiet: QuietHours | None = None
    heads_up: bool = False
    vacation: Vacation | None = None
    active: datetime | None = None
    theme: str | None = None
    flip: bool = False
    confirm: bool = True
    hints: bool = True
    warnings: bool = True
    profile: bool = True
    games: tuple[str, ...] = ()
    most: int = 0
    page: bool = True
    threads: bool = False
    ends: bool = False
    old_boards: OldBoards = OldBoards.KEEP
    each_board: bool = False
    puzzle: DailyPuzzle | None = None
    person: Account | None = None
    others: tuple[Account, ...] = ()
    passed: tuple[str, ...] = ()
    blocked: tuple[Player, ...] = ()
    muted: tuple[str, ...] = ()
    excluded: tuple[Player, ...] = ()
    zone: str | None = None
    around: Address | None = None
    name: str | None = None
    left: tuple[Address, ...] = ()
    warned: bool = False
    coached: tuple[str, ...] = ()
    week: Week | None = None
    week_since: datetime | None = None
    talk: Talk = Talk.OPEN
    digest: bool = False
    story: bool = False

    @property
    def own_zone(self) -> str | None:
        return self.zone or (self.quiet.zone if self.quiet else None)

    @property
    def place_zone(self) -> str:
        """The time zone of a place: that of its daily puzzle or of its quiet hours; else UTC."""
        return self.puzzle.zone if self.puzzle else self.quiet.zone if self.quiet else "UTC"
