"""What people type in a match, from its invitation to its last move: known beforehand, so that its log is too."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from play.ports import derived
from rules import GAMES
from rules.core import Seat
from tests.reliability.worker import PLATFORM

CHOICES: Final[tuple[tuple[str, dict[str, str], str], ...]] = (
    ("lgame", {}, ""),
    ("breakthrough", {"board": "5x6"}, "board:5x6"),
    ("klopodavka", {"board": "8x8"}, "board:8x8"),
)
PEOPLE: Final = ("ann", "bob")


@dataclass(frozen=True, slots=True)
class Evening:
    """One match: the requests in order, and the log they lead to."""

    code: str
    place: str
    requests: tuple[dict[str, Any], ...]
    log: tuple[str, ...]


def evenings(name: str, seed: int, *, plies: int) -> Iterator[Evening]:
    """Matches without end; each at a place of its own."""
    luck = random.Random(seed)
    count = 0
    while True:
        count += 1
        yield _evening(f"{name}.{count}", luck, plies)


def _evening(name: str, luck: random.Random, plies: int) -> Evening:
    key, chosen, words = luck.choice(CHOICES)
    game, code, place = GAMES[key], derived(f"{PLATFORM}:{name}.0", 0), f"hall-{name}"
    said = [(0, f"/challenge bob {key} {words}"), (1, f"/accept #{code}")]
    position = game.start(game.choose(chosen))
    log: list[str] = []
    turn: list[str] = []
    while position.outcome is None and len(log) < plies:
        seat: Seat = position.to_move
        move = luck.choice(position.legal_moves())
        turn.append(game.notation.format(move))
        position = position.play(move)
        if position.to_move != seat or position.outcome is not None or len(turn) == 3:
            said.append((int(seat), f"/move #{code} {' '.join(turn)}"))
            log += turn
            turn.clear()
    requests = tuple(
        {"id": f"{name}.{count}", "who": PEOPLE[seat], "place": place, "text": text}
        for count, (seat, text) in enumerate(said)
    )
    return Evening(code, place, requests, tuple(log))
