"""Why a move or a position is refused, and how a game ends."""

from __future__ import annotations

from rules.core import Ending, Reason


class Refusal(Reason):
    """A move is well spelled, but the rules forbid it."""

    NO_MAN = "breakthrough.illegal.no-man"  # square
    OPPONENTS_MAN = "breakthrough.illegal.opponents-man"  # square
    NOT_FORWARD = "breakthrough.illegal.not-forward"  # start, end
    TOO_FAR = "breakthrough.illegal.too-far"  # start, end
    OWN_MAN = "breakthrough.illegal.own-man"  # square
    BLOCKED = "breakthrough.illegal.blocked"  # start, end: an opponent's man straight ahead
    NOTHING_TO_CAPTURE = "breakthrough.illegal.nothing-to-capture"  # square
    IS_A_CAPTURE = "breakthrough.illegal.is-a-capture"  # start, end
    UNREACHABLE = "breakthrough.illegal.unreachable"  # square


class Setup(Reason):
    """A position that no game arrives at."""

    WRONG_BOARD = "breakthrough.position.wrong-board"  # board
    TOO_MANY_MEN = "breakthrough.position.too-many-men"  # limit
    PLAYED_ON = "breakthrough.position.played-on"  # square
    NO_MEN = "breakthrough.position.no-men"


class BEnding(Ending):
    """How a game of Breakthrough ends."""

    REACHED = "breakthrough.ending.reached"
    CAPTURED = "breakthrough.ending.captured"
    MISERE_REACHED = "breakthrough.ending.misere-reached"
    MISERE_CAPTURED = "breakthrough.ending.misere-captured"
