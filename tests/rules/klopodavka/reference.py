"""Klopodavka written down once more, plainly: sets of cells, the rules word for word, nothing kept between actions.

The tests play random games with this and with the real one side by side. It shares with the real one only the options
and where each player starts.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Self

from rules.core import SEATS, Seat
from rules.klopodavka import GAME, Move
from rules.klopodavka.notation import position
from rules.klopodavka.options import Options, homes
from rules.klopodavka.position import KlopodavkaPosition
from rules.klopodavka.reach import reach

Cell = tuple[int, int]
Action = tuple[Cell, bool]
"""A cell, and whether the bug there is crushed."""


@dataclass
class Reference:
    """The state of a game: whose bug or wall is on a cell, who is to move, how many actions he owes, who is out."""

    options: Options
    bugs: dict[Cell, int]
    walls: dict[Cell, int]
    seat: int
    left: int
    out: set[int]
    retired: set[int] = field(default_factory=set)
    winners: set[int] | None = None
    reason: str = ""

    @classmethod
    def start(cls, options: Options) -> Self:
        bugs = {(c.file, c.rank): seat for seat, home in enumerate(homes(options)) for c in home}
        state = cls(options, bugs, {}, 0, options.first or options.actions, set())
        state.settle(None)
        return state

    # Who is who

    @property
    def seats(self) -> range:
        return range(self.options.players)

    def side(self, seat: int) -> set[int]:
        return next({int(s) for s in side} for side in self.options.sides if seat in side)

    def enemies(self, seat: int) -> set[int]:
        return set(self.seats) - self.side(seat)

    def home(self, seat: int) -> set[Cell]:
        return {(cell.file, cell.rank) for cell in homes(self.options)[seat]}

    # The board

    def around(self, cell: Cell) -> set[Cell]:
        files, ranks = self.options.board.files, self.options.board.ranks
        found = set()
        for df in (-1, 0, 1):
            for dr in (-1, 0, 1):
                file, rank = cell[0] + df, cell[1] + dr
                if self.options.topology != "plane":
                    file %= files
                if self.options.topology == "torus":
                    rank %= ranks
                if 0 <= file < files and 0 <= rank < ranks and (file, rank) != cell:
                    found.add((file, rank))
        return found

    def touching(self, cells: set[Cell]) -> set[Cell]:
        return {near for cell in cells for near in self.around(cell)}

    def groups(self, cells: set[Cell]) -> list[set[Cell]]:
        left, found = set(cells), []
        while left:
            group, edge = set(), [left.pop()]
            while edge:
                cell = edge.pop()
                group.add(cell)
                more = self.around(cell) & left
                left -= more
                edge += more
            found.append(group)
        return found

    def own(self, seat: int) -> set[Cell]:
        return {cell for cell, owner in self.bugs.items() if owner == seat}

    def team_walls(self, seat: int) -> set[Cell]:
        return {cell for cell, owner in self.walls.items() if owner in self.side(seat)}

    def immune(self, cell: Cell) -> bool:
        protected = self.options.variant == "hq" or self.options.base == "immune"
        return protected and any(cell in self.home(seat) for seat in self.seats)

    # What is legal

    def chain(self, seat: int) -> set[Cell]:
        """The bugs and walls that give reach."""
        own, walls = self.own(seat), self.team_walls(seat)
        if self.options.variant == "hq" or self.options.reach == "base":
            start = own & self.home(seat)
            return {cell for group in self.groups(own | walls) if group & start for cell in group}
        linked = [group for group in self.groups(walls) if self.touching(group) & own]
        return own.union(*linked)

    def may_crush(self, seat: int, cell: Cell) -> bool:
        return self.bugs.get(cell) in self.enemies(seat) and not self.immune(cell)

    def empty(self, cell: Cell) -> bool:
        return cell not in self.bugs and cell not in self.walls

    def reach(self, seat: int) -> set[Action]:
        return {
            (cell, not self.empty(cell))
            for cell in self.touching(self.chain(seat))
            if self.empty(cell) or self.may_crush(seat, cell)
        }

    def legal(self) -> set[Action]:
        return set() if self.winners is not None else self.reach(self.seat)

    # Playing

    def act(self, action: Action) -> None:
        cell, crush = action
        assert action in self.legal()
        if crush:
            del self.bugs[cell]
            self.walls[cell] = self.seat
        else:
            self.bugs[cell] = self.seat
        actor = self.seat
        self.left -= 1
        if not self.left:
            self.pass_on()
        self.settle(actor)

    def retire(self, seat: int) -> None:
        if self.winners is not None or seat in self.out:
            return
        self.out.add(seat)
        self.retired.add(seat)
        if self.seat == seat:
            self.pass_on()
        self.settle(None)

    def pass_on(self) -> None:
        """The turn goes to the next who is not out, if there is one."""
        order = [(self.seat + n) % self.options.players for n in range(1, self.options.players + 1)]
        staying = [seat for seat in order if seat not in self.out]
        if staying:
            self.seat = staying[0]
        fresh = not self.walls and len(self.bugs) == sum(len(self.home(seat)) for seat in self.seats)
        self.left = (fresh and self.options.first) or self.options.actions

    def settle(self, actor: int | None) -> None:
        """Every seat that must act and cannot is out, until one can or the game is over."""
        while True:
            staying = {seat for seat in self.seats if seat not in self.out}
            sides = [set(map(int, side)) for side in self.options.sides if staying & set(side)]
            if len(sides) == 1:
                can = any(self.reach(seat) for seat in staying)
                self.end(sides[0], "last-left" if can else "last-to-act")
                return
            if self.fence():
                return
            if self.reach(self.seat):
                return
            if self.options.variant == "bases":
                self.out.add(self.seat)
                self.count()
                return
            if actor is not None and not any(self.reach(seat) for seat in staying):
                self.out |= self.enemies(actor)
                if self.seat in self.out:
                    self.pass_on()
                self.end(self.side(actor), "last-to-act")
                return
            self.out.add(self.seat)
            self.pass_on()

    def end(self, winners: set[int], reason: str) -> None:
        self.winners, self.reason = winners, reason

    # Bases and fences

    def comes(self, seat: int) -> set[Cell]:
        """The cells that a seat could come to if no other seat acted: his chain, lengthened as long as it can be."""
        if seat in self.out:
            return set()
        carried = self.own(seat) | self.team_walls(seat)
        board = {(f, r) for f in range(self.options.board.files) for r in range(self.options.board.ranks)}
        passable = {
            cell for cell in board if self.empty(cell) or self.may_crush(seat, cell) or cell in carried
        }
        found = edge = self.chain(seat)
        while edge:
            edge = self.touching(edge) & passable - found
            found = found | edge
        return found

    def bases(self, seat: int) -> int:
        threats = [self.comes(enemy) for enemy in self.enemies(seat)]
        return sum(not any(group & threat for threat in threats) for group in self.groups(self.own(seat)))

    def count(self) -> None:
        """The end by bases: a side that has left counts no more, the one that is blocked now does."""
        totals = [
            (sum(self.bases(seat) for seat in side), set(map(int, side)))
            for side in self.options.sides
            if not self.retired.issuperset(side)
        ]
        most = max(total for total, _ in totals)
        ahead = [side for total, side in totals if total == most]
        if len(ahead) == 1:
            self.end(ahead[0], "most-bases")
        else:
            self.end(set(), "equal-bases")

    def fence(self) -> bool:
        sides = [set(map(int, side)) for side in self.options.sides]
        if self.options.variant != "hq" or self.options.fence == "off" or len(sides) != 2:
            return False
        arrives = []
        for side, other in (sides, sides[::-1]):
            targets = set().union(*(self.home(seat) for seat in other))
            arrives.append(any(self.touching(self.comes(seat)) & targets for seat in side))
        if arrives[0] == arrives[1]:
            return False
        self.end(sides[0] if arrives[0] else sides[1], "fence")
        return True


# Positions and moves for the tests, made from what people would type.


__all__ = ["cells", "chosen", "played", "position", "start", "winners"]


def chosen(text: str) -> Options:
    """Options from `players:4 board:12x12`."""
    return GAME.choose(dict(word.split(":", 1) for word in text.split()))


def start(text: str = "") -> KlopodavkaPosition:
    return GAME.start(chosen(text))


def played(here: KlopodavkaPosition, *lines: str) -> KlopodavkaPosition:
    """The position after some lines, each a turn or a part of one."""
    for line in lines:
        for move in GAME.notation.parse(line, here):
            here = here.play(move)
    return here


def cells(here: KlopodavkaPosition) -> str:
    """The legal actions, spelled and in order: bugs to put, then bugs to crush."""
    return " ".join(map(str, here.legal_moves()))


def winners(here: KlopodavkaPosition) -> tuple[Seat, ...]:
    assert here.outcome is not None
    return here.outcome.winners


# The real game and the plain second version, side by side.


def reference(here: KlopodavkaPosition) -> Reference:
    """The plain version of a position that no seat has left."""
    listed = here.ruleset.board.listed
    return Reference(
        here.options,
        {(f, r): seat for seat, cells in enumerate(here.occupancy.bugs) for f, r in listed(cells)},
        {(f, r): seat for seat, cells in enumerate(here.occupancy.walls) for f, r in listed(cells)},
        int(here.to_move),
        here.plies_left,
        set(map(int, here.out)),
    )


def action(move: Move) -> Action:
    return (move.square.file, move.square.rank), move.crush


def assert_same(here: KlopodavkaPosition, plain: Reference) -> None:
    assert {action(move) for move in here.legal_moves()} == plain.legal(), here
    assert set(map(int, here.out)) == plain.out, here
    assert (int(here.to_move), here.plies_left) == (plain.seat, plain.left), here
    if here.outcome is None:
        assert plain.winners is None, here
        assert here.reached == reach(here.ruleset, here.occupancy, here.seat), here
    else:
        assert set(map(int, here.outcome.winners)) == plain.winners, here
        assert here.outcome.reason.value == f"klopodavka.ending.{plain.reason}", here


def assert_same_bases(here: KlopodavkaPosition, plain: Reference) -> None:
    if here.scores:
        assert here.scores == tuple(plain.bases(seat) for seat in plain.seats), here


def play_both(text: str, seed: int, leaving: float = 0.0) -> Iterator[KlopodavkaPosition]:
    """A random game of both to its end, compared at every action.

    Each game has its own liking for crushing: those that crush little fill the board, those that crush much are short.
    Now and then a seat leaves, if wanted.
    """
    chance = random.Random(f"{text}/{seed}/{leaving}")
    options = chosen(text)
    here, plain = GAME.start(options), Reference.start(options)
    fierce = chance.random()
    while True:
        assert_same(here, plain)
        if here.outcome or chance.random() < 0.05:
            assert_same_bases(here, plain)
        yield here
        if here.outcome:
            return
        if options.players > 2 and chance.random() < leaving:
            seat = chance.choice(SEATS[: options.players])
            here = here.retire(seat)
            plain.retire(int(seat))
            continue
        legal = here.legal_moves()
        crushes = [move for move in legal if move.crush]
        move = chance.choice(crushes if crushes and chance.random() < fierce else legal)
        here = here.play(move)
        plain.act(action(move))
