"""Refusals of /cup, /ladder and /league."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from play.events.event import Form
from rules.core import Reason


class BadEvent(Reason):
    """Why a command of any form is refused; the comment names the fields that come with it."""

    SEVERAL = "bot.event.refused.several"  # codes, example
    STOP_ELSEWHERE = "bot.event.refused.stop-elsewhere"
    ADMIN_ELSEWHERE = "bot.event.refused.admin-elsewhere"
    FOR_TWO = "bot.event.refused.for-two"


class BadCup(Reason):
    """Why /cup is refused; the comment names the fields that come with it."""

    NONE_HERE = "bot.cup.refused.none-here"
    BAD_MOST = "bot.cup.refused.bad-most"  # text, low, high
    BAD_CLOSES = "bot.cup.refused.bad-closes"  # text
    BAD_TABLE = "bot.cup.refused.bad-table"  # count


class BadLeague(Reason):
    """Why /league is refused."""

    NONE_HERE = "bot.league.refused.none-here"


class BadLadder(Reason):
    """Why /ladder is refused; the comment names the fields that come with it."""

    NONE_HERE = "bot.ladder.refused.none-here"
    NO_SUCH_PLAYER = "bot.ladder.refused.no-such-player"  # name
    NO_CHALLENGE = "bot.ladder.refused.no-challenge"
    WHICH = "bot.ladder.refused.which"


NONE_HERE: Final[Mapping[Form, Reason]] = {
    Form.CUP: BadCup.NONE_HERE,
    Form.LADDER: BadLadder.NONE_HERE,
    Form.LEAGUE: BadLeague.NONE_HERE,
}
"""Why a command that names no event is refused where there is none."""
