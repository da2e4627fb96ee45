"""The bot as its next version will be: it writes records of version 2, and reads those of version 1 too.

`python next_version.py ARGUMENTS of the bot` runs it.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Final

import msgspec

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).parents[2])

from play.match import Match
from storage.records import codec, schema


class Schema2:
    """A body as a later bot would write it: that of version 1 after a word."""

    @staticmethod
    def write(match: Match) -> bytes:
        """Return the body of a match."""
        return msgspec.msgpack.encode(["later", schema.write(match)])

    @staticmethod
    def read(plain: bytes, revision: int) -> Match:
        """Return the match of a body."""
        word, body = msgspec.msgpack.decode(plain, type=tuple[str, bytes])
        assert word == "later"
        return schema.read(body, revision)


READS: Final[dict[str, Any]] = {
    "READERS": {**codec.READERS, codec.VERSION + 1: Schema2.read},
    "EVENT_READERS": {**codec.EVENT_READERS, codec.VERSION + 1: codec.read},
}
"""What a bot of version 2 has in `storage.records.codec` to read records of both versions."""

WRITES: Final[dict[str, Any]] = {"VERSION": codec.VERSION + 1, "write_body": Schema2.write}
"""What it has there to write them."""


def main() -> int:
    """Run the bot."""
    from bot.__main__ import main as run

    for name, value in {**READS, **WRITES}.items():
        setattr(codec, name, value)
    return run()


if __name__ == "__main__":
    sys.exit(main())
