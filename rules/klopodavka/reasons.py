"""Why Klopodavka refuses something, and how it ends."""

from __future__ import annotations

from rules.core import Ending, Reason


class Setup(Reason):
    """A combination of options that cannot be played."""

    BOARD_TOO_SMALL = "klopodavka.setup.board-too-small"  # board, players, cells, least
    TEAMS_FIX_PLAYERS = "klopodavka.setup.teams-fix-players"  # teams, players, needed
    HQ_ACTIONS = "klopodavka.setup.hq-actions"  # actions, low, high
    HQ_NO_ROOM = "klopodavka.setup.hq-no-room"  # board, players
    HQ_NAMES_NO_BASES = "klopodavka.setup.hq-names-no-bases"
    HQ_IS_IMMUNE = "klopodavka.setup.hq-is-immune"
    HQ_IS_LINKED = "klopodavka.setup.hq-is-linked"
    FENCE_NEEDS_HQ = "klopodavka.setup.fence-needs-hq"
    FENCE_NEEDS_TWO_SIDES = "klopodavka.setup.fence-needs-two-sides"
    BASES_COUNT = "klopodavka.setup.bases-count"  # count, players
    BASE_OFF_THE_BOARD = "klopodavka.setup.base-off-the-board"  # square, board
    BASE_TWICE = "klopodavka.setup.base-twice"  # square
    BASE_SHUT_IN = "klopodavka.setup.base-shut-in"  # square
    BASES_OR_INSET = "klopodavka.setup.bases-or-inset"
    INSET_TOO_LARGE = "klopodavka.setup.inset-too-large"  # inset, board
    INSET_ON_TORUS = "klopodavka.setup.inset-on-torus"


class Illegal(Reason):
    """An action, or a turn of several, that the rules forbid in this position."""

    UNREACHABLE = "klopodavka.illegal.unreachable"  # square
    UNLINKED_WALL = "klopodavka.illegal.unlinked-wall"  # square
    UNLINKED_BASE = "klopodavka.illegal.unlinked-base"  # square
    UNLINKED_HQ = "klopodavka.illegal.unlinked-hq"  # square
    OWN_BUG = "klopodavka.illegal.own-bug"  # square
    ALLY_BUG = "klopodavka.illegal.ally-bug"  # square, seat
    OWN_WALL = "klopodavka.illegal.own-wall"  # square
    ALLY_WALL = "klopodavka.illegal.ally-wall"  # square, seat
    ENEMY_WALL = "klopodavka.illegal.enemy-wall"  # square, seat
    IMMUNE_BASE = "klopodavka.illegal.immune-base"  # square, seat
    HEADQUARTERS = "klopodavka.illegal.headquarters"  # square, seat
    NOTHING_TO_CRUSH = "klopodavka.illegal.nothing-to-crush"  # square
    ENEMY_BUG = "klopodavka.illegal.enemy-bug"  # square, seat
    REPEATED = "klopodavka.illegal.repeated"  # square
    TOO_MANY = "klopodavka.illegal.too-many"  # square, given, count (how many are left)
    TURN_OVER = "klopodavka.illegal.turn-over"  # square
    OVER_BEFORE = "klopodavka.illegal.over-before"  # square


class Misplaced(Reason):
    """A position's text that is well formed, but that no game comes to."""

    ROWS = "klopodavka.position.rows"  # board
    NO_SUCH_SEAT = "klopodavka.position.no-such-seat"  # seat, players
    LEFT = "klopodavka.position.left"  # count, limit
    HOME_MISSING = "klopodavka.position.home-missing"  # square, seat
    UNSETTLED = "klopodavka.position.unsettled"


class Finish(Ending):
    """How a game of Klopodavka ended."""

    LAST_LEFT = "klopodavka.ending.last-left"  # all others are out
    LAST_TO_ACT = "klopodavka.ending.last-to-act"  # no seat can act
    MOST_BASES = "klopodavka.ending.most-bases"
    EQUAL_BASES = "klopodavka.ending.equal-bases"
    FENCE = "klopodavka.ending.fence"
