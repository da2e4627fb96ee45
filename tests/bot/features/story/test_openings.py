"""What is commonly played in a store, and how far a match follows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from bot.features.story import openings
from bot.features.story.openings import common, keep
from play.actions.leaving import Resign
from play.actions.playing import MakeMove
from play.errors import Unavailable
from play.facts import Fact
from play.match import Match
from tests.support.desk import ANN, Desk

USUAL = ("a2-a3", "a7-a6", "b2-b3")


async def finished(desk: Desk, *moves: str, board: str = "8x8") -> Fact:
    """A match in which these moves were made before it was resigned; stored as one that began."""
    match = await desk.duel("breakthrough", board=board)
    await desk.play(match, *moves)
    return await desk.act(match, ANN, Resign())


async def of_many(*lines: Sequence[str]) -> tuple[Desk, list[Match]]:
    desk, matches = Desk(), []
    for line in lines:
        fact = await finished(desk, *line)
        await keep(desk.table, desk.store, fact)
        matches.append(fact.match)
    return desk, matches


async def shared(desk: Desk, match: Match) -> int:
    return await common(desk.store, match, desk.table.course(match))


async def test_a_match_departs_where_it_is_played_otherwise_than_the_others() -> None:
    desk, matches = await of_many(*[USUAL] * 4, (*USUAL[:2], "h2-h3"), ("h2-h3",))
    assert [await shared(desk, match) for match in matches[-2:]] == [2, 0]


async def test_a_match_that_never_departs_shares_all_its_turns() -> None:
    desk, matches = await of_many(*[USUAL] * 4)
    assert await shared(desk, matches[0]) == len(USUAL)


async def test_few_matches_make_nothing_common_and_a_match_does_not_count_for_itself() -> None:
    desk, matches = await of_many(*[USUAL] * 3)
    assert await shared(desk, matches[0]) == 0


async def test_a_turn_that_few_of_many_play_is_not_common() -> None:
    desk, matches = await of_many(*[USUAL] * 20, *[("h2-h3", "h7-h6")] * 4)
    assert await shared(desk, matches[-1]) == 0


async def test_games_with_other_options_are_not_counted() -> None:
    desk, _ = await of_many(*[USUAL] * 4)
    other = await finished(desk, "a2-a3", board="6x6")
    assert await shared(desk, other.match) == 0


async def test_a_match_is_kept_once_only_when_it_is_over_and_not_from_a_file() -> None:
    desk = Desk()
    match = await desk.duel("breakthrough")
    await keep(desk.table, desk.store, await desk.act(match, ANN, MakeMove("a2-a3")))
    over = await desk.act(match, ANN, Resign())
    brought = replace(over, match=replace(over.match, imported=True))
    await keep(desk.table, desk.store, brought)
    name = openings._name(over.match)
    assert await desk.store.timelines.read(name) == []
    for _ in range(3):
        await keep(desk.table, desk.store, over)
    assert await desk.store.timelines.read(name) == [f"{match.id}/a2-a3"]


async def test_so_many_beginnings_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openings, "MOST", 3)
    desk, matches = await of_many(*[USUAL] * 5)
    assert len(await desk.store.timelines.read(openings._name(matches[0]))) == 3


async def test_a_log_that_cannot_be_replayed_is_left_out_and_a_store_out_of_reach_is_asked_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    desk = Desk()
    over = await finished(desk, "a2-a3")
    (ply,) = over.match.log
    broken = replace(over.match, id="broken", log=(replace(ply, text="a2-a8"),))  # type: ignore[arg-type]
    await keep(desk.table, desk.store, replace(over, match=broken))

    async def fails(*_: object, **__: object) -> None:
        raise Unavailable

    monkeypatch.setattr(desk.store.timelines, "add", fails)
    with pytest.raises(Unavailable):
        await keep(desk.table, desk.store, over)
