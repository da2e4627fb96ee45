"""Swiss pairing: its promises for random events, beside FIDE's system, and in small cases by brute force."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from play.events.standings import Bye, GameScore, ScoredGame, meetings
from play.events.swiss import Round, pair, rounds
from tests.play.events.random_swiss import played

players = st.one_of(st.integers(7, 40), st.integers(41, 200))
seeds = st.integers(0, 2**32)


def unit(made: Round[int]) -> list[int]:
    """Everybody in a round."""
    byes = [] if made.bye is None else [made.bye]
    return sorted([player for game in made.games for player in game.players] + byes)


@settings(max_examples=60, deadline=None)
@given(players, seeds)
def test_nobody_meets_twice_or_rests_twice_and_first_moves_are_in_balance(count: int, seed: int) -> None:
    swiss = played(count, seed)
    assert [unit(made) for made in swiss.made] == [list(range(count))] * rounds(count)
    assert set(meetings(swiss.games).values()) == {1}
    assert len({bye.player for bye in swiss.byes}) == len(swiss.byes) == count % 2 * rounds(count)
    balance = Counter(game.first for game in swiss.games)
    balance.subtract(game.second for game in swiss.games)
    assert max(map(abs, balance.values())) <= 2


@settings(max_examples=40, deadline=None)
@given(st.integers(7, 60), seeds, st.sampled_from([0.02, 0.1, 0.3]))
def test_people_who_leave_do_not_stop_it(count: int, seed: int, leaving: float) -> None:
    for made in played(count, seed, leaving=leaving, count=7).made:
        everybody = unit(made)
        assert len(set(everybody)) == len(everybody)
        assert (made.bye is None) == (len(everybody) % 2 == 0)


def rests(players: Sequence[int]) -> Iterator[list[frozenset[int]]]:
    """All ways to pair an even number of players."""
    if not players:
        yield []
        return
    first, *others = players
    for other in others:
        for rest in rests([player for player in others if player != other]):
            yield [frozenset((first, other)), *rest]


@settings(max_examples=300, deadline=None)
@given(st.sampled_from([4, 6, 8]), st.data())
def test_a_second_meeting_is_never_avoidable_nor_more_than_needed(count: int, data: st.DataObject) -> None:
    pairs = list(combinations(range(count), 2))
    met = data.draw(st.lists(st.sampled_from(pairs), unique=True, max_size=len(pairs)))
    drawn = data.draw(st.lists(st.sampled_from(pairs), unique=True, max_size=4))
    history = [ScoredGame(*both, GameScore.DRAW) for both in met]
    blocked = frozenset(map(frozenset, drawn))
    made = {frozenset(game.players) for game in pair(range(count), history, blocked).games}

    before = set(map(frozenset, met))
    ways = [set(way) for way in rests(range(count))]
    assert len(made & before) == min(len(way & before) for way in ways)
    if any(not way & (before | blocked) for way in ways):
        assert not made & blocked


def test_a_bye_goes_to_the_lowest_who_had_none() -> None:
    wins: list[ScoredGame[int] | Bye[int]] = [
        ScoredGame(0, 1, GameScore.FIRST),
        ScoredGame(2, 3, GameScore.FIRST),
        Bye(4),
    ]
    assert pair(range(5), wins).bye == 3
    assert pair(range(5), [*wins, Bye(3), Bye(1), Bye(0), Bye(2)]).bye == 4  # a second one, to the lowest


def test_the_first_round_is_upper_half_against_lower_half() -> None:
    assert pair("ABCDEFGH", ()).games == (
        *(ScoredGame("A", "E"), ScoredGame("F", "B")),
        *(ScoredGame("C", "G"), ScoredGame("H", "D")),
    )


def test_an_open_game_counts_as_a_draw_and_a_void_one_not_at_all() -> None:
    first = pair(range(8), ())
    drawn = [replace(game, score=GameScore.DRAW) for game in first.games]
    assert pair(range(8), first.games) == pair(range(8), drawn)
    assert pair(range(8), [replace(game, score=GameScore.VOID) for game in first.games]) == first


def dutch(players: Sequence[int], history: Sequence[ScoredGame[int] | Bye[int]]) -> Round[int]:
    """Pair by py4swiss' Dutch engine: the history as a tournament report, which numbers players from 1."""
    engine = pytest.importorskip("py4swiss.engines", reason="has wheels for some platforms only").DutchEngine
    from py4swiss.trf import ParsedTrf
    from py4swiss.trf.codes import PlayerCode
    from py4swiss.trf.results import ColorToken, ResultToken, RoundResult
    from py4swiss.trf.sections import PlayerSection, XSection

    results: dict[int, list[RoundResult]] = {player: [] for player in players}
    points = dict.fromkeys(players, 0)
    token = {0: ResultToken.LOSS, 1: ResultToken.DRAW, 2: ResultToken.WIN}
    for entry in history:
        if isinstance(entry, Bye):
            bye = ResultToken.PAIRING_ALLOCATED_BYE
            results[entry.player].append(RoundResult(id=0, color=ColorToken.BYE_OR_NOT_PAIRED, result=bye))
            points[entry.player] += entry.points
            continue
        for player, colour in ((entry.first, ColorToken.WHITE), (entry.second, ColorToken.BLACK)):
            score = token[entry.points(player)]
            results[player].append(RoundResult(id=entry.opponent(player) + 1, color=colour, result=score))
            points[player] += entry.points(player)
    sections = [
        PlayerSection(
            code=PlayerCode.PLAYER,
            starting_number=player + 1,
            points_times_ten=5 * points[player],
            rank=player + 1,
            results=results[player],
        )
        for player in players
    ]
    pairs = engine.generate_pairings(
        ParsedTrf(player_sections=sections, x_section=XSection(number_of_rounds=9))
    )
    games = tuple(ScoredGame(one.white - 1, one.black - 1) for one in pairs if one.black)
    return Round(games, next((one.white - 1 for one in pairs if not one.black), None))


@cache
def distances(count: int) -> tuple[int, int]:
    """How far apart in points pairs are over some events, ours and FIDE's, each paired by itself with the same luck."""
    ours = [sum(played(count, seed).apart) for seed in range(12)]
    fide = [sum(played(count, seed, dutch).apart) for seed in range(12)]
    return sum(ours), sum(fide)


@pytest.mark.slow
@pytest.mark.parametrize("counts", [(11, 12, 16), (23, 32, 47), (64, 101)])
def test_opponents_are_as_equal_as_with_the_dutch_system(counts: tuple[int, ...]) -> None:
    ours, fide = (sum(side) for side in zip(*map(distances, counts), strict=True))
    assert ours <= 1.1 * fide
