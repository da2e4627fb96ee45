"""Challenges and lobbies until somebody else has had a say."""

from __future__ import annotations

import pytest

from play.actions.invitations import Decline, Expire, Withdraw
from play.actions.leaving import Leave, Resign
from play.actions.playing import MakeMove
from play.actions.seating import Join, Start
from play.errors import Refused
from play.facts import CalledOff, Challenged, LobbyOpened
from play.match import Cancel, Chair, Phase
from play.opening import Challenge, Lobby
from play.people import Account, Player
from play.rematching import rematch
from play.request import CLOCKWORK, AtRevision, Request
from rules.core import BadOption, OptionReason
from tests.play.desk import ANN, BOB, CEM, DAN, HOUR, NOON, ROOM, Desk


async def test_a_challenge_to_a_person(desk: Desk) -> None:
    fact = await desk.table.open(
        Challenge(ROOM, "breakthrough", {"board": "6X6"}, opponents=(BOB,)), Request(ANN, NOON)
    )
    assert isinstance(fact, Challenged)
    match = fact.match
    assert match.chairs == (Chair(player=ANN), Chair(reserved=BOB))
    assert (match.phase, match.revision, match.lobby) == (Phase.OPEN, 1, False)
    assert match.options == (("board", "6x6"),)
    assert (match.host, match.addresses, match.opened) == (ANN, (ROOM,), NOON)
    assert match.expires == NOON + 24 * HOUR
    assert await desk.table.get(match.id) == match


async def test_a_challenge_to_anyone(desk: Desk) -> None:
    match = (await desk.table.open(Challenge(ROOM, "lgame"), Request(ANN, NOON))).match
    assert match.chairs == (Chair(player=ANN), Chair())


@pytest.mark.parametrize(
    ("side", "seat"),
    [("first", 0), ("second", 1), ("random", 2), ("3", 2), (" Second ", 1), ("1", 0)],
)
async def test_the_host_chooses_a_chair(desk: Desk, side: str, seat: int) -> None:
    match = (
        await desk.table.open(Challenge(ROOM, "notches", opponents=(BOB, CEM), side=side), Request(ANN, NOON))
    ).match
    assert [chair.player for chair in match.chairs].index(ANN) == seat
    assert [chair.reserved for chair in match.chairs if chair.reserved] == [BOB, CEM]


@pytest.mark.parametrize("side", ["", "third", "0", "4", "-1", "１", "first\u202e second", "x" * 500])
async def test_a_side_that_is_none(desk: Desk, side: str) -> None:
    await desk.refuses(
        desk.table.open(Challenge(ROOM, "notches", side=side), Request(ANN, NOON)),
        Refused.BAD_SIDE,
        known=("first", "second", "random", "1", "2", "3"),
    )


async def test_chairs_that_nobody_is_named_for_are_open(desk: Desk) -> None:
    match = (await desk.table.open(Challenge(ROOM, "notches", opponents=(BOB,)), Request(ANN, NOON))).match
    assert match.chairs == (Chair(player=ANN), Chair(reserved=BOB), Chair())


async def test_naming_more_people_than_the_default_makes_room_for_them(desk: Desk) -> None:
    match = (
        await desk.table.open(Challenge(ROOM, "notches", opponents=(BOB, CEM, DAN)), Request(ANN, NOON))
    ).match
    assert match.options == (("players", "4"),)
    assert len(match.chairs) == 4


async def test_naming_more_people_than_were_asked_for(desk: Desk) -> None:
    await desk.refuses(
        desk.table.open(
            Challenge(ROOM, "notches", {"players": "2"}, opponents=(BOB, CEM)), Request(ANN, NOON)
        ),
        Refused.TOO_MANY_SEATS,
        seats=2,
    )
    await desk.refuses(
        desk.table.open(Challenge(ROOM, "lgame", opponents=(BOB, CEM)), Request(ANN, NOON)),
        Refused.TOO_MANY_SEATS,
        seats=2,
    )


async def test_eleven_players_are_refused_by_the_game(desk: Desk) -> None:
    refusal = await desk.refuses(
        desk.table.open(Lobby(ROOM, "notches", {"players": "11"}), Request(ANN, NOON)),
        OptionReason.OUT_OF_BOUNDS,
        value=11,
    )
    assert isinstance(refusal, BadOption)


async def test_challenges_that_make_no_sense(desk: Desk) -> None:
    table = desk.table
    await desk.refuses(
        table.open(Challenge(ROOM, "chess\x00"), Request(ANN, NOON)),
        Refused.NO_SUCH_GAME,
        game="chess",
        known=tuple(desk.games),
    )
    await desk.refuses(table.open(Lobby(ROOM, ""), Request(ANN, NOON)), Refused.NO_SUCH_GAME)
    myself = Player(ANN.account, "Not Ann")
    await desk.refuses(
        table.open(Challenge(ROOM, "lgame", opponents=(myself,)), Request(ANN, NOON)), Refused.YOURSELF
    )
    await desk.refuses(
        table.open(Challenge(ROOM, "notches", opponents=(BOB, BOB)), Request(ANN, NOON)),
        Refused.ALREADY_SEATED,
    )
    await desk.refuses(
        table.open(Challenge(ROOM, "lgame", {"size": "9"}), Request(ANN, NOON)), OptionReason.UNKNOWN_OPTION
    )


async def test_a_lobby_seats_its_host_first(desk: Desk) -> None:
    fact = await desk.table.open(Lobby(ROOM, "notches", {"preset": "wide"}), Request(ANN, NOON))
    assert isinstance(fact, LobbyOpened)
    assert fact.match.chairs == (Chair(player=ANN), Chair(), Chair(), Chair())
    assert fact.match.lobby
    assert fact.match.expires == NOON + 24 * HOUR


async def test_names_are_cleaned_at_the_door(desk: Desk) -> None:
    odd = Player(Account("console", "odd"), "\u202eevil\n" + "x" * 100)
    match = (await desk.table.open(Challenge(ROOM, "lgame", opponents=(BOB,)), Request(odd, NOON))).match
    assert match.host.name == "evil " + "x" * 59
    assert match.chairs[0].player == match.host


async def test_declining(desk: Desk) -> None:
    match = (await desk.table.open(Challenge(ROOM, "notches", opponents=(BOB,)), Request(ANN, NOON))).match
    table = desk.table
    await desk.refuses(table.act(match.id, Decline(), Request(CEM, desk.at)), Refused.NOT_INVITED)
    await desk.refuses(table.act(match.id, Decline(), Request(ANN, desk.at)), Refused.OWN_CHALLENGE)
    await desk.stale(table.act(match.id, Decline(), Request(BOB, desk.at, seen=AtRevision(7))), match)
    fact = await table.act(match.id, Decline(), Request(BOB, desk.at, seen=AtRevision(1)))
    assert isinstance(fact, CalledOff)
    assert (fact.why, fact.by) == (Cancel.DECLINED, BOB)
    assert (fact.match.phase, fact.match.cancelled, fact.match.revision) == (
        Phase.CALLED_OFF,
        Cancel.DECLINED,
        2,
    )
    await desk.refuses(table.act(match.id, Decline(), Request(BOB, desk.at)), Refused.CALLED_OFF)
    await desk.refuses(table.act(match.id, Join(), Request(BOB, desk.at)), Refused.CALLED_OFF)


async def test_who_sits_already_cannot_decline(desk: Desk) -> None:
    match = (
        await desk.table.open(Challenge(ROOM, "notches", opponents=(BOB, CEM)), Request(ANN, NOON))
    ).match
    await desk.table.act(match.id, Join(), Request(BOB, desk.at))
    await desk.refuses(desk.table.act(match.id, Decline(), Request(BOB, desk.at)), Refused.ALREADY_SEATED)


async def test_withdrawing(desk: Desk) -> None:
    match = (await desk.table.open(Challenge(ROOM, "lgame", opponents=(BOB,)), Request(ANN, NOON))).match
    await desk.refuses(
        desk.table.act(match.id, Withdraw(), Request(BOB, desk.at)), Refused.NOT_HOST, host="Ann"
    )
    await desk.stale(desk.table.act(match.id, Withdraw(), Request(ANN, desk.at, seen=AtRevision(2))), match)
    fact = await desk.table.act(match.id, Withdraw(), Request(ANN, desk.at))
    assert (fact.why, fact.by) == (Cancel.WITHDRAWN, ANN)
    await desk.refuses(desk.table.act(match.id, Withdraw(), Request(ANN, desk.at)), Refused.CALLED_OFF)


async def test_what_has_begun_is_no_invitation(desk: Desk) -> None:
    match = await desk.duel()
    for asked in (
        desk.table.act(match.id, Withdraw(), Request(ANN, desk.at)),
        desk.table.act(match.id, Decline(), Request(BOB, desk.at)),
        desk.table.act(match.id, Join(), Request(CEM, desk.at)),
        desk.table.act(match.id, Start(), Request(ANN, desk.at)),
        desk.table.act(match.id, Expire(), Request(CLOCKWORK, match.expires)),
    ):
        await desk.refuses(asked, Refused.ALREADY_STARTED)


async def test_an_invitation_expires(desk: Desk) -> None:
    match = (await desk.table.open(Challenge(ROOM, "lgame", opponents=(BOB,)), Request(ANN, NOON))).match
    late, table = match.expires, desk.table
    await desk.stale(table.act(match.id, Expire(), Request(CLOCKWORK, late - HOUR)), match)
    for asked in (
        table.act(match.id, Join(), Request(BOB, late)),
        table.act(match.id, Decline(), Request(BOB, late)),
        table.act(match.id, Withdraw(), Request(ANN, late)),
        table.act(match.id, Leave(), Request(ANN, late)),
        table.act(match.id, Start(), Request(ANN, late)),
        table.act(match.id, MakeMove("a2-a3"), Request(ANN, late)),
        table.act(match.id, Resign(), Request(CEM, late)),
    ):
        await desk.refuses(asked, Refused.EXPIRED)
    fact = await table.act(match.id, Expire(), Request(CLOCKWORK, late))
    assert (fact.why, fact.by, fact.match.cancelled) == (Cancel.EXPIRED, None, Cancel.EXPIRED)
    await desk.refuses(table.act(match.id, Expire(), Request(CLOCKWORK, late)), Refused.EXPIRED)
    await desk.refuses(table.act(match.id, Join(), Request(BOB, late)), Refused.EXPIRED)


@pytest.mark.parametrize("code", ["", "nobody", "№", "a" * 5000, "a:b", "../..", "\x00", "١٢٣"])
async def test_a_match_that_does_not_exist(desk: Desk, code: str) -> None:
    await desk.refuses(desk.table.get(code), Refused.NO_SUCH_MATCH, code=code[:12])
    await desk.refuses(desk.table.act(code, MakeMove("a2-a3"), Request(ANN, NOON)), Refused.NO_SUCH_MATCH)
    await desk.refuses(rematch(desk.table, code, Request(ANN, NOON)), Refused.NO_SUCH_MATCH)


async def test_a_code_that_is_taken_is_drawn_again(desk: Desk) -> None:
    first = (await desk.table.open(Challenge(ROOM, "lgame"), Request(ANN, NOON))).match
    desk.chance.count = 0
    second = (await desk.table.open(Challenge(ROOM, "lgame"), Request(ANN, NOON))).match
    assert (first.id, second.id) == ("tab001", "tab002")


async def test_codes_that_are_all_taken(desk: Desk) -> None:
    await desk.table.open(Challenge(ROOM, "lgame"), Request(ANN, NOON))
    desk.chance.code = lambda: "tab001"  # type: ignore[method-assign]
    await desk.refuses(desk.table.open(Challenge(ROOM, "lgame"), Request(ANN, NOON)), Refused.UNAVAILABLE)
