"""What the proofs count: what was lost, doubled, unannounced, stale or damaged."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields


@dataclass
class Tally:
    """What was found.

    Attributes:
        back: Seconds from the start of a process to the first message, where something waited to be shown.
        shown: The same from the moment it was connected.
        ends: Seconds from SIGTERM to the end of a process.
        cut_off: Requests that a bot acknowledged and did not answer before it was killed.
        unanswered: Those of them that no later bot answered in time.
    """

    kills: Counter[str] = field(default_factory=Counter)
    requests: int = 0
    repeated: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    matches: int = 0
    moves: int = 0
    lost: int = 0
    doubled: int = 0
    unannounced: int = 0
    merged: int = 0
    stale: int = 0
    boards: list[tuple[int, str]] = field(default_factory=list)  # all messages of a match with a stale one
    timers: int = 0
    timers_wrong: int = 0
    damaged: int = 0
    sent_again: int = 0
    again: list[str] = field(default_factory=list)  # what was seen twice: all messages of those matches
    orphans: int = 0  # boards sent just before a kill that no bot knows of; a later board tells more
    sent_too_often: int = 0
    nonces_repeated: int = 0
    back: list[float] = field(default_factory=list)
    shown: list[float] = field(default_factory=list)
    ends: list[float] = field(default_factory=list)
    cut_off: int = 0
    unanswered: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return (
            f"{self.matches} matches with {self.moves} moves: {self.lost} lost, {self.doubled} doubled,"
            f" {self.unannounced} unannounced, {self.merged} messages that name several turns; {self.stale} stale"
            f" boards; {self.timers} timers: {self.timers_wrong} wrong; {self.damaged} damaged; {self.sent_again}"
            f" messages seen twice, {self.orphans} boards left by a kill, {self.nonces_repeated} not shown again under the same nonce;"
            f" of {self.cut_off} requests that were acknowledged and cut off {len(self.unanswered)} without an answer"
        )

    def check(self) -> None:
        """Fail if something was lost, doubled, unannounced, stale, wrong or damaged."""
        assert not self.unanswered, "\n".join(self.unanswered)
        assert not self.boards, "\n---\n".join(f"message {number}: {said}" for number, said in self.boards)
        assert self.lost == self.doubled == self.unannounced == self.stale == 0
        assert self.timers_wrong == self.damaged == 0

    def check_once(self) -> None:
        """Fail if a message was seen twice, or left by a bot."""
        assert not self.again, "\n---\n".join(self.again)
        assert self.sent_again == self.orphans == 0

    def add(self, other: Tally) -> None:
        """Add what was found elsewhere."""
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))
