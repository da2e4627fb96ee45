"""Luck from the operating system, and codes that are derived instead of drawn."""

from __future__ import annotations

import hashlib
import random
import secrets
from collections.abc import Sequence
from typing import Final

ALPHABET: Final = "abcdefghjkmnpqrstuvwxyz23456789"
"""What a code is made of: nothing that is mistaken for something else (i, l, 1, o, 0)."""

CODE_LENGTH: Final = 6
"""Characters in a code: 31 ** 6 is 887 million codes, and a code that is taken is drawn again."""


class SystemChance:
    """The `Chance` of real play: the operating system's."""

    def code(self) -> str:
        """A new match id."""
        return "".join(secrets.choice(ALPHABET) for _ in range(CODE_LENGTH))

    def shuffled(self, count: int) -> Sequence[int]:
        """0 to count - 1 in a random order."""
        return random.SystemRandom().sample(range(count), count)


def derived(match_id: str, attempt: int) -> str:
    """Return a code that follows from a match's id, or from an operation's: the same for every caller."""
    number = int.from_bytes(hashlib.blake2b(f"{match_id}/{attempt}".encode(), digest_size=16).digest(), "big")
    letters = []
    for _ in range(CODE_LENGTH):
        number, letter = divmod(number, len(ALPHABET))
        letters.append(ALPHABET[letter])
    return "".join(letters)
