"""What the table refuses; each class of `PlayError` says when. The rules' own refusals (rules.core.errors) pass unchanged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.core import Field, Phrase, Reason, RulesError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime, timedelta

    from play.match import Match


class Refused(Reason):
    """Why the table says no. The fields that come with each are in its comment."""

    NO_SUCH_MATCH = "match.refused.no-such-match"  # code
    NO_SUCH_GAME = "match.refused.no-such-game"  # game, known
    NOT_SEATED = "match.refused.not-seated"
    NOT_YOUR_TURN = "match.refused.not-your-turn"  # seat: whose turn it is
    BLOCKED = "match.refused.blocked"
    YOU_BLOCKED = "match.refused.you-blocked"  # name
    EXCLUDED = "match.refused.excluded"  # name
    YOU_EXCLUDED = "match.refused.you-excluded"
    NOT_INVITED = "match.refused.not-invited"
    NOT_HOST = "match.refused.not-host"  # host
    NOT_HOST_NOR_SEATED = "match.refused.not-host-nor-seated"  # host
    OWN_CHALLENGE = "match.refused.own-challenge"
    YOURSELF = "match.refused.yourself"
    ALREADY_SEATED = "match.refused.already-seated"
    FULL = "match.refused.full"
    NO_SUCH_TEAM = "match.refused.no-such-team"  # team, teams
    TEAM_FULL = "match.refused.team-full"  # team
    TOO_FEW = "match.refused.too-few"  # seated, needed
    TOO_MANY_ENGINES = "match.refused.too-many-engines"  # seats, most
    TOO_MANY_SEATS = "match.refused.too-many-seats"  # seats
    NOT_STARTED = "match.refused.not-started"
    ALREADY_STARTED = "match.refused.already-started"
    STARTED_RESIGN = "match.refused.started-resign"
    CALLED_OFF = "match.refused.called-off"
    EXPIRED = "match.refused.expired"
    OVER = "match.refused.over"
    NOT_OVER = "match.refused.not-over"
    REMATCH_BEGUN = "match.refused.rematch-begun"  # code
    YOU_ARE_OUT = "match.refused.you-are-out"
    NOTHING_TO_UNDO = "match.refused.nothing-to-undo"
    OTHERS_ACTED = "match.refused.others-acted"
    LEFT_SINCE = "match.refused.left-since"
    NO_SUCH_TURN = "match.refused.no-such-turn"  # number, last
    TURN_NOW = "match.refused.turn-now"  # number
    NOTHING_ASKED = "match.refused.nothing-asked"
    ASKED_DRAW = "match.refused.asked-draw"
    ASKED_TAKEBACK = "match.refused.asked-takeback"
    ASKED_PAUSE = "match.refused.asked-pause"
    ASKED_ALREADY = "match.refused.asked-already"
    OWN_OFFER = "match.refused.own-offer"
    NOT_WATCHING = "match.refused.not-watching"
    ALREADY_WATCHING = "match.refused.already-watching"
    TOO_MANY_PLACES = "match.refused.too-many-places"  # limit
    STALE = "match.refused.stale"
    BAD_SIDE = "match.refused.bad-side"  # side, known
    FILE_TOO_LONG = "match.refused.file-too-long"  # limit
    BAD_FILE = "match.refused.bad-file"  # line, text
    BAD_LIST = "match.refused.bad-list"  # line, column, text
    OTHER_START = "match.refused.other-start"  # line
    FILE_AHEAD = "match.refused.file-ahead"  # line
    BAD_LOG = "match.refused.bad-log"  # code, entry: the first that cannot be replayed, from 1
    UNAVAILABLE = "match.refused.unavailable"
    REUSED_OPERATION = "match.refused.reused-operation"
    BAD_CLOCK = "match.refused.bad-clock"  # text
    CLOCK_BOUNDS = "match.refused.clock-bounds"  # text, low, high: lengths of time
    CLOCK_CAP = "match.refused.clock-cap"  # cap, bank: lengths of time
    NO_CLOCK = "match.refused.no-clock"
    UNTIMED = "match.refused.untimed"  # ending: a phrase, who may end the match and when
    NOT_YET_ENDED = "match.refused.not-yet-ended"  # ending: as of UNTIMED
    NOT_YET_REMOVED = "match.refused.not-yet-removed"  # most: when a majority may remove the player on turn
    NOT_REMOVABLE = "match.refused.not-removable"
    NO_VOTE = "match.refused.no-vote"
    HAS_CLOCK = "match.refused.has-clock"
    ASKED_END = "match.refused.asked-end"
    ASKED_REMOVE = "match.refused.asked-remove"
    NO_GIFT_IN_EVENT = "match.refused.no-gift-in-event"
    NO_GIFT_TO_SELF = "match.refused.no-gift-to-self"
    NO_GIFT_TO_ENGINE = "match.refused.no-gift-to-engine"
    NO_GIFT_AHEAD = "match.refused.no-gift-ahead"  # seat: whose turn it is
    GIFT_BOUNDS = "match.refused.gift-bounds"  # most, example
    GIVEN_ALL = "match.refused.given-all"
    NOTHING_TO_CLAIM = "match.refused.nothing-to-claim"
    PAUSED = "match.refused.paused"
    NOT_PAUSED = "match.refused.not-paused"
    BAD_PLAN = "match.refused.bad-plan"  # text
    PLAN_TOO_LONG = "match.refused.plan-too-long"  # limit
    PLAN_TWICE = "match.refused.plan-twice"  # text
    PLAN_YOUR_TURN = "match.refused.plan-your-turn"
    PLAN_TOO_SHORT = "match.refused.plan-too-short"  # text: after which the turn is not where it has to be
    NO_PLAN = "match.refused.no-plan"
    NO_SUCH_SEAT = "match.refused.no-such-seat"  # number, seats
    SEAT_TAKEN = "match.refused.seat-taken"  # seat
    SEAT_OWN = "match.refused.seat-own"
    SEAT_YOURS = "match.refused.seat-yours"
    ENGINE_BY_PLAYERS = "match.refused.engine-by-players"
    NO_SEAT_LEFT = "match.refused.no-seat-left"
    SEAT_BLOCKED = "match.refused.seat-blocked"  # seat
    BAD_VACATION = "match.refused.bad-vacation"  # text
    VACATION_SPENT = "match.refused.vacation-spent"  # left, year: how much of which year is left
    VACATION_BACKWARDS = "match.refused.vacation-backwards"
    VACATION_FAR = "match.refused.vacation-far"
    VACATION_NO_DAY = "match.refused.vacation-no-day"  # text
    VACATION_OVERLAPS = "match.refused.vacation-overlaps"  # left: how long there is before the planned one
    DECIDED_START = "match.refused.decided-start"
    RATED_START = "match.refused.rated-start"
    RATED_ALONE = "match.refused.rated-alone"
    NO_ODDS = "match.refused.no-odds"
    NOT_ON_VACATION = "match.refused.not-on-vacation"
    VACATION_SAVES = "match.refused.vacation-saves"  # code
    VACATION_NOWHERE = "match.refused.vacation-nowhere"
    UNRATABLE = "match.refused.unratable"
    RATED_ENGINE = "match.refused.rated-engine"
    RATED_CHANNEL = "match.refused.rated-channel"
    RATED_SEAT = "match.refused.rated-seat"
    RATED_TURN = "match.refused.rated-turn"


class PlayError(Exception):
    """A refusal by the table. Nothing has changed when it is raised."""

    def __init__(self, reason: Reason, /, **fields: Field | Phrase | timedelta | datetime) -> None:
        super().__init__(reason, fields)
        self.reason: Reason = reason
        self.fields: Mapping[str, Field | Phrase | timedelta | datetime] = fields

    def __str__(self) -> str:
        shown = ", ".join(f"{name}={value}" for name, value in self.fields.items())
        return f"{self.reason.value}({shown})"


class NoSuchMatch(PlayError):
    """No match has that id, or it is gone."""

    def __init__(self, code: str) -> None:
        super().__init__(Refused.NO_SUCH_MATCH, code=code[:12])


class NotAllowed(PlayError):
    """Who asks may not do that."""


class WrongPhase(PlayError):
    """The match is not at the point where that can be done."""


class BadRequest(PlayError):
    """The request makes no sense: a game that does not exist, a file that cannot be read."""


class BadMoveList(BadRequest):
    """A file with a move that cannot be played; `because` is what the rules say of it, None for a wrong seat or exit."""

    def __init__(self, line: int, column: int, text: str, because: RulesError | None) -> None:
        super().__init__(Refused.BAD_LIST, line=line, column=column, text=text)
        self.because = because


class ReusedOperation(PlayError):
    """An operation's id was used for something else before."""

    def __init__(self) -> None:
        super().__init__(Refused.REUSED_OPERATION)


class Stale(PlayError):
    """The match has moved on since the person looked; `match` is how it stands now."""

    def __init__(self, match: Match) -> None:
        super().__init__(Refused.STALE)
        self.match = match


class BadLog(PlayError):
    """What is stored of a match does not replay under the rules from `entry` on. Only an operator can mend that."""

    def __init__(self, code: str, entry: int) -> None:
        super().__init__(Refused.BAD_LOG, code=code, entry=entry + 1)
        self.entry = entry


class Unavailable(PlayError):
    """The store does not answer; nothing is known to have changed."""

    def __init__(self) -> None:
        super().__init__(Refused.UNAVAILABLE)


class TakesNoWrites(Unavailable):
    """The store answers and takes no writes: its memory or its disk is full."""
