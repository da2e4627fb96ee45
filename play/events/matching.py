"""Maximum matching in a general graph, kept while edges are added and pairs taken away.

Edmonds' blossom algorithm ("Paths, trees, and flowers", 1965) in the O(V^3) form with a queue and a base for each vertex.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias

FREE: Final = -1
"""The mate of a vertex without one."""

Allowed: TypeAlias = Callable[[int, int], bool]
"""Whether two vertices are joined by an edge; symmetric."""


class Matching:
    """A maximum matching of some vertices, from which pairs are taken one by one.

    Attributes:
        vertices: Those that are left.
        allowed: Which two of them may be matched.
        mates: The mate of each vertex, or FREE.
    """

    def __init__(self, vertices: Sequence[int], allowed: Allowed, mates: list[int] | None = None) -> None:
        """Find a maximum matching.

        Args:
            vertices: Those that take part.
            allowed: Which two of them may be matched.
            mates: A matching to begin with; who is matched in it stays so, if not to the same mate.
        """
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
        """The vertices without a mate."""
        return [vertex for vertex in self.vertices if self.mates[vertex] == FREE]

    def join(self, one: int, other: int) -> None:
        """Match two vertices that are free."""
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
        search = _Search(self.mates, self.vertices, self.allowed, root)
        end = search.path()
        found = end != FREE
        while end != FREE:
            before = search.parent[end]
            following = self.mates[before]
            self.join(end, before)
            end = following
        return found


class _Search:
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
        """Return the base where the ways of two vertices to the root meet."""
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
