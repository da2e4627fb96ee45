"""When simulated players move, and what they type."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from bench.capacity import PEAK, arrivals, turns
from bench.playouts import playouts
from rules import GAMES


def test_the_busiest_hour_is_five_times_as_busy_as_the_mean() -> None:
    day = arrivals(48_000, 600.0, Random(7))
    assert day == sorted(day)
    assert day[0] >= 0
    assert day[-1] < 600
    hours = Counter(int(at / 600 * 24) for at in day)
    assert max(hours.values()) / 2_000 == pytest.approx(PEAK, rel=0.1)


@pytest.mark.parametrize(("game", "plies"), [("lgame", 1), ("breakthrough", 1), ("klopodavka", 3)])
def test_whole_turns_are_typed(game: str, plies: int) -> None:
    played = next(playouts(GAMES[game], {}, most=31))
    typed = turns(played)
    assert all(len(texts) == plies for _, texts in typed)
    assert [seat for seat, _ in typed[:2]] == [0, 1]
