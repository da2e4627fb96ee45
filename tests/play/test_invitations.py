"""Challenges and lobbies until they are answered."""

from __future__ import annotations

import pytest

from play.actions.leaving import Leave, Resign
from play.actions.playing import MakeMove
from play.actions.seating import Decline, Expire, Join, Start, Withdraw
from play.errors import Refused
from play.facts import CalledOff, LobbyOpened, Started, TurnedDown
from play.match import Cancel, Chair, Phase
from play.opening import Challenge, Lobby, rematch
from play.people import Account, Player
from play.request import CLOCKWORK, Request
from rules.core import OptionReason
from tests.support.desk import ANN, BOB, CEM, DAN, HOUR, NOON, ROOM, Desk


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
        known=("first", "second", "random", "1", "2", "3"),
    )


async def test_naming_more_people_than_the_default_makes_room_for_them(desk: Desk) -> None:
    match = await desk.invited(ANN, BOB, CEM, DAN, game="notches")
    assert match.options == (("players", "4"),)
    assert len(match.chairs) == 4


async def test_naming_more_people_than_were_asked_for(desk: Desk) -> None:
    await desk.refuses(
        desk.open(ANN, Challenge(ROOM, "notches", {"players": "2"}, opponents=(BOB, CEM)), at=NOON),
        Refused.TOO_MANY_SEATS,
        seats=2,
    )
    await desk.refuses(
        desk.open(ANN, Challenge(ROOM, "lgame", opponents=(BOB, CEM)), at=NOON),
        Refused.TOO_MANY_SEATS,
        seats=2,
    )


async def test_challenges_that_make_no_sense(desk: Desk) -> None:
    await desk.refuses(
        desk.open(ANN, Challenge(ROOM, "chess\x00"), at=NOON),
        Refused.NO_SUCH_GAME,
        game="chess",
        known=tuple(desk.games),
    )
    await desk.refuses(desk.open(ANN, Lobby(ROOM, ""), at=NOON), Refused.NO_SUCH_GAME)
    myself = Player(ANN.account, "Not Ann")
    await desk.refuses(
        desk.open(ANN, Challenge(ROOM, "lgame", opponents=(myself,)), at=NOON), Refused.YOURSELF
    )
    await desk.refuses(
        desk.open(ANN, Challenge(ROOM, "notches", opponents=(BOB, BOB)), at=NOON), Refused.ALREADY_SEATED
    )
    await desk.refuses(
        desk.open(ANN, Challenge(ROOM, "lgame", {"size": "9"}), at=NOON), OptionReason.UNKNOWN_OPTION
    )


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


async def test_the_host_starts_without_who_declined(desk: Desk) -> None:
    match = await desk.invited(ANN, BOB, CEM, game="notches")
    await desk.act(match, BOB, Join())
    await desk.act(match, CEM, Decline())
    started = await desk.gives(Started, match, ANN, Start())
    assert len(started.match.chairs) == 2


async def test_who_sits_already_cannot_decline(desk: Desk) -> None:
    match = await desk.invited(ANN, BOB, CEM, game="notches")
    await desk.act(match, BOB, Join())
    await desk.refused(match, BOB, Decline(), Refused.ALREADY_SEATED)


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
