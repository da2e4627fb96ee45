"""`python -m bot.chat.i18n` checks the catalogues: prints a line for each problem and exits with status 1 if there is any."""

from __future__ import annotations

import sys

from bot.chat.i18n.catalogue import ROOT, folders
from bot.chat.i18n.check import problems
from bot.chat.i18n.check.needs import import_all, needs
from bot.features.commands import catalogue_keys
from rules import GAMES

PACKAGES = ("rules", "play", "engine", "render", "storage", "bot")


def main() -> int:
    """Check everything and print each problem; return 0 if there are none."""
    import_all("rules", "play", "storage")
    found = list(problems(folders(), needs(GAMES, [ROOT / name for name in PACKAGES], catalogue_keys())))
    for problem in found:
        sys.stdout.write(f"{problem}\n")
    if found:
        sys.stdout.write(f"{len(found)} to mend in the catalogues\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
