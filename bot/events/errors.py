"""Refusals of /cup and /ladder."""

from __future__ import annotations

from rules.core import Reason


class BadCup(Reason):
    """Why /cup is refused; the comment names the fields that come with it."""

    NONE_HERE = "bot.cup.refused.none-here"
    SEVERAL = "bot.cup.refused.several"  # codes, example
    STOP_ELSEWHERE = "bot.cup.refused.stop-elsewhere"
    BAD_MOST = "bot.cup.refused.bad-most"  # text, low, high
    BAD_CLOSES = "bot.cup.refused.bad-closes"  # text
    BAD_TABLE = "bot.cup.refused.bad-table"  # count


class BadLadder(Reason):
    """Why /ladder is refused; the comment names the fields that come with it."""

    NONE_HERE = "bot.ladder.refused.none-here"
    SEVERAL = "bot.ladder.refused.several"  # codes
    STOP_ELSEWHERE = "bot.ladder.refused.stop-elsewhere"
    FOR_TWO = "bot.ladder.refused.for-two"
    NO_SUCH_PLAYER = "bot.ladder.refused.no-such-player"  # name
    NO_CHALLENGE = "bot.ladder.refused.no-challenge"
    WHICH = "bot.ladder.refused.which"
