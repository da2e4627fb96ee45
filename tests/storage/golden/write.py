"""Writes what the present schema makes of the golden matches, once, when a schema version is born: never again.

When a version is extended by a field at its end, a match that has it is added to its file by hand.
"""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path

from storage import codec
from tests.storage.golden import GOLDEN


def main() -> None:
    path = Path(__file__).with_name(f"schema{codec.VERSION}.txt")
    with path.open("x", encoding="ascii") as file:
        for name, match in GOLDEN.items():
            file.write(f"{name} {b64encode(codec.encode(match)).decode()}\n")


if __name__ == "__main__":
    main()
