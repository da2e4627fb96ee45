"""Taking chairs, giving them back, starting."""

from __future__ import annotations

from dataclasses import replace

from play.actions.leaving import Leave
from play.actions.seating import Join, Start
from play.errors import Refused
from play.facts import CalledOff, Joined, LeftLobby, Started
from play.files.importing import Import
from play.match import Cancel, Chair, Match, Phase
from play.opening import Challenge, Lobby
from play.people import Player
from play.request import AtRevision, Request
from rules.core import Ending, OptionReason, Outcome, Seat
from tests.play.desk import ANN, BOB, CEM, DAN, EVE, NOON, ROOM, S1, S2, S3, S4, Desk
from tests.toy import notches
from tests.toy.notches.position import Notches


async def lobby(desk: Desk, *others: Player, game: str = "notches", **chosen: str) -> Match:
    match = (await desk.table.open(Lobby(ROOM, game, chosen), Request(ANN, desk.at))).match
    for who in others:
        match = (await desk.table.act(match.id, Join(), Request(who, desk.at))).match
    return match


def people(match: Match) -> list[Player | None]:
    return [chair.player for chair in match.chairs]


def cut_by(desk: Desk, match: Match) -> int:
    """How many people the position is for."""
    position = desk.table.position(match)
    assert isinstance(position, Notches)
    return len(position.notches)


async def test_a_challenge_of_two_begins_when_it_is_accepted(desk: Desk) -> None:
    match = (await desk.table.open(Challenge(ROOM, "lgame", opponents=(BOB,)), Request(ANN, NOON))).match
    await desk.refuses(desk.table.act(match.id, Join(), Request(ANN, desk.at)), Refused.OWN_CHALLENGE)
    await desk.refuses(desk.table.act(match.id, Join(), Request(CEM, desk.at)), Refused.NOT_INVITED)
    await desk.stale(desk.table.act(match.id, Join(), Request(BOB, desk.at, seen=AtRevision(0))), match)
    renamed = replace(BOB, name="Bobby")
    fact = await desk.table.act(match.id, Join(), Request(renamed, desk.at, seen=AtRevision(1)))
    assert isinstance(fact, Started)
    assert fact.match.phase is Phase.PLAYING
    assert people(fact.match) == [ANN, renamed]
    await desk.refuses(desk.table.act(match.id, Join(), Request(CEM, desk.at)), Refused.ALREADY_STARTED)


async def test_an_open_challenge_is_anyones(desk: Desk) -> None:
    match = (await desk.table.open(Challenge(ROOM, "lgame"), Request(ANN, NOON))).match
    assert isinstance(await desk.table.act(match.id, Join(), Request(CEM, desk.at)), Started)


async def test_a_challenge_of_more_waits_for_all(desk: Desk) -> None:
    match = (await desk.table.open(Challenge(ROOM, "notches", opponents=(BOB,)), Request(ANN, NOON))).match
    fact = await desk.table.act(match.id, Join(), Request(CEM, desk.at))
    assert isinstance(fact, Joined)
    assert (fact.player, fact.seat) == (CEM, S3)
    await desk.refuses(desk.table.act(match.id, Join(), Request(CEM, desk.at)), Refused.ALREADY_SEATED)
    await desk.refuses(desk.table.act(match.id, Join(), Request(DAN, desk.at)), Refused.NOT_INVITED)
    started = await desk.table.act(match.id, Join(), Request(BOB, desk.at))
    assert isinstance(started, Started)
    assert people(started.match) == [ANN, BOB, CEM]


async def test_a_lobby_fills_and_waits_for_its_start(desk: Desk) -> None:
    match = await lobby(desk, BOB, CEM)
    assert match.phase is Phase.OPEN
    await desk.refuses(desk.table.act(match.id, Join(), Request(DAN, desk.at)), Refused.FULL)
    await desk.refuses(desk.table.act(match.id, Join(), Request(ANN, desk.at)), Refused.ALREADY_SEATED)
    await desk.refuses(desk.table.act(match.id, Start(), Request(DAN, desk.at)), Refused.NOT_SEATED)
    await desk.stale(desk.table.act(match.id, Start(), Request(CEM, desk.at, seen=AtRevision(1))), match)
    fact = await desk.table.act(match.id, Start(), Request(CEM, desk.at))
    assert fact.match.phase is Phase.PLAYING
    assert people(fact.match) == [ANN, BOB, CEM]
    await desk.refuses(desk.table.act(match.id, Start(), Request(ANN, desk.at)), Refused.ALREADY_STARTED)
    await desk.refuses(desk.table.act(match.id, Join(), Request(DAN, desk.at)), Refused.ALREADY_STARTED)


async def test_a_lobby_that_is_not_full_is_started_by_its_host_for_those_present(desk: Desk) -> None:
    match = await lobby(desk, BOB, CEM, DAN, players="4", board="7x3")
    await desk.table.act(match.id, Leave(), Request(BOB, desk.at))
    await desk.refuses(desk.table.act(match.id, Start(), Request(CEM, desk.at)), Refused.NOT_HOST, host="Ann")
    fact = await desk.table.act(match.id, Start(), Request(ANN, desk.at))
    assert people(fact.match) == [ANN, CEM, DAN]
    assert fact.match.options == (("board", "7x3"),), "three is the default"
    assert desk.table.position(fact.match).to_move is S1
    assert cut_by(desk, fact.match) == 3


async def test_starting_short_forgets_the_positions_of_the_larger_game(desk: Desk) -> None:
    match = await lobby(desk, BOB, players="4")
    assert cut_by(desk, match) == 4
    match = (await desk.table.act(match.id, Start(), Request(ANN, desk.at))).match
    assert cut_by(desk, match) == 2


async def test_too_few(desk: Desk) -> None:
    match = await lobby(desk)
    await desk.refuses(
        desk.table.act(match.id, Start(), Request(ANN, desk.at)), Refused.TOO_FEW, seated=1, needed=2
    )
    match = await lobby(desk, game="lgame")
    await desk.refuses(
        desk.table.act(match.id, Start(), Request(ANN, desk.at)), Refused.TOO_FEW, seated=1, needed=2
    )


async def test_a_number_that_the_game_refuses(desk: Desk) -> None:
    holes = "a1,a2,a3,b1,b2,b3,c1,c2,c3,d1,d2,d3"
    match = await lobby(desk, BOB, holes=holes)
    started = await desk.table.act(match.id, Start(), Request(ANN, desk.at))
    assert len(started.match.chairs) == 2
    few = replace(
        notches.GAME,
        key="few",
        options=lambda chosen: notches.GAME.options({**chosen, "players": chosen["players"] + 1}),
    )
    short = Desk({"few": few})
    match = await lobby(short, BOB, game="few", players="3")
    assert len(match.chairs) == 4
    await short.refuses(
        short.table.act(match.id, Start(), Request(ANN, short.at)), Refused.TOO_FEW, seated=2, needed=3
    )


async def test_what_was_chosen_for_all_chairs_needs_them_all(desk: Desk) -> None:
    chosen = {"players": "3", "bases": "a1,a10,j1"}
    match = await lobby(desk, BOB, game="klopodavka", **chosen)
    await desk.refuses(
        desk.table.act(match.id, Start(), Request(ANN, desk.at)), Refused.TOO_FEW, seated=2, needed=3
    )
    await desk.table.act(match.id, Join(), Request(CEM, desk.at))
    assert (await desk.table.act(match.id, Start(), Request(ANN, desk.at))).match.phase is Phase.PLAYING


async def test_a_challenge_can_be_started_short_too(desk: Desk) -> None:
    match = (
        await desk.table.open(Challenge(ROOM, "notches", opponents=(BOB, CEM)), Request(ANN, NOON))
    ).match
    await desk.table.act(match.id, Join(), Request(CEM, desk.at))
    await desk.refuses(desk.table.act(match.id, Start(), Request(CEM, desk.at)), Refused.NOT_HOST)
    fact = await desk.table.act(match.id, Start(), Request(ANN, desk.at))
    assert people(fact.match) == [ANN, CEM]


async def test_joining_a_team(desk: Desk) -> None:
    match = await lobby(desk, game="pairs", players="4")
    fact = await desk.table.act(match.id, Join(1), Request(BOB, desk.at))
    assert isinstance(fact, Joined)
    assert fact.seat is S3
    await desk.refuses(desk.table.act(match.id, Join(1), Request(CEM, desk.at)), Refused.TEAM_FULL, team=1)
    for team in (0, 3, -1, 10**30):
        await desk.refuses(
            desk.table.act(match.id, Join(team), Request(CEM, desk.at)),
            Refused.NO_SUCH_TEAM,
            team=team,
            teams=2,
        )
    fact = await desk.table.act(match.id, Join(2), Request(CEM, desk.at))
    assert isinstance(fact, Joined)
    assert fact.seat is S2


async def test_without_a_wish_the_smaller_team_is_joined(desk: Desk) -> None:
    match = await lobby(desk, game="pairs", players="4")
    seats = []
    for who in (BOB, CEM, DAN):
        fact = await desk.table.act(match.id, Join(), Request(who, desk.at))
        assert isinstance(fact, Joined)
        seats.append(fact.seat)
    assert seats == [S2, S3, S4]


async def test_a_team_of_a_game_without_teams_is_a_seat(desk: Desk) -> None:
    match = await lobby(desk)
    fact = await desk.table.act(match.id, Join(3), Request(BOB, desk.at))
    assert isinstance(fact, Joined)
    assert fact.seat is S3


async def test_going_over_to_another_team(desk: Desk) -> None:
    match = await lobby(desk, BOB, game="pairs", players="4")
    assert people(match) == [ANN, BOB, None, None]
    fact = await desk.table.act(match.id, Join(2), Request(ANN, desk.at))
    assert isinstance(fact, Joined)
    assert (fact.player, fact.seat) == (ANN, S4)
    assert people(fact.match) == [None, BOB, None, ANN]
    assert fact.match.host == ANN
    for who, team in ((ANN, 2), (BOB, 2), (ANN, None)):
        await desk.refuses(
            desk.table.act(match.id, Join(team), Request(who, desk.at)), Refused.ALREADY_SEATED
        )
    await desk.table.act(match.id, Join(1), Request(CEM, desk.at))
    await desk.table.act(match.id, Join(1), Request(DAN, desk.at))
    await desk.refuses(desk.table.act(match.id, Join(1), Request(BOB, desk.at)), Refused.TEAM_FULL, team=1)
    for team in (0, 3):
        await desk.refuses(desk.table.act(match.id, Join(team), Request(BOB, desk.at)), Refused.NO_SUCH_TEAM)
    started = await desk.table.act(match.id, Start(), Request(ANN, desk.at))
    assert people(started.match) == [CEM, BOB, DAN, ANN]
    await desk.refuses(desk.table.act(match.id, Join(1), Request(ANN, desk.at)), Refused.ALREADY_STARTED)


async def test_the_host_of_a_challenge_goes_over_too_but_takes_nobodys_chair(desk: Desk) -> None:
    made = await desk.table.open(
        Challenge(ROOM, "pairs", {"players": "4"}, opponents=(BOB,)), Request(ANN, NOON)
    )
    fact = await desk.table.act(made.match.id, Join(2), Request(ANN, desk.at))
    assert fact.match.chairs == (Chair(), Chair(reserved=BOB), Chair(), Chair(player=ANN))
    full = await desk.table.open(
        Challenge(ROOM, "pairs", {"players": "4"}, opponents=(BOB, CEM, DAN)), Request(ANN, NOON)
    )
    await desk.refuses(
        desk.table.act(full.match.id, Join(2), Request(ANN, desk.at)), Refused.TEAM_FULL, team=2
    )


async def test_in_a_match_from_a_file_nobody_changes_seats(desk: Desk) -> None:
    old = await desk.play(await desk.party(ANN, BOB, CEM, DAN, game="pairs", board="9x9"), "a1")
    text = await desk.export(old.id)
    match = (await desk.table.open(Import(text, ROOM), Request(ANN, desk.at))).match
    await desk.refuses(desk.table.act(match.id, Join(2), Request(ANN, desk.at)), Refused.OWN_CHALLENGE)


async def test_choosing_another_team_gives_the_kept_chair_back(desk: Desk) -> None:
    made = await desk.table.open(
        Challenge(ROOM, "pairs", {"players": "4"}, opponents=(BOB,)), Request(ANN, NOON)
    )
    fact = await desk.table.act(made.match.id, Join(1), Request(BOB, desk.at))
    assert fact.match.chairs == (Chair(player=ANN), Chair(), Chair(player=BOB), Chair())


async def test_team_mates_stay_together_where_fewer_play(desk: Desk) -> None:
    triple = replace(
        notches.GAME,
        key="triple",
        sides=lambda o: tuple(tuple(Seat(s) for s in range(o.players) if s % 2 == t) for t in range(2)),
    )
    desk = Desk({"triple": replace(triple, schema=notches.GAME.schema)})
    match = (await desk.table.open(Lobby(ROOM, "triple", {"players": "4"}), Request(ANN, NOON))).match
    await desk.table.act(match.id, Join(1), Request(BOB, desk.at))
    await desk.table.act(match.id, Join(2), Request(CEM, desk.at))
    await desk.table.act(match.id, Join(2), Request(DAN, desk.at))
    match = (await desk.table.act(match.id, Leave(), Request(CEM, desk.at))).match
    assert people(match) == [ANN, None, BOB, DAN]
    fact = await desk.table.act(match.id, Start(), Request(ANN, desk.at))
    assert people(fact.match) == [ANN, DAN, BOB], "Ann and Bob are still one team"


async def test_leaving_a_lobby(desk: Desk) -> None:
    match = await lobby(desk, BOB, CEM)
    await desk.refuses(desk.table.act(match.id, Leave(), Request(DAN, desk.at)), Refused.NOT_SEATED)
    await desk.stale(desk.table.act(match.id, Leave(), Request(BOB, desk.at, seen=AtRevision(1))), match)
    fact = await desk.table.act(match.id, Leave(), Request(BOB, desk.at))
    assert isinstance(fact, LeftLobby)
    assert (fact.player, fact.host, people(fact.match)) == (BOB, None, [ANN, None, CEM])
    fact = await desk.table.act(match.id, Leave(), Request(ANN, desk.at))
    assert isinstance(fact, LeftLobby)
    assert (fact.host, fact.match.host, people(fact.match)) == (CEM, CEM, [None, None, CEM])
    await desk.table.act(match.id, Join(), Request(DAN, desk.at))
    await desk.table.act(match.id, Join(), Request(EVE, desk.at))
    await desk.table.act(match.id, Leave(), Request(EVE, desk.at))
    await desk.table.act(match.id, Leave(), Request(DAN, desk.at))
    gone = await desk.table.act(match.id, Leave(), Request(CEM, desk.at))
    assert isinstance(gone, CalledOff)
    assert (gone.why, gone.by, gone.match.phase) == (Cancel.EMPTY, CEM, Phase.CALLED_OFF)
    await desk.refuses(desk.table.act(match.id, Leave(), Request(CEM, desk.at)), Refused.NOT_SEATED)


async def test_the_host_is_followed_by_whoever_sits_next(desk: Desk) -> None:
    match = await lobby(desk, BOB, CEM)
    await desk.table.act(match.id, Leave(), Request(ANN, desk.at))
    await desk.table.act(match.id, Join(), Request(DAN, desk.at))
    fact = await desk.table.act(match.id, Leave(), Request(BOB, desk.at))
    assert people(fact.match) == [DAN, None, CEM]
    assert fact.match.host == CEM


async def test_a_chair_given_back_is_anyones(desk: Desk) -> None:
    match = await lobby(desk, BOB, CEM)
    await desk.table.act(match.id, Leave(), Request(BOB, desk.at))
    fact = await desk.table.act(match.id, Join(), Request(EVE, desk.at))
    assert isinstance(fact, Joined)
    assert fact.seat is S2


async def test_a_start_position_with_nothing_to_play_is_the_end(desk: Desk) -> None:
    class End(Ending):
        NONE = "few.ending.none"

    class Stuck(Notches):
        __slots__ = ()

        @property
        def outcome(self) -> Outcome | None:
            return Outcome((S2,), End.NONE)

    def start(o: notches.Options) -> Notches:
        return Stuck(o, (frozenset(),) * o.players, S1, 1)

    desk = Desk({"few": replace(notches.GAME, key="few", start=start)})
    match = await desk.duel("few", players="2")
    assert match.phase is Phase.OVER
    assert match.result
    assert (match.result.winners, match.result.reason) == ((S2,), "few.ending.none")


async def test_options_are_refused_with_the_games_reason(desk: Desk) -> None:
    await desk.refuses(
        desk.table.open(Lobby(ROOM, "notches", {"players": "٣"}), Request(ANN, NOON)),
        OptionReason.NOT_A_NUMBER,
    )
