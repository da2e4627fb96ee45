"""Votes: when they are settled. Of players on their match, and of the people of a place on its next turn."""

from __future__ import annotations

from collections.abc import Sequence


def settled(counts: Sequence[int], waiting: int) -> int | None:
    """Return which choice none can overtake any more; None while one can.

    Args:
        counts: The votes of each choice, at least one; of choices that are level, the first is ahead.
        waiting: How many may still vote.
    """
    ahead = max(range(len(counts)), key=counts.__getitem__)
    rivals = (count + waiting + (choice < ahead) for choice, count in enumerate(counts) if choice != ahead)
    return ahead if max(rivals, default=0) <= counts[ahead] else None
