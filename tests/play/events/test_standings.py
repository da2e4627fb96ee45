"""Pairing and tables: Swiss, round robin, pods, and tie-breaks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import accumulate, combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from play.events.pods import POINTS, Placed, seat, shares, sizes
from play.events.pods import table as pod_table
from play.events.standings import (
    MOST_PLAYERS,
    WIN,
    Bye,
    GameScore,
    PairingSystem,
    ScoredGame,
    StandingsRow,
    berger,
    cycles,
    meetings,
    table,
)
from play.events.swiss import Round, pair, rounds
from tests.play.events.chance import played

# Tables: golden ones for each tie-break, and what holds for any event.


SCORES = {
    "1-0": GameScore.FIRST,
    "0-1": GameScore.SECOND,
    "=": GameScore.DRAW,
    "*": GameScore.OPEN,
    "void": GameScore.VOID,
}


def games(text: str) -> list[ScoredGame[str]]:
    """Games as `A-B 1-0, B-C =`."""
    read = []
    for line in text.split(","):
        both, score = line.split()
        first, second = both.split("-")
        read.append(ScoredGame(first, second, SCORES[score]))
    return read


def text(rows: Sequence[StandingsRow[str]]) -> str:
    """A table as `1A4 2B3 2C3`: place, player, half points."""
    return " ".join(f"{row.place}{row.player}{row.points}" for row in rows)


GOLDEN = {
    "points": ("A-B 1-0, C-A =, B-C 1-0", (), PairingSystem.ROUND_ROBIN, "1A3 2B2 3C1"),
    # A and B have 4; B won their game.
    "direct encounter": (
        "A-B 0-1, A-C 1-0, A-D 1-0, B-C 0-1, B-D 1-0, C-D 0-1",
        *((), PairingSystem.ROUND_ROBIN, "1B4 2A4 3D2 4C2"),
    ),
    # A, B and C beat one another in a ring, and D has a draw from C alone: Sonneborn-Berger says nothing new between
    # A and B, whose place is shared.
    "a ring": (
        "A-B 1-0, B-C 1-0, C-A 1-0, A-D 1-0, B-D 1-0, C-D =",
        *((), PairingSystem.ROUND_ROBIN, "1A4 2B4 3C3 4D1"),
    ),
    # Everybody has 2 of 3, A and B each from one draw with the other and with all.
    "shared": ("A-B =, B-C =, C-A =", (), PairingSystem.ROUND_ROBIN, "1A2 1B2 1C2"),
    # A drew B; A beat the weaker C and lost to none, B beat the stronger D.
    "Sonneborn-Berger": (
        "A-B =, A-C 1-0, A-D 0-1, B-C 0-1, B-D 1-0, C-D 0-1",
        *((), PairingSystem.ROUND_ROBIN, "1D4 2B3 3A3 4C2"),
    ),
    # Not all of A, B and C have met. Without the weakest of their opponents, A and C have 4 from each other, B has 0.
    "Buchholz": (
        "A-C 1-0, A-E 1-0, B-D 1-0, B-E 1-0, C-F 1-0, C-G 1-0",
        (),
        PairingSystem.SWISS,
        "1A4 1C4 3B4 4E0 5D0 5F0 5G0",
    ),
    # A and D drew and have 3 from their better opponent; D won with the second move.
    "second move": ("A-C 1-0, B-D 0-1, B-C =, A-D =", (), PairingSystem.SWISS, "1D3 2A3 3B1 3C1"),
    # C's free round counts as one against an opponent with as many points as C.
    "byes": ("A-B 1-0", ("C",), PairingSystem.SWISS, "1A2 2C2 3B0"),
    "open and void": ("A-B *, B-C void, C-A 1-0", (), PairingSystem.ROUND_ROBIN, "1C2 2A0 2B0"),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_tables(name: str) -> None:
    played, byes, system, wanted = GOLDEN[name]
    found = games(played)
    players = sorted({player for game in found for player in game.players} | set(byes))
    assert text(table(players, found, map(Bye, byes), system)) == wanted


@settings(max_examples=40, deadline=None)
@given(
    st.integers(3, 24), st.integers(0, 2**32), st.sampled_from([0.0, 0.1]), st.randoms(use_true_random=False)
)
def test_a_table_is_the_same_for_results_in_any_order(
    players: int, seed: int, leaving: float, random: Random
) -> None:
    swiss = played(players, seed, leaving=leaving)
    for system in PairingSystem:
        rows = table(range(players), swiss.games, swiss.byes, system)
        assert sum(row.points for row in rows) == WIN * (len(swiss.games) + len(swiss.byes))
        assert [row.points for row in rows] == sorted((row.points for row in rows), reverse=True)
        games, people = swiss.games, list(range(players))
        random.shuffle(games)
        random.shuffle(people)
        again = table(people, games, swiss.byes, system)
        assert {row.player: row for row in again} == {row.player: row for row in rows}


# Pods: their sizes, who sits with whom, and the points.


def test_as_many_fours_as_there_can_be() -> None:
    assert [sizes(players) for players in range(3, 12)] == [
        *((3,), (4,), (5,), (3, 3), (4, 3), (4, 4), (3, 3, 3), (4, 3, 3), (4, 4, 3)),
    ]
    with pytest.raises(ValueError, match="2"):
        sizes(2)


def test_the_first_round_is_dealt_like_a_snake() -> None:
    assert seat(range(1, 13)) == ((1, 6, 7, 12), (2, 5, 8, 11), (3, 4, 9, 10))
    assert seat(range(1, 8)) == ((1, 4, 5, 7), (2, 3, 6))


def test_later_rounds_seat_neighbours_of_the_table_together_and_the_late_first() -> None:
    first = seat(range(1, 9))
    assert first == ((1, 4, 5, 8), (2, 3, 6, 7))
    done = [Placed(pod, (0, 1, 2, 3)) for pod in first]
    assert {frozenset(pod) for pod in seat(range(1, 9), done)} == {
        frozenset((1, 2, 3, 4)),
        frozenset((5, 6, 7, 8)),
    }
    assert [pod[0] for pod in seat(range(1, 9), done)] == [3, 7]


def test_a_blocked_pair_is_kept_apart() -> None:
    assert any({1, 4} <= set(pod) for pod in seat(range(1, 9)))
    assert not any({1, 4} <= set(pod) for pod in seat(range(1, 9), (), {frozenset((1, 4))}))


@pytest.mark.parametrize(
    ("places", "points"),
    [
        ((0, 1, 2, 3), "4 2 1 0"),
        ((2, 0, 0, 3), "1 3 3 0"),
        ((0, 1, 1, 1), "4 1 1 1"),
        ((0, 0, 0, 0), "7/4 7/4 7/4 7/4"),
        ((1, 0, 2), "1 4 0"),
        ((0, 1, 2, 3, 4), "4 3 2 1 0"),
    ],
)
def test_points_are_by_place_and_shared_with_it(places: tuple[int, ...], points: str) -> None:
    assert " ".join(map(str, shares(places))) == points


def test_level_points_are_told_apart_by_the_opponents() -> None:
    done = [Placed(tuple(pod), (0, 1, 2)) for pod in ("ABC", "DEF", "AEF")]
    assert text(pod_table("FEDCBA", done)) == "1A16 2D8 3E4 4B2 5F0 6C0"
    assert [row.place for row in pod_table("GHA", done)] == [1, 2, 2]


@settings(max_examples=60, deadline=None)
@given(st.integers(3, 60), st.randoms(use_true_random=False))
def test_random_events(players: int, random: Random) -> None:
    done: list[Placed[int]] = []
    for _ in range(3):
        pods = seat(range(players), done)
        assert sorted(player for pod in pods for player in pod) == list(range(players))
        assert sorted(map(len, pods)) == sorted(sizes(players))
        done += [Placed(pod, tuple(random.randrange(len(pod)) for _ in pod)) for pod in pods]
    rows = pod_table(range(players), done)
    assert sum((row.total for row in rows), Fraction(0)) == sum(sum(POINTS[len(one.pod)]) for one in done)
    random.shuffle(done)
    assert set(pod_table(random.sample(range(players), players), done)) == set(rows)


@settings(max_examples=30, deadline=None)
@given(st.integers(8, 40), st.randoms(use_true_random=False))
def test_exchanging_neighbours_makes_fewer_repeated_meetings_and_never_more(
    players: int, random: Random
) -> None:
    first = seat(range(players))
    done = [Placed(pod, tuple(random.sample(range(len(pod)), len(pod)))) for pod in first]
    order = [row.player for row in pod_table(range(players), done)]
    room = sizes(players)
    plain = [order[end - size : end] for size, end in zip(room, accumulate(room), strict=True)]
    met = {frozenset(pair) for pod in first for pair in combinations(pod, 2)}

    def again(pods: object) -> int:
        return sum(frozenset(pair) in met for pod in pods for pair in combinations(pod, 2))  # type: ignore[attr-defined]

    assert again(seat(range(players), done)) <= again(plain)


# Berger tables: everybody meets everybody, with first moves in balance.


FIDE = {
    4: "1-4 2-3 / 4-3 1-2 / 2-4 3-1",
    6: "1-6 2-5 3-4 / 6-4 5-3 1-2 / 2-6 3-1 4-5 / 6-5 1-4 2-3 / 3-6 4-2 5-1",
    8: "1-8 2-7 3-6 4-5 / 8-5 6-4 7-3 1-2 / 2-8 3-1 4-7 5-6 / 8-6 7-5 1-4 2-3 / 3-8 4-2 5-1 6-7 / "
    "8-7 1-6 2-5 3-4 / 4-8 5-3 6-2 7-1",
    10: "1-10 2-9 3-8 4-7 5-6 / 10-6 7-5 8-4 9-3 1-2 / 2-10 3-1 4-9 5-8 6-7 / 10-7 8-6 9-5 1-4 2-3 / "
    "3-10 4-2 5-1 6-9 7-8 / 10-8 9-7 1-6 2-5 3-4 / 4-10 5-3 6-2 7-1 8-9 / 10-9 1-8 2-7 3-6 4-5 / "
    "5-10 6-4 7-3 8-2 9-1",
}
"""FIDE Handbook C.05, annex 1; an odd number of players has the next table without its last player."""


def rounds_text(players: int) -> str:
    table = berger(range(1, players + 1))
    return " / ".join(" ".join(f"{game.first}-{game.second}" for game in games) for games in table)


@pytest.mark.parametrize("players", FIDE)
def test_the_tables_are_those_of_fide(players: int) -> None:
    assert rounds_text(players) == FIDE[players]
    free = f"{players}"
    rest = [[p for p in games.split() if free not in p.split("-")] for games in FIDE[players].split(" / ")]
    assert rounds_text(players - 1) == " / ".join(map(" ".join, rest))


@pytest.mark.parametrize("times", [1, 2, 3])
@pytest.mark.parametrize("players", range(2, MOST_PLAYERS + 1))
def test_each_pair_meets_so_often_and_first_moves_are_in_balance(players: int, times: int) -> None:
    table = berger(range(players), times)
    games = [game for games in table for game in games]
    met = Counter(frozenset(game.players) for game in games)
    assert met == dict.fromkeys(map(frozenset, combinations(range(players), 2)), times)
    for games_of_round in table:
        busy = [player for game in games_of_round for player in game.players]
        assert len(set(busy)) == len(busy) == players - players % 2
    balance = Counter(game.first for game in games)
    balance.subtract(game.second for game in games)
    assert all(abs(value) <= times % 2 for value in balance.values())


def test_few_players_meet_twice() -> None:
    assert [cycles(players) for players in (3, 5, 6, 10)] == [2, 2, 1, 1]


# Swiss pairing: its promises for random events, beside FIDE's system, and in small cases by brute force.


players = st.one_of(st.integers(7, 40), st.integers(41, 200))
seeds = st.integers(0, 2**32)


def unit(made: Round[int]) -> list[int]:
    """Everybody in a round."""
    byes = [] if made.bye is None else [made.bye]
    return sorted([player for game in made.games for player in game.players] + byes)


@settings(max_examples=30, deadline=None)
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
