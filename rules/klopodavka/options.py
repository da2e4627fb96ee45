"""What can be chosen before a game of Klopodavka, why something is refused, and how it ends."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, Final

from rules.core import (
    SEATS,
    BadOption,
    Ending,
    Grid,
    Number,
    OneOf,
    Reason,
    Schema,
    Seat,
    Size,
    Square,
    Squares,
)
from rules.core.options import AUTO
from rules.klopodavka.layout import BoardShape, Topology, arranged, closest, deep_enough, recommended


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
    LONE_WALL = "klopodavka.position.lone-wall"  # squares


class Finish(Ending):
    """How a game of Klopodavka ended."""

    LAST_LEFT = "klopodavka.ending.last-left"  # all others are out
    LAST_TO_ACT = "klopodavka.ending.last-to-act"  # no seat can act
    MOST_BASES = "klopodavka.ending.most-bases"
    EQUAL_BASES = "klopodavka.ending.equal-bases"
    FENCE = "klopodavka.ending.fence"


class Variant(StrEnum):
    """What the game is about."""

    STANDARD = "standard"  # the last left wins
    BASES = "bases"  # when a player cannot act, the one with more bases wins
    HQ = "hq"  # headquarters of six bugs, and only what is linked to them gives reach


class Base(StrEnum):
    """Whether base bugs can be crushed."""

    CRUSHABLE = "crushable"
    IMMUNE = "immune"


class Reach(StrEnum):
    """What must hold a chain together."""

    LIVE = "live"  # any own live bug
    BASE = "base"  # the bug on the own base cell


class Fence(StrEnum):
    """Whether shutting the enemy off from the own headquarters ends the game."""

    WIN = "win"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class Options:
    """A kind of Klopodavka. `bases` is empty where the layout is left to the game."""

    players: int
    board: Grid
    actions: int
    variant: Variant
    teams: str
    topology: Topology
    base: Base
    reach: Reach
    first: int  # the actions of the very first turn; 0: as many as any other
    fence: Fence
    inset: int
    bases: tuple[Square, ...]

    @property
    def shape(self) -> BoardShape:
        """The board with its topology."""
        return BoardShape(self.board, self.topology)

    @property
    def sides(self) -> tuple[tuple[Seat, ...], ...]:
        """Who plays together: the sides take turns, and so do the members of each."""
        count = SIDES.get(self.teams, self.players)
        return tuple(SEATS[: self.players][side::count] for side in range(count))

    @property
    def has_hq(self) -> bool:
        """Whether players start with headquarters."""
        return self.variant is Variant.HQ

    @property
    def anchored(self) -> bool:
        """Whether only what is linked to the own base or headquarters gives reach."""
        return self.has_hq or self.reach is Reach.BASE

    @property
    def immune(self) -> bool:
        """Whether bases or headquarters cannot be crushed."""
        return self.has_hq or self.base is Base.IMMUNE

    @property
    def fenced(self) -> bool:
        """Whether a fence ends the game."""
        return self.has_hq and self.fence is Fence.WIN and len(self.sides) == 2


SIDES: Final[Mapping[str, int]] = {"2v2": 2, "3v3": 2, "4v4": 2, "5v5": 2, "2v2v2": 3}
"""How many sides there are, by the word for the teams."""

_TEAM_PLAYERS: Final = {"2v2": 4, "3v3": 6, "4v4": 8, "5v5": 10, "2v2v2": 6}
_HQ_ACTIONS: Final = (8, 10)
_CELLS_EACH: Final = 8


SCHEMA: Final = Schema(
    options=(
        Number("players", AUTO, 2, len(SEATS)),
        Size("board", AUTO, files=(3, 26), ranks=(3, 30)),
        Number("actions", AUTO, 1, 10),
        OneOf("variant", Variant.STANDARD.value, tuple(map(str, Variant))),
        OneOf("teams", "off", ("off", *SIDES)),
        OneOf("topology", Topology.PLANE.value, tuple(map(str, Topology))),
        OneOf("base", Base.CRUSHABLE.value, tuple(map(str, Base))),
        OneOf("reach", Reach.LIVE.value, tuple(map(str, Reach))),
        Number("first", AUTO, 1, 9),
        OneOf("fence", Fence.WIN.value, tuple(map(str, Fence))),
        Number("inset", "0", 0, 6),
        Squares("bases", ""),
    ),
    presets={
        "classic": {"board": "10x10", "actions": "3"},
        "tournament": {"board": "20x30", "actions": "4"},
        "quick": {"board": "8x8", "actions": "3"},
        "duel": {"board": "12x12", "actions": "4"},
        "bases": {"variant": "bases"},
        "hq": {"variant": "hq"},
        "teams": {"teams": "2v2"},
        "hq-teams": {"variant": "hq", "teams": "2v2"},
        "cylinder": {"topology": "cylinder"},
        "torus": {"topology": "torus"},
    },
)

USUAL_ACTIONS: Final = 3
_PLAIN: Final = (2, Grid(10, 10), USUAL_ACTIONS)  # players, board and actions where nothing is chosen


def options(chosen: Mapping[str, Any]) -> Options:
    """Options from the schema's values; a combination that cannot be played is refused."""
    variant, topology, teams = Variant(chosen["variant"]), Topology(chosen["topology"]), chosen["teams"]
    has_hq = variant is Variant.HQ
    needed = _TEAM_PLAYERS.get(teams)
    if needed and chosen["players"] not in (None, needed):
        raise BadOption(Setup.TEAMS_FIX_PLAYERS, teams=teams, players=chosen["players"], needed=needed)
    players = needed or chosen["players"] or _PLAIN[0]
    usual = recommended(players, SIDES.get(teams, players), topology, has_hq=has_hq)
    actions = chosen["actions"] or (_HQ_ACTIONS[0] if has_hq else _PLAIN[2])
    made = Options(
        players=players,
        board=chosen["board"] or usual,
        actions=actions,
        variant=variant,
        teams=teams,
        topology=topology,
        base=Base(chosen["base"]),
        reach=Reach(chosen["reach"]),
        first=first if (first := chosen["first"] or 0) < actions else 0,
        fence=Fence(chosen["fence"]),
        inset=chosen["inset"],
        bases=chosen["bases"],
    )
    check(made)
    _check_room(made)
    return made


def values(made: Options) -> dict[str, Any]:
    """The schema's values, the inverse of `options`: of numbers that depend on others, those unlike the plainest game's."""
    players, board, actions = _PLAIN
    usual = recommended(made.players, len(made.sides), made.topology, has_hq=made.has_hq)
    return {each.name: getattr(made, each.name) for each in fields(made)} | {
        "players": None if made.players == players else made.players,
        "board": None if made.board == usual == board else made.board,
        "actions": None if made.actions == actions else made.actions,
        "first": made.first or None,
    }


def homes(made: Options) -> tuple[tuple[Square, ...], ...]:
    """Where each seat's bugs stand at the start: one base cell, or six cells of headquarters."""
    if made.bases:
        return tuple((square,) for square in made.bases)
    return tuple(
        block.cells(made.board)
        for block in arranged(made.shape, made.sides, has_hq=made.has_hq, inset=made.inset)
    )


def check(made: Options, named: AbstractSet[str] = frozenset()) -> None:
    """Refuse what contradicts itself on any board; `named` are options that count even with their defaults."""
    low, high = _HQ_ACTIONS
    if made.has_hq and not low <= made.actions <= high:
        raise BadOption(Setup.HQ_ACTIONS, actions=made.actions, low=low, high=high)
    fence = made.fence is Fence.OFF or "fence" in named
    moved = bool(made.inset) or "inset" in named
    wrong = {
        Setup.HQ_NAMES_NO_BASES: made.has_hq and bool(made.bases),
        Setup.HQ_IS_IMMUNE: made.has_hq and (made.base is Base.IMMUNE or "base" in named),
        Setup.HQ_IS_LINKED: made.has_hq and (made.reach is Reach.BASE or "reach" in named),
        Setup.FENCE_NEEDS_HQ: fence and not made.has_hq,
        Setup.FENCE_NEEDS_TWO_SIDES: fence and len(made.sides) > 2,
        Setup.BASES_OR_INSET: moved and bool(made.bases),
        Setup.INSET_ON_TORUS: moved and made.topology is Topology.TORUS,
    }
    for reason, found in wrong.items():
        if found:
            raise BadOption(reason)


def _check_room(made: Options) -> None:
    board, least = made.board, _CELLS_EACH * made.players
    if made.players > 2 and len(board) < least:
        raise BadOption(
            Setup.BOARD_TOO_SMALL, board=board, players=made.players, cells=_CELLS_EACH, least=least
        )
    if made.bases:
        _check_named(made)
        return
    if not deep_enough(made.shape, has_hq=made.has_hq, inset=made.inset):
        raise BadOption(Setup.INSET_TOO_LARGE, inset=made.inset, board=board)
    blocks = arranged(made.shape, made.sides, has_hq=made.has_hq, inset=made.inset)
    # Headquarters and bases that were moved must leave a cell between them. Bases on the border may touch where the
    # board is too small for anything else (3x3 with joined edges).
    if (made.has_hq or made.inset) and closest(made.shape, blocks) < 2:
        if made.has_hq:
            raise BadOption(Setup.HQ_NO_ROOM, board=board, players=made.players)
        raise BadOption(Setup.INSET_TOO_LARGE, inset=made.inset, board=board)


def _check_named(made: Options) -> None:
    if len(made.bases) != made.players:
        raise BadOption(Setup.BASES_COUNT, count=len(made.bases), players=made.players)
    for at, square in enumerate(made.bases):
        if square not in made.board:
            raise BadOption(Setup.BASE_OFF_THE_BOARD, square=square, board=made.board)
        if square in made.bases[:at]:
            raise BadOption(Setup.BASE_TWICE, square=square)
    for square in made.bases:
        if set(made.shape.around(square)) <= set(made.bases):
            raise BadOption(Setup.BASE_SHUT_IN, square=square)
