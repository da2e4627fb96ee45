"""Swiss pairing: equal scores meet, no pair twice, no player free twice, first moves in balance.

A round is made from the top of the table down, each player with the partner they suit best. Before any pair is made, a
complete round is known to exist (a perfect matching, `matching`), and a pair is made only if the rest can still be
completed; so no round is ever stuck, and what is avoidable is avoided. The order of what is avoided, worst first:

1. a second meeting of the same pair, and a second bye of the same player;
2. a pair where one has blocked the other;
3. a first-move balance of three, or the same side three times in a row;
4. a distance in points; within a score group the upper half meets the lower one (as in FIDE's Dutch system, C.04.3).

Maximum matching in a general graph, kept while edges are added and pairs taken away.

Edmonds' blossom algorithm ("Paths, trees, and flowers", 1965) in the O(V^3) form with a queue and a base for each vertex.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, log2
from typing import Final, Generic, TypeAlias

from play.events.standings import DRAW, Bye, GameScore, P, ScoredGame, meetings

FREE: Final = -1  # the mate of a vertex without one
Allowed: TypeAlias = Callable[[int, int], bool]  # whether two vertices are joined by an edge; symmetric


class Matching:
    """A maximum matching of some vertices, from which pairs are taken one by one.

    Attributes:
        vertices: Those that are left.
        mates: The mate of each vertex, or FREE.
    """

    def __init__(self, vertices: Sequence[int], allowed: Allowed, mates: list[int] | None = None) -> None:
        """Find a maximum matching; who is matched in `mates` stays so, if not to the same mate."""
        self.vertices, self.allowed = list(vertices), allowed
        self.mates = mates or [FREE] * (max(vertices, default=0) + 1)
        free = self.free
        for vertex in free:
            if self.mates[vertex] == FREE:
                left = (u for u in free if u != vertex and self.mates[u] == FREE and allowed(vertex, u))
                if (mate := next(left, FREE)) != FREE:
                    self.join(vertex, mate)
        for vertex in free:
            if self.mates[vertex] == FREE:
                self._augment(vertex)

    @property
    def free(self) -> list[int]:
        return [vertex for vertex in self.vertices if self.mates[vertex] == FREE]

    def join(self, one: int, other: int) -> None:
        self.mates[one], self.mates[other] = other, one

    def include(self, one: int, other: int) -> bool:
        """Match two vertices in particular, if a maximum matching does; whether one does."""
        freed = [mate for mate in (self.mates[one], self.mates[other]) if mate not in (FREE, one, other)]
        before = self.mates.copy()
        for vertex in (one, other, *freed):
            self.mates[vertex] = FREE
        # Two pairs became one, so the others must make one more than they do.
        if len(freed) == 2 and not self._rematch(freed[0], freed[1], (one, other)):
            self.mates = before
            return False
        self.join(one, other)
        return True

    def _rematch(self, one: int, other: int, without: tuple[int, int]) -> bool:
        if self.allowed(one, other):
            self.join(one, other)
            return True
        vertices = self.vertices
        self.vertices = [vertex for vertex in vertices if vertex not in without]
        done = self._augment(one) or self._augment(other)
        self.vertices = vertices
        return done

    def remove(self, *gone: int) -> None:
        """Take vertices away that are matched with each other, or free."""
        self.vertices = [vertex for vertex in self.vertices if vertex not in gone]

    def _augment(self, root: int) -> bool:
        """Give a free vertex a mate, by rematching others along an alternating path; whether there was such a path."""
        search = _PathSearch(self.mates, self.vertices, self.allowed, root)
        at = end = search.path()
        while at != FREE:
            before = search.parent[at]
            following = self.mates[before]
            self.join(at, before)
            at = following
        return end != FREE


class _PathSearch:
    """Breadth-first search for an augmenting path from one vertex; odd cycles are shrunk to their base."""

    def __init__(self, mates: list[int], vertices: Sequence[int], allowed: Allowed, root: int) -> None:
        self.mates, self.vertices, self.allowed, self.root = mates, vertices, allowed, root
        self.parent = [FREE] * len(mates)
        self.base = list(range(len(mates)))
        self.reached = {root}  # an even number of edges from the root
        self.queue = deque([root])

    def path(self) -> int:
        """Return the free vertex at the path's end, or FREE if there is no path."""
        while self.queue:
            at = self.queue.popleft()
            for to in self.vertices:
                if self.base[at] == self.base[to] or self.mates[at] == to or not self.allowed(at, to):
                    continue
                if to == self.root or (self.mates[to] != FREE and self.parent[self.mates[to]] != FREE):
                    self._shrink(at, to)
                elif self.parent[to] == FREE:
                    self.parent[to] = at
                    if self.mates[to] == FREE:
                        return to
                    self._reach((self.mates[to],))
        return FREE

    def _reach(self, vertices: Iterable[int]) -> None:
        new = [vertex for vertex in vertices if vertex not in self.reached]
        self.reached.update(new)
        self.queue.extend(new)

    def _shrink(self, one: int, other: int) -> None:
        """Make one vertex of the odd cycle that closes between two reached vertices."""
        top = self._ancestor(one, other)
        cycle = self._mark(one, top, other) | self._mark(other, top, one)
        inside = [vertex for vertex in self.vertices if self.base[vertex] in cycle]
        for vertex in inside:
            self.base[vertex] = top
        self._reach(inside)

    def _ancestor(self, one: int, other: int) -> int:
        seen = set()
        while True:
            one = self.base[one]
            seen.add(one)
            if self.mates[one] == FREE:
                break
            one = self.parent[self.mates[one]]
        other = self.base[other]
        while other not in seen:
            other = self.base[self.parent[self.mates[other]]]
        return other

    def _mark(self, vertex: int, top: int, child: int) -> set[int]:
        """Turn a way down to the cycle's top round, and return the bases on it."""
        bases = set()
        while self.base[vertex] != top:
            mate = self.mates[vertex]
            bases |= {self.base[vertex], self.base[mate]}
            self.parent[vertex] = child
            child = mate
            vertex = self.parent[mate]
        return bases


MOST_ROUNDS: Final = 7  # rounds of a Swiss event at most; seven tell 128 players apart


def rounds(players: int) -> int:
    """Return how many rounds a Swiss event has: enough for one winner, and one more for the places behind."""
    return min(ceil(log2(max(players, 2))) + 1, MOST_ROUNDS)


@dataclass(frozen=True, slots=True)
class Round(Generic[P]):
    """The pairs of one round, best first, and who has a bye where the number is odd."""

    games: tuple[ScoredGame[P], ...]
    bye: P | None = None


@dataclass(slots=True)
class _Player(Generic[P]):
    """What pairing needs of a player."""

    player: P
    points: int = 0  # half points; open games count as draws
    sides: list[int] = field(default_factory=list)  # in each game: 1 for the first move, -1 for the second
    byes: int = 0

    @property
    def balance(self) -> int:
        return sum(self.sides)

    @property
    def due(self) -> int:
        """The side that they must have next, 1 for the first move, -1 for the second; 0: either."""
        balance, last = self.balance, self.sides[-2:]
        if abs(balance) > 1:
            return -1 if balance > 0 else 1
        return -last[0] if len(last) == 2 and last[0] == last[1] else 0

    @property
    def wish(self) -> int:
        if balance := self.balance:
            return -1 if balance > 0 else 1
        return -self.sides[-1] if self.sides else 0


def pair(
    players: Sequence[P],
    history: Iterable[ScoredGame[P] | Bye[P]],
    blocked: Collection[frozenset[P]] = (),
) -> Round[P]:
    """Return the next round of at least two players, who are in the order of their numbers, the strongest first.

    Of the rounds so far, in order, games that are open count as draws here, and void ones not at all. Blocked pairs are
    avoided where another round exists.
    """
    history = tuple(history)
    table = _standing(players, history)
    met = meetings(game for game in history if isinstance(game, ScoredGame))
    return _RoundInTheMaking(table, met, blocked).round()


def _standing(players: Sequence[P], history: Sequence[ScoredGame[P] | Bye[P]]) -> list[_Player[P]]:
    known = {player: _Player(player) for player in players}
    for entry in history:
        if isinstance(entry, Bye):
            if entry.player in known:
                known[entry.player].points += entry.points
                known[entry.player].byes += 1
            continue
        if entry.score is GameScore.VOID:
            continue
        for player, side in ((entry.first, 1), (entry.second, -1)):
            if player in known:
                known[player].points += DRAW if entry.score is GameScore.OPEN else entry.points(player)
                if entry.played:
                    known[player].sides.append(side)
    return sorted(known.values(), key=lambda one: -one.points)  # stable: equal points by number


def _placed(pairs: Mapping[frozenset[P], int], place: Mapping[P, int]) -> dict[tuple[int, int], int]:
    found: dict[tuple[int, int], int] = {}
    for pair, value in pairs.items():
        if len(pair) == 2 and all(player in place for player in pair):
            a, b = (place[player] for player in pair)
            found[a, b] = found[b, a] = value
    return found


class _RoundInTheMaking(Generic[P]):
    """A complete matching of the places of a table, of which pairs are fixed one by one; a bye is the place after the last."""

    def __init__(
        self, table: Sequence[_Player[P]], met: Mapping[frozenset[P], int], blocked: Collection[frozenset[P]]
    ) -> None:
        self.table, self.bye = table, len(table)
        place = {one.player: index for index, one in enumerate(table)}
        self.met = _placed(met, place)
        self.blocked = frozenset(_placed(dict.fromkeys(blocked, 1), place))
        self.due = [one.due for one in table]
        least = min(one.byes for one in table)
        self.byes = [one.byes - least for one in table]
        self.whole = self._complete(range(self.bye + self.bye % 2))

    def repeats(self, a: int, b: int) -> int:
        """How often a pair has met; of a bye, how many more the player had than the luckiest."""
        if self.bye in (a, b):
            return self.byes[min(a, b)]
        return self.met.get((a, b), 0)

    def new(self, a: int, b: int) -> bool:
        return not self.repeats(a, b)

    def welcome(self, a: int, b: int) -> bool:
        return self.new(a, b) and (a, b) not in self.blocked

    def clean(self, a: int, b: int) -> bool:
        if not self.welcome(a, b):
            return False
        return self.bye in (a, b) or not self.due[a] or self.due[a] != self.due[b]

    def _complete(self, everybody: Sequence[int]) -> Matching:
        """Find a complete matching, as good as can be, to choose from.

        Its edges are the good ones, and of the worse ones only those that it needs: where one repeated meeting cannot be
        avoided, there will not be two.
        """
        whole = Matching(everybody, self.clean)
        for worse in (self.welcome, self.new):
            if whole.free:
                whole = Matching(everybody, worse, whole.mates)
        over = whole.free
        while over:  # as few repeated meetings as there can be, and the rarest pairs
            one, *others = over
            mate = min(others, key=lambda other: (self.repeats(one, other), other))
            whole.join(one, mate)
            over = [vertex for vertex in others if vertex != mate]
        forced = {pair for pair in enumerate(whole.mates) if FREE not in pair and not self.clean(*pair)}
        whole.allowed = lambda a, b: (a, b) in forced or self.clean(a, b)
        return whole

    def round(self) -> Round[P]:
        bye = None
        if self.bye in (left := self.whole.vertices):
            lowest = (vertex for vertex in reversed(left[:-1]) if self.whole.allowed(self.bye, vertex))
            bye = next(vertex for vertex in lowest if self.whole.include(self.bye, vertex))
            self.whole.remove(self.bye, bye)
        pairs: list[tuple[int, int]] = []
        while self.whole.vertices:
            pairs += self._next_group()
        games = tuple(self._game(a, b) for a, b in sorted(pairs))
        return Round(games, None if bye is None else self.table[bye].player)

    def _next_group(self) -> Sequence[tuple[int, int]]:
        left = self.whole.vertices
        for level in dict.fromkeys(self.table[vertex].points for vertex in left):
            group = Matching([at for at in left if self.table[at].points >= level], self.whole.allowed)
            if pairs := list(self._group(group)):
                return pairs
        raise AssertionError("the last group is all who are left, and they have a complete matching")

    def _group(self, group: Matching) -> Iterator[tuple[int, int]]:
        """Pair as many of a score group with each other as can be, from the top; the others go down."""
        for top in tuple(group.vertices):
            if top in group.vertices and (mate := self._fix(group, top)) is not None:
                yield top, mate

    def _fix(self, group: Matching, top: int) -> int | None:
        """Pair a player with who suits them best, if that leaves as many pairs to the group, and to all a complete round."""
        for mate in self._preferred(top, group.vertices):
            if not self.whole.allowed(top, mate):
                continue
            before = group.mates.copy()
            if not group.include(top, mate):
                continue
            if self.whole.include(top, mate):
                group.remove(top, mate)
                self.whole.remove(top, mate)
                return mate
            group.mates = before
        return None

    def _preferred(self, top: int, group: Sequence[int]) -> list[int]:
        """Return the others by how well they suit a player: points, first moves, the other half of those with as many."""
        table, wish = self.table, self.table[top].wish
        start = group.index(top)
        middle = sum(table[vertex].points == table[top].points for vertex in group) // 2

        def key(at: int) -> tuple[int, bool, int]:
            other = table[group[at]]
            distance = table[top].points - other.points
            turn = at - start
            if not distance and turn < middle:
                turn = len(group) - turn  # from the middle down, then up
            return abs(distance), bool(wish) and wish == other.wish, turn

        return [group[at] for at in sorted((at for at in range(len(group)) if at != start), key=key)]

    def _game(self, a: int, b: int) -> ScoredGame[P]:
        one, other = self.table[a], self.table[b]
        return (
            ScoredGame(one.player, other.player)
            if _begins(one, other, a)
            else ScoredGame(other.player, one.player)
        )


def _begins(one: _Player[P], other: _Player[P], place: int) -> bool:
    """Whether the higher one moves first: who had it less, then who had it less lately, else by turns down the table."""
    if one.balance != other.balance:
        return one.balance < other.balance
    for mine, theirs in zip(reversed(one.sides), reversed(other.sides), strict=False):
        if mine != theirs:
            return mine < theirs
    if one.sides:
        return one.wish > 0
    return place % 2 == 0
