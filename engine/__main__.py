"""`python -m engine`: the protocol over stdin and stdout; see docs/engine-protocol.md."""

from __future__ import annotations

import sys
from typing import BinaryIO

from engine import engine_for, levels_of
from engine.wire import MAX_LINE, EngineServer, WireError
from rules import GAMES


def main() -> int:
    """Serve until `quit` or the end of the input."""

    def write(line: str) -> None:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()

    server = EngineServer(GAMES, engine_for, levels_of, write)
    while (line := _line(sys.stdin.buffer)) is not None:
        if isinstance(line, WireError):
            write(str(line))
        elif not server.execute(line):
            return 0
    server.join()
    return 0


def _line(source: BinaryIO) -> str | WireError | None:
    read = source.readline(MAX_LINE + 1)
    if not read:
        return None
    if len(read) > MAX_LINE and not read.endswith(b"\n"):
        while read and not read.endswith(b"\n"):
            read = source.readline(MAX_LINE)
        return WireError("too-long", f"at most {MAX_LINE} bytes")
    return read.decode("utf-8", "replace")


if __name__ == "__main__":
    sys.exit(main())
