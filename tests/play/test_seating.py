"""Challenges and lobbies, seats and starting."""

from __future__ import annotations

from dataclasses import replace

import pytest

from play.actions.leaving import Leave, Resign
from play.actions.playing import MakeMove
from play.actions.seating import Decline, Expire, Join, Start, Withdraw
from play.errors import Refused
from play.facts import CalledOff, Joined, LeftLobby, LobbyOpened, Started, TurnedDown
from play.files.matchfile import Import
from play.match import Cancel, Chair, Match, Phase
from play.opening import Challenge, Lobby, rematch
from play.people import Account, Player
from play.request import CLOCKWORK, Request
from rules.core import Ending, OptionReason, Outcome, Seat
from tests.support.desk import ANN, BOB, CEM, DAN, EVE, HOUR, NOON, ROOM, S1, S2, S3, S4, Desk
from tests.toy import notches
from tests.toy.notches.position import Notches

# Taking chairs, giving them back, starting.


async def lobby(desk: Desk, *others: Player, game: str = "notches", **chosen: str) -> Match:
    match = (await desk.open(ANN, Lobby(ROOM, game, chosen))).match
    for who in others:
        match = (await desk.act(match, who, Join())).match
    return match


def people(match: Match) -> list[Player | None]:
    return [chair.player for chair in match.chairs]


def cut_by(desk: Desk, match: Match) -> int:
    """How many people the position is for."""
    position = desk.table.position(match)
    assert isinstance(position, Notches)
    return len(position.notches)


async def test_a_challenge_of_two_begins_when_it_is_accepted(desk: Desk) -> None:
    match = await desk.invited(ANN, BOB, game="lgame")
    await desk.refused(match, ANN, Join(), Refused.OWN_CHALLENGE)
    await desk.refused(match, CEM, Join(), Refused.NOT_INVITED)
    renamed = replace(BOB, name="Bobby")
    fact = await desk.gives(Started, match, renamed, Join())
    assert fact.match.phase is Phase.PLAYING
    assert people(fact.match) == [ANN, renamed]
    await desk.refused(match, CEM, Join(), Refused.ALREADY_STARTED)


async def test_a_challenge_of_more_waits_for_all(desk: Desk) -> None:
    match = await desk.invited(ANN, BOB, game="notches")
    fact = await desk.gives(Joined, match, CEM, Join())
    assert (fact.player, fact.seat) == (CEM, S3)
    await desk.refused(match, CEM, Join(), Refused.ALREADY_SEATED)
    await desk.refused(match, DAN, Join(), Refused.NOT_INVITED)
    started = await desk.gives(Started, match, BOB, Join())
    assert people(started.match) == [ANN, BOB, CEM]


async def test_a_lobby_fills_and_waits_for_its_start(desk: Desk) -> None:
    match = await lobby(desk, BOB, CEM)
    assert match.phase is Phase.OPEN
    await desk.refused(match, DAN, Join(), Refused.FULL)
    await desk.refused(match, ANN, Join(), Refused.ALREADY_SEATED)
    await desk.refused(match, DAN, Start(), Refused.NOT_SEATED)
    await desk.refused(match, CEM, Start(), Refused.STALE, seen=1)
    fact = await desk.act(match, CEM, Start())
    assert fact.match.phase is Phase.PLAYING
    assert people(fact.match) == [ANN, BOB, CEM]
    await desk.refused(match, ANN, Start(), Refused.ALREADY_STARTED)
    await desk.refused(match, DAN, Join(), Refused.ALREADY_STARTED)


async def test_a_lobby_that_is_not_full_is_started_by_its_host_for_those_present(desk: Desk) -> None:
    match = await lobby(desk, BOB, CEM, DAN, players="4", board="7x3")
    await desk.act(match, BOB, Leave())
    await desk.refused(match, CEM, Start(), Refused.NOT_HOST, host="Ann")
    fact = await desk.act(match, ANN, Start())
    assert people(fact.match) == [ANN, CEM, DAN]
    assert fact.match.options == (("board", "7x3"),), "three is the default"
    assert desk.table.position(fact.match).to_move is S1
    assert cut_by(desk, fact.match) == 3


async def test_too_few(desk: Desk) -> None:
    match = await lobby(desk)
    await desk.refused(match, ANN, Start(), Refused.TOO_FEW, seated=1, needed=2)
    match = await lobby(desk, game="lgame")
    await desk.refused(match, ANN, Start(), Refused.TOO_FEW, seated=1, needed=2)


async def test_a_number_that_the_game_refuses(desk: Desk) -> None:
    holes = "a1,a2,a3,b1,b2,b3,c1,c2,c3,d1,d2,d3"
    match = await lobby(desk, BOB, holes=holes)
    started = await desk.act(match, ANN, Start())
    assert len(started.match.chairs) == 2
    few = replace(
        notches.GAME,
        key="few",
        options=lambda chosen: notches.GAME.options({**chosen, "players": chosen["players"] + 1}),
    )
    short = Desk({"few": few})
    match = await lobby(short, BOB, game="few", players="3")
    assert len(match.chairs) == 4
    await short.refused(match, ANN, Start(), Refused.TOO_FEW, seated=2, needed=3)


async def test_what_was_chosen_for_all_chairs_needs_them_all(desk: Desk) -> None:
    chosen = {"players": "3", "bases": "a1,a10,j1"}
    match = await lobby(desk, BOB, game="klopodavka", **chosen)
    await desk.refused(match, ANN, Start(), Refused.TOO_FEW, seated=2, needed=3)
    await desk.act(match, CEM, Join())
    assert (await desk.act(match, ANN, Start())).match.phase is Phase.PLAYING


async def test_joining_a_team(desk: Desk) -> None:
    match = await lobby(desk, game="pairs", players="4")
    fact = await desk.gives(Joined, match, BOB, Join(1))
    assert fact.seat is S3
    await desk.refused(match, CEM, Join(1), Refused.TEAM_FULL, team=1)
    for team in (0, 3, -1, 10**30):
        await desk.refused(match, CEM, Join(team), Refused.NO_SUCH_TEAM, team=team, teams=2)
    fact = await desk.gives(Joined, match, CEM, Join(2))
    assert fact.seat is S2


async def test_going_over_to_another_team(desk: Desk) -> None:
    match = await lobby(desk, BOB, game="pairs", players="4")
    assert people(match) == [ANN, BOB, None, None]
    fact = await desk.gives(Joined, match, ANN, Join(2))
    assert (fact.player, fact.seat) == (ANN, S4)
    assert people(fact.match) == [None, BOB, None, ANN]
    assert fact.match.host == ANN
    for who, team in ((ANN, 2), (BOB, 2), (ANN, None)):
        await desk.refused(match, who, Join(team), Refused.ALREADY_SEATED)
    await desk.act(match, CEM, Join(1))
    await desk.act(match, DAN, Join(1))
    await desk.refused(match, BOB, Join(1), Refused.TEAM_FULL, team=1)
    for team in (0, 3):
        await desk.refused(match, BOB, Join(team), Refused.NO_SUCH_TEAM)
    started = await desk.act(match, ANN, Start())
    assert people(started.match) == [CEM, BOB, DAN, ANN]
    await desk.refused(match, ANN, Join(1), Refused.ALREADY_STARTED)


async def test_the_host_of_a_challenge_goes_over_too_but_takes_no_kept_chair(desk: Desk) -> None:
    made = await desk.open(ANN, Challenge(ROOM, "pairs", {"players": "4"}, opponents=(BOB,)), at=NOON)
    fact = await desk.act(made.match, ANN, Join(2))
    assert fact.match.chairs == (Chair(), Chair(reserved=BOB), Chair(), Chair(player=ANN))
    full = await desk.open(
        ANN, Challenge(ROOM, "pairs", {"players": "4"}, opponents=(BOB, CEM, DAN)), at=NOON
    )
    await desk.refused(full.match, ANN, Join(2), Refused.TEAM_FULL, team=2)


async def test_in_a_match_from_a_file_seats_are_not_changed(desk: Desk) -> None:
    old = await desk.play(await desk.party(ANN, BOB, CEM, DAN, game="pairs", board="9x9"), "a1")
    text = await desk.export(old.id)
    match = (await desk.open(ANN, Import(text, ROOM))).match
    await desk.refused(match, ANN, Join(2), Refused.OWN_CHALLENGE)


async def test_choosing_another_team_gives_the_kept_chair_back(desk: Desk) -> None:
    made = await desk.open(ANN, Challenge(ROOM, "pairs", {"players": "4"}, opponents=(BOB,)), at=NOON)
    fact = await desk.act(made.match, BOB, Join(1))
    assert fact.match.chairs == (Chair(player=ANN), Chair(), Chair(player=BOB), Chair())


async def test_team_mates_stay_together_where_fewer_play(desk: Desk) -> None:
    triple = replace(
        notches.GAME,
        key="triple",
        sides=lambda o: tuple(tuple(Seat(s) for s in range(o.players) if s % 2 == t) for t in range(2)),
    )
    desk = Desk({"triple": replace(triple, schema=notches.GAME.schema)})
    match = (await desk.open(ANN, Lobby(ROOM, "triple", {"players": "4"}), at=NOON)).match
    await desk.act(match, BOB, Join(1))
    await desk.act(match, CEM, Join(2))
    await desk.act(match, DAN, Join(2))
    match = (await desk.act(match, CEM, Leave())).match
    assert people(match) == [ANN, None, BOB, DAN]
    fact = await desk.act(match, ANN, Start())
    assert people(fact.match) == [ANN, DAN, BOB], "Ann and Bob are still one team"


async def test_leaving_a_lobby(desk: Desk) -> None:
    match = await lobby(desk, BOB, CEM)
    await desk.refused(match, DAN, Leave(), Refused.NOT_SEATED)
    fact = await desk.gives(LeftLobby, match, BOB, Leave())
    assert (fact.player, fact.host, people(fact.match)) == (BOB, None, [ANN, None, CEM])
    fact = await desk.gives(LeftLobby, match, ANN, Leave())
    assert (fact.host, fact.match.host, people(fact.match)) == (CEM, CEM, [None, None, CEM])
    await desk.act(match, DAN, Join())
    await desk.act(match, EVE, Join())
    await desk.act(match, EVE, Leave())
    await desk.act(match, DAN, Leave())
    gone = await desk.gives(CalledOff, match, CEM, Leave())
    assert (gone.why, gone.by, gone.match.phase) == (Cancel.EMPTY, CEM, Phase.CALLED_OFF)
    await desk.refused(match, CEM, Leave(), Refused.NOT_SEATED)


async def test_the_host_is_followed_by_the_next_player(desk: Desk) -> None:
    match = await lobby(desk, BOB, CEM)
    await desk.act(match, ANN, Leave())
    await desk.act(match, DAN, Join())
    fact = await desk.act(match, BOB, Leave())
    assert people(fact.match) == [DAN, None, CEM]
    assert fact.match.host == CEM


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


# Challenges and lobbies until they are answered.


@pytest.mark.parametrize(
    ("side", "seat"), [("first", 0), ("second", 1), ("random", 2), ("3", 2), (" Second ", 1), ("1", 0)]
)
async def test_the_host_chooses_a_chair(desk: Desk, side: str, seat: int) -> None:
    match = (await desk.open(ANN, Challenge(ROOM, "notches", opponents=(BOB, CEM), side=side), at=NOON)).match
    assert [chair.player for chair in match.chairs].index(ANN) == seat
    assert [chair.reserved for chair in match.chairs if chair.reserved] == [BOB, CEM]


@pytest.mark.parametrize("side", ["", "third", "0", "4", "-1", "１", "first\u202e second", "x" * 500])
async def test_a_side_that_is_none(desk: Desk, side: str) -> None:
    await desk.refuses(
        desk.open(ANN, Challenge(ROOM, "notches", side=side), at=NOON),
        Refused.BAD_SIDE,
        known=("first", "second", "random", "both", "1", "2", "3"),
    )


async def test_naming_more_people_than_the_default_makes_room_for_them(desk: Desk) -> None:
    match = await desk.invited(ANN, BOB, CEM, DAN, game="notches")
    assert match.options == (("players", "4"),)
    assert len(match.chairs) == 4


@pytest.mark.parametrize(("game", "chosen"), [("notches", {"players": "2"}), ("lgame", {})])
async def test_naming_more_people_than_were_asked_for(desk: Desk, game: str, chosen: dict[str, str]) -> None:
    asked = desk.open(ANN, Challenge(ROOM, game, chosen, opponents=(BOB, CEM)), at=NOON)
    await desk.refuses(asked, Refused.TOO_MANY_SEATS, seats=2)


async def test_challenges_that_make_no_sense(desk: Desk) -> None:
    myself, known = Player(ANN.account, "Not Ann"), tuple(desk.games)
    nonsense = desk.open(ANN, Challenge(ROOM, "chess\x00"), at=NOON)
    await desk.refuses(nonsense, Refused.NO_SUCH_GAME, game="chess", known=known)
    await desk.refuses(desk.open(ANN, Lobby(ROOM, ""), at=NOON), Refused.NO_SUCH_GAME)
    for challenge, reason in (
        (Challenge(ROOM, "lgame", opponents=(myself,)), Refused.YOURSELF),
        (Challenge(ROOM, "notches", opponents=(BOB, BOB)), Refused.ALREADY_SEATED),
        (Challenge(ROOM, "lgame", {"size": "9"}), OptionReason.UNKNOWN_OPTION),
    ):
        await desk.refuses(desk.open(ANN, challenge, at=NOON), reason)


async def test_a_lobby_seats_its_host_first(desk: Desk) -> None:
    fact = await desk.open(ANN, Lobby(ROOM, "notches", {"preset": "wide"}), at=NOON)
    assert isinstance(fact, LobbyOpened)
    assert fact.match.chairs == (Chair(player=ANN), Chair(), Chair(), Chair())
    assert fact.match.lobby
    assert fact.match.expires == NOON + 24 * HOUR


async def test_names_are_cleaned_at_the_door(desk: Desk) -> None:
    odd = Player(Account("console", "odd"), "\u202eevil\n" + "x" * 100)
    match = await desk.invited(odd, BOB, game="lgame")
    assert match.host.name == "evil " + "x" * 59
    assert match.chairs[0].player == match.host


async def test_declining(desk: Desk) -> None:
    match = await desk.invited(ANN, BOB, game="notches")
    await desk.refused(match, CEM, Decline(), Refused.NOT_INVITED)
    await desk.refused(match, ANN, Decline(), Refused.OWN_CHALLENGE)
    fact = await desk.gives(CalledOff, match, BOB, Decline())
    assert (fact.why, fact.by) == (Cancel.DECLINED, BOB)
    assert (fact.match.phase, fact.match.cancelled, fact.match.revision) == (
        Phase.CALLED_OFF,
        Cancel.DECLINED,
        2,
    )
    await desk.refused(match, BOB, Decline(), Refused.CALLED_OFF)
    await desk.refused(match, BOB, Join(), Refused.CALLED_OFF)


async def test_one_decline_of_several_frees_the_seat(desk: Desk) -> None:
    match = await desk.invited(ANN, BOB, CEM, game="notches")
    fact = await desk.gives(TurnedDown, match, CEM, Decline())
    assert (fact.player, fact.match.chairs[2]) == (CEM, Chair())
    await desk.refused(match, CEM, Decline(), Refused.NOT_INVITED)
    await desk.act(match, BOB, Join())
    started = await desk.gives(Started, match, DAN, Join())
    assert [chair.player for chair in started.match.chairs] == [ANN, BOB, DAN]


async def test_a_challenge_ends_when_its_host_is_alone(desk: Desk) -> None:
    match = await desk.invited(ANN, BOB, CEM, game="notches")
    await desk.gives(TurnedDown, match, CEM, Decline())
    await desk.gives(CalledOff, match, BOB, Decline())


async def test_withdrawing(desk: Desk) -> None:
    match = await desk.invited(ANN, BOB, game="lgame")
    await desk.refused(match, BOB, Withdraw(), Refused.NOT_HOST_NOR_SEATED, host="Ann")
    fact = await desk.act(match, ANN, Withdraw())
    assert (fact.why, fact.by) == (Cancel.WITHDRAWN, ANN)
    await desk.refused(match, ANN, Withdraw(), Refused.CALLED_OFF)


async def test_what_has_begun_is_no_invitation(desk: Desk) -> None:
    match = await desk.duel()
    for asked in (
        desk.act(match, ANN, Withdraw()),
        desk.act(match, BOB, Decline()),
        desk.act(match, CEM, Join()),
        desk.act(match, ANN, Start()),
        desk.act(match, CLOCKWORK, Expire(), at=match.expires),
    ):
        await desk.refuses(asked, Refused.ALREADY_STARTED)


async def test_an_invitation_expires(desk: Desk) -> None:
    match = await desk.invited(ANN, BOB, game="lgame")
    late = match.expires
    await desk.refused(match, CLOCKWORK, Expire(), Refused.STALE, at=late - HOUR)
    for asked in (
        desk.act(match, BOB, Join(), at=late),
        desk.act(match, BOB, Decline(), at=late),
        desk.act(match, ANN, Withdraw(), at=late),
        desk.act(match, ANN, Leave(), at=late),
        desk.act(match, ANN, Start(), at=late),
        desk.act(match, ANN, MakeMove("a2-a3"), at=late),
        desk.act(match, CEM, Resign(), at=late),
    ):
        await desk.refuses(asked, Refused.EXPIRED)
    fact = await desk.act(match, CLOCKWORK, Expire(), at=late)
    assert (fact.why, fact.by, fact.match.cancelled) == (Cancel.EXPIRED, None, Cancel.EXPIRED)
    await desk.refused(match, CLOCKWORK, Expire(), Refused.EXPIRED, at=late)
    await desk.refused(match, BOB, Join(), Refused.EXPIRED, at=late)


@pytest.mark.parametrize("code", ["", "no-one", "№", "a" * 5000, "a:b", "../..", "\x00", "١٢٣"])
async def test_a_match_that_does_not_exist(desk: Desk, code: str) -> None:
    await desk.refuses(desk.table.get(code), Refused.NO_SUCH_MATCH, code=code[:12])
    await desk.refused(code, ANN, MakeMove("a2-a3"), Refused.NO_SUCH_MATCH, at=NOON)
    await desk.refuses(rematch(desk.table, code, Request(ANN, NOON)), Refused.NO_SUCH_MATCH)


async def test_a_code_that_is_taken_is_drawn_again(desk: Desk) -> None:
    first = await desk.invited(ANN, game="lgame")
    desk.chance.count = 0
    second = await desk.invited(ANN, game="lgame")
    assert (first.id, second.id) == ("tab001", "tab002")


async def test_codes_that_are_all_taken(desk: Desk) -> None:
    await desk.open(ANN, Challenge(ROOM, "lgame"), at=NOON)
    desk.chance.code = lambda: "tab001"  # type: ignore[method-assign]
    await desk.refuses(desk.open(ANN, Challenge(ROOM, "lgame"), at=NOON), Refused.UNAVAILABLE)
