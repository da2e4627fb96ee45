"""Sets as integers: the things that the bits of a set stand for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Generic, TypeVar

T = TypeVar("T")


class BitTable(Generic[T]):
    """A thing for each bit, to list those of a set eight bits at a time. Each thing is made once, when first met.

    Reading whole bytes takes a third of the time that reading bit by bit does.
    """

    __slots__ = ("_made", "patterns")

    def __init__(self, make: Callable[[int], T], length: int) -> None:
        """The table of sets of at most `length` bytes; `make` makes the thing of a bit from its place."""
        self._made = _Made(make)
        # For each byte of a set, the things of every value that it has had; a missing value is filled in.
        self.patterns: Final = tuple(_Patterns(self._made, 8 * byte) for byte in range(length))

    def __getitem__(self, place: int) -> T:
        return self._made[place]

    def read(self, bits: int) -> list[T]:
        """Return the things of all bits of a set, the lowest first."""
        found: list[T] = []
        for patterns, byte in zip(self.patterns, self.bytes_of(bits), strict=True):
            if byte:
                found += patterns[byte]
        return found

    def bytes_of(self, bits: int) -> bytes:
        """Return a set as the bytes that `patterns` are for."""
        return bits.to_bytes(len(self.patterns), "little")


class _Made(dict[int, T]):
    """Things by the place of their bit."""

    __slots__ = ("_make",)

    def __init__(self, make: Callable[[int], T]) -> None:
        self._make = make

    def __missing__(self, place: int) -> T:
        thing = self[place] = self._make(place)
        return thing


class _Patterns(dict[int, tuple[T, ...]]):
    """The things of eight neighbouring bits, by their byte."""

    __slots__ = ("_made", "_place")

    def __init__(self, made: _Made[T], place: int) -> None:
        self._made = made
        self._place = place

    def __missing__(self, byte: int) -> tuple[T, ...]:
        things = self[byte] = tuple(self._made[self._place + n] for n in range(8) if byte >> n & 1)
        return things
