"""Writes the golden matches as records of the present schema version, once for each version that is released.

Before `v0.1.0` is tagged version 1 may change: delete its file and run this again.
"""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path

from storage.records import codec
from tests.storage.golden import GOLDEN


def main() -> None:
    path = Path(__file__).with_name(f"schema{codec.VERSION}.txt")
    with path.open("x", encoding="ascii") as file:
        for name, match in GOLDEN.items():
            file.write(f"{name} {b64encode(codec.encode(match)).decode()}\n")


if __name__ == "__main__":
    main()
