"""Proofs of who opens the board page: a platform vouches for a person, once for each proof."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from typing import Final

from play.people import Player
from play.ports import NoteStore

FRESH: Final = timedelta(hours=1)
"""How old a proof may be when a session begins."""

AHEAD: Final = timedelta(minutes=1)  # by which the clock of a platform may be ahead of ours
LONGEST: Final = 4096  # characters of a proof

_USED: Final = "page:proof:"


class NotProved(Exception):
    """A proof of identity that is forged, stale, used before, or meant for another bot."""


class CodeNeeded(NotProved):
    """A request that the platform has not signed: the page is to bring an authorization code."""


@dataclass(frozen=True, slots=True)
class Identity:
    """A person as a platform vouches for them.

    Attributes:
        player: Who.
        proof: Names this proof, so that it is used once.
        locale: Of their client.
        start: What the link that they opened carries: the code of a match, with its spectators' key or without.
        code: The match that they asked the bot for.
    """

    player: Player
    proof: str
    locale: str = ""
    start: str = ""
    code: str = ""


async def used_once(notes: NoteStore, identity: Identity) -> None:
    """Note that a proof is used; raises `NotProved` if it was used before."""
    name = _USED + sha256(identity.proof.encode()).hexdigest()
    if not await notes.write_once(name, "", keep=FRESH + AHEAD):
        raise NotProved
