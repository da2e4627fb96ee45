"""`python -m bot`, and the script `klop`."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence

from bot.app.arguments import read_arguments


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the bot; return the exit status: 0, or 2 if it cannot run with its configuration."""
    options = read_arguments(arguments)
    gc.disable()  # until all is loaded: a seventh of the time to load would go into looking for garbage
    try:
        from bot.app import command_line  # noqa: PLC0415 - after the line above, which saves some 120 ms

        return command_line.run(options)
    finally:
        gc.enable()


if __name__ == "__main__":
    sys.exit(main())
