"""A rival for Breakthrough's engines on 8x8: `native/breakthrough_rival.cpp`, compiled when it is first asked.

It is alpha-beta as the strongest public engines of its kind do it, and shares no search and no evaluation with ours. It
is no part of the package, and needs a C++ compiler.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Final

from engine.build import compiler

SOURCE: Final = Path(__file__).parent / "native" / "breakthrough_rival.cpp"

_FLAGS: Final = ("-std=c++20", "-O3", "-DNDEBUG", "-shared", "-fPIC")


def compiled(source: Path) -> ctypes.CDLL:
    """Return the code of a file in C++, compiled where it was not yet.

    Raises:
        engine.build.Unbuilt: there is no compiler.
        subprocess.CalledProcessError: it could not be compiled.
    """
    command = (*compiler(), *_FLAGS)
    digest = hashlib.sha256(" ".join(command).encode() + source.read_bytes()).hexdigest()[:16]
    made = Path(tempfile.gettempdir()) / f"klop-{source.stem}-{digest}.so"
    if not made.is_file():
        beside = made.with_suffix(f".{os.getpid()}")
        subprocess.run((*command, str(source), "-o", str(beside)), check=True)
        beside.replace(made)
    return ctypes.CDLL(str(made))


@cache
def library() -> ctypes.CDLL:
    """The rival's code; raises what `compiled` does."""
    found = compiled(SOURCE)
    found.rival_new.restype = ctypes.c_void_p
    found.rival_delete.argtypes = [ctypes.c_void_p]
    found.rival_move.argtypes = [
        ctypes.c_void_p,
        ctypes.c_uint64,
        ctypes.c_uint64,
        ctypes.c_double,
        ctypes.c_uint64,
        ctypes.POINTER(ctypes.c_uint64),
    ]
    return found


class Rival:
    """One that remembers what it has searched, for one game or many."""

    def __init__(self) -> None:
        self._library: Final = library()
        self._made: Final = ctypes.c_void_p(self._library.rival_new())

    def __del__(self) -> None:
        if hasattr(self, "_made"):
            self._library.rival_delete(self._made)

    def move(
        self, white: int, black: int, to_move: int, seconds: float | None, nodes: int | None
    ) -> tuple[int, int, int, int]:
        """The places that a man leaves and enters, the depth that was finished, and the nodes.

        Args:
            white: White's men; square (file, rank) is bit `8 * rank + file`.
            black: Black's.
            to_move: 0 for White.
            seconds: Of the processor.
            nodes: Positions to look at, at most.
        """
        me, you = (white, black) if to_move == 0 else (_turned(black), _turned(white))
        told = (ctypes.c_uint64 * 2)()
        move = self._library.rival_move(self._made, me, you, seconds or 0.0, nodes or 0, told)
        start, end = move & 63, move >> 6
        if to_move:
            start, end = start ^ 56, end ^ 56
        return start, end, int(told[0]), int(told[1])


def _turned(men: int) -> int:
    return int.from_bytes(men.to_bytes(8, "little"), "big")
