"""Refusals of /cup."""

from __future__ import annotations

from rules.core import Reason


class BadCup(Reason):
    """Why /cup is refused; the comment names the fields that come with it."""

    NONE_HERE = "bot.cup.refused.none-here"
    SEVERAL = "bot.cup.refused.several"  # codes
    STOP_ELSEWHERE = "bot.cup.refused.stop-elsewhere"
    BAD_MOST = "bot.cup.refused.bad-most"  # text, low, high
    BAD_CLOSES = "bot.cup.refused.bad-closes"  # text
