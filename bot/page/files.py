"""The client's files, served under a name that changes with their contents."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from importlib.resources import files
from typing import Final

_TYPES: Final = {"js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}


@dataclass(frozen=True, slots=True)
class StaticFile:
    """A file as it is sent."""

    content_type: str
    plain: bytes
    packed: bytes  # by gzip


@cache
def static_files() -> tuple[str, dict[str, StaticFile]]:
    """Return the hash of all files, which is part of their address, and the files by name."""
    found = {}
    whole = blake2b(digest_size=8)
    for path in sorted(files("bot.page").joinpath("static").iterdir(), key=lambda path: path.name):
        kind = _TYPES.get(path.name.rpartition(".")[2])
        if kind is None:
            continue
        plain = path.read_bytes()
        whole.update(path.name.encode() + b"\0" + plain + b"\0")
        found[path.name] = StaticFile(kind, plain, gzip.compress(plain, mtime=0))
    return whole.hexdigest(), found
