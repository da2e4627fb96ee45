"""A place that plays: how its turns come about and are played, against whom it is, in every game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot.chat.callback_data import Verb
from bot.features.channels.council import Stage, Why
from bot.features.channels.keeping import Councils, forget
from play.actions.agreeing import Answer, AskPause, OfferDraw, Resume
from play.actions.playing import MakeMove
from play.actions.seating import Join
from play.facts import Deliberated
from play.files import matchfile
from play.match import Ask, Phase, is_engine
from play.opening import Lobby
from play.people import Account, Player
from play.request import Request
from tests.bot.features.channels.room import PLACE, US, Channel, keys, playing
from tests.bot.world import ANN, BOB, CEM, DAN, EVE, ROOM, SETTINGS


async def test_a_turn_is_proposed_voted_on_and_played() -> None:
    room = await playing()
    await room.say(ANN, "/move a2-a3")
    await room.say(BOB, "/move b2-b3")
    await room.wait(hours=13)
    for who, letter in ((ANN, "b"), (BOB, "B"), (CEM, "а")):  # the last one is Cyrillic
        await room.say(who, f"/vote {letter}")
    [board] = [each for each in await room.wait(hours=13) if each.to == ROOM]
    assert board.view.lines[0] == "b2-b3 had 2 of 3 votes; proposed by bob."
    assert room.turns == ["b2-b3"]
    assert "Move" not in keys(board.view)  # the computer is on turn


async def test_what_the_captain_says_once_and_the_platform_delivers_twice_ends_one_phase() -> None:
    room = await playing()
    await room.say(ANN, "/move a2-a3", "/move b2-b3")
    said = await room.told(ANN, "/vote now", request="7")
    await room.say(BOB, "/vote a")
    await room.say(CEM, "/vote a")
    assert await room.told(ANN, "/vote now", request="7") == said
    await room.wait(hours=1)
    assert room.turns == []
    await room.say(ANN, "/vote now", request="8")
    await room.wait(hours=1)
    assert room.turns == ["a2-a3"]
    vetoed = await playing()
    await vetoed.say(ANN, "/move a2-a3", "/move b2-b3")
    said = await vetoed.told(ANN, "/vote veto a", request="9")
    assert await vetoed.told(ANN, "/vote veto a", request="9") == said


async def test_what_is_told_late_begins_no_turn_anew() -> None:
    room = await playing()
    await room.say(ANN, "/move b2-b3")
    late = room.match
    await room.world.store.matches.announce(Deliberated(late, ROOM))
    room.world.now += timedelta(hours=24)
    await room.councils.tick()
    played = (await room.councils.present(room.match, PLACE)).played
    assert [each.turn for each in played] == room.turns == ["b2-b3"]
    [late_board, *_] = await room.world.desk.drained()
    assert not {"Propose", "Move"} & set(keys(late_board.view))
    assert (await room.councils.follow(late, PLACE, ROOM)).played == played


async def test_the_answer_of_the_computer_comes_with_how_the_place_decided() -> None:
    room = await playing()
    await room.voted("b2-b3", who=BOB)
    [board] = await room.answered()
    assert board.view.lines[0] == "The only proposal is played: b2-b3, by bob."
    assert keys(board.view)[0] == "Propose"


async def test_against_a_person_of_the_place() -> None:
    room = await playing("/challenge bob channel breakthrough 5x5 side:first")
    await room.say(BOB, "/accept")
    [board] = await room.voted(who=CEM)
    assert "Move" in keys(board.view)  # Bob's
    await room.act(BOB, MakeMove(room.legal()))
    await room.say(CEM, f"/move {room.legal()}")
    await room.act(BOB, OfferDraw())
    assert "Only ann, the captain" in await room.told(CEM, "/draw yes")
    assert "Proposal B" in await room.told(CEM, "/move e2-e3")  # the talk goes on
    [offered] = await room.press(ANN, Verb.YES, Ask.DRAW.value)
    assert room.match.phase is Phase.OVER
    assert "The channel played 1 turn. Whose move: cem 1." in offered.view.after


async def test_a_turn_that_is_taken_back_is_talked_about_again() -> None:
    room = await playing("/challenge bob channel breakthrough 5x5 side:first")
    await room.say(BOB, "/accept")
    await room.voted("a2-a3")
    assert "Only ann, the captain" in await room.told(CEM, "/takeback")
    await room.act(BOB, MakeMove("c4-c3"))
    await room.say(ANN, "/takeback")
    await room.act(BOB, Answer(Ask.TAKEBACK, True))
    council = await room.council()
    assert (room.turns, council.played) == ([], ())
    assert council.turn is not None
    assert council.turn.proposals == ()
    await room.voted("b2-b3")
    assert room.turns == ["b2-b3"]


async def test_a_pause_takes_nothing_of_the_talk() -> None:
    room = await playing("/challenge bob channel breakthrough 5x5 side:first clock:1d")
    await room.say(BOB, "/accept")
    await room.say(CEM, "/move a2-a3")
    await room.act(BOB, AskPause())
    await room.say(ANN, "/pause yes")
    assert room.match.paused
    await room.wait(days=3)
    await room.act(BOB, Resume())
    await room.wait(hours=1)
    council = await room.council()
    assert council.turn is not None
    assert council.turn.stage(room.world.now) is Stage.TALK
    assert [each.turn for each in council.turn.proposals] == ["a2-a3"]
    await room.wait(hours=23)
    assert room.turns == ["a2-a3"]  # before the flag falls


async def test_forty_votes_make_few_edits(monkeypatch: pytest.MonkeyPatch) -> None:
    room = await playing()
    await room.say(ANN, "/move a2-a3", "/move b2-b3", "/vote now")
    await room.wait(seconds=2)
    shown, announce = list[object](), room.world.store.matches.announce

    async def counted(fact: Any) -> None:
        shown.append(fact)
        await announce(fact)

    monkeypatch.setattr(room.world.store.matches, "announce", counted)
    for number in range(40):  # in a minute
        await room.say(Player(Account("console", f"p{number}"), f"p{number}"), "/vote a")
        await room.wait(seconds=1.5)
    assert len((await room.council()).turn.votes) == 40  # type: ignore[union-attr]
    assert len(shown) <= 7


async def test_the_table_says_how_often_the_engine_agreed_once_it_was_asked() -> None:
    room = await playing(turns=2)
    await room.say(ANN, "/resign yes")
    await Councils.note(room.world.store, room.match, PLACE, (1, 2, room.turns[0]))
    told = await room.told(BOB, "/vote table")
    assert "The engine would have played 1 of the 2 turns." in told
    assert f"The best find: {room.turns[0]} (ann)." in told


async def test_a_place_that_proposes_nothing_resigns_the_second_time() -> None:
    room = await playing()
    [board] = await room.wait(hours=25)
    assert "so the computer moved at level 3" in board.view.lines[0]
    await room.answered()
    [over] = await room.wait(hours=25)
    assert room.match.phase is Phase.OVER
    assert "Twice in a row, nobody here proposed a move." in over.view.after


async def test_in_a_relay_the_actions_of_a_turn_are_shared() -> None:
    room = await playing("/challenge engine:1 channel:relay klopodavka 6x6 side:first")
    people = {"ann": ANN, "bob": BOB, "cem": CEM}
    for who in (BOB, CEM):
        await room.say(who, "/vote in")
    movers = []
    while room.world.table.position(room.match).to_move in room.match.seats_of(PLACE):
        runner = (await room.council()).runner()
        assert runner is not None
        other = next(who for name, who in people.items() if name != runner.name)
        move = room.legal().split()[0]
        refused = f"It is {runner.name}’s turn; yours is drawn later."
        assert refused in await room.told(other, f"/move {move}")
        await room.say(people[runner.name], f"/move {move}")
        movers.append(runner.name)
    assert sorted(movers) == [*people]
    assert [each.by.name for each in (await room.council()).played] == movers


async def test_a_relay_is_joined_by_who_was_seen_in_its_first_time() -> None:
    room = await playing("/challenge engine:1 channel:relay breakthrough 5x5 side:first")
    await room.say(ANN, f"/move {room.legal()}")
    await room.answered()
    assert "You are in" in await room.told(BOB, "/vote in")
    await room.wait(hours=25)
    assert "Only people who were here before" in await room.told(EVE, "/vote in")
    assert "You are in" in await room.told(BOB, "/vote in")


async def test_a_relay_skips_who_does_not_move() -> None:
    room = await playing("/challenge engine:1 channel:relay breakthrough 5x5 side:first")
    await room.say(BOB, "/vote in")
    first = (await room.council()).runner()
    await room.wait(hours=37)
    second = (await room.council()).runner()
    assert first is not None
    assert second is not None
    assert {first.name, second.name} == {"ann", "bob"}
    assert "nobody votes" in await room.told(ANN, "/vote a")
    await room.wait(hours=37)
    council = await room.council()
    assert [each.why for each in council.played] == [Why.ENGINE]


async def test_a_place_has_one_of_three_seats() -> None:
    room = await playing("/new klopodavka players:3 channel")
    for who in (BOB, CEM):
        await room.say(who, f"/join #{room.match.id}")
    await room.press(ANN, Verb.START)
    assert room.match.phase is Phase.PLAYING
    for _ in range(6):
        mover = room.match.player(room.world.table.position(room.match).to_move)
        if mover.account == PLACE:
            await room.voted()
        else:
            await room.act(mover, MakeMove(room.legal()))
    assert len((await room.council()).played) == 2


@pytest.mark.parametrize(("game", "chosen"), SETTINGS, ids=str)
async def test_any_game_is_played_to_its_end(game: str, chosen: Mapping[str, str]) -> None:
    room = Channel()
    seats = room.world.table.games[game].seats(room.world.table.games[game].choose(chosen))
    lobby = Lobby(ROOM, game, chosen)
    opened = (await room.world.table.open(lobby, Request(US, room.world.now))).match
    people = (BOB, CEM, DAN)[: seats - 1]
    for who in people:
        await room.act(who, Join(), opened)
    if room.match.phase is Phase.OPEN:
        await room.press(ANN, Verb.START)
    for _ in range(60):
        if not room.match.live:
            break
        mover = room.match.player(room.world.table.position(room.match).to_move)
        if mover.account == PLACE:
            played = len(room.match.log)
            await room.voted()
            assert len(room.match.log) > played
        else:
            await room.act(mover, MakeMove(room.legal()))
    assert {each.why for each in (await room.council()).played} == {Why.ONLY}


async def test_two_processes_play_a_turn_once() -> None:
    room = await playing()
    await room.say(ANN, "/move a2-a3")
    room.world.now += timedelta(hours=25)
    other = Councils(room.world.desk._services)
    decided = room.match
    council = await room.council()
    await room.councils._look(decided.id, PLACE, room.world.now)
    assert (await room.council()).turn is None
    played = replace(council.turn, chosen="a2-a3") if council.turn else None
    assert played is not None
    await other._play(decided, PLACE, council, played)  # it had decided the same
    assert room.turns == ["a2-a3"]


async def test_a_process_that_ends_after_it_decided_leaves_the_turn_to_be_played(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    room = await playing()
    await room.say(ANN, "/move a2-a3")
    with monkeypatch.context() as patched:
        patched.setattr(Councils, "_play", _ends)
        with pytest.raises(SystemError):
            await room.wait(hours=25)
    assert "chosen already" in await room.told(ANN, "/move b2-b3")
    await room.wait(seconds=2)
    assert room.turns == ["a2-a3"]


async def _ends(*_: object) -> None:
    raise SystemError


async def test_a_match_that_has_just_changed_is_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    room = await playing()
    await room.say(ANN, "/move a2-a3")
    before = room.match
    await room.act(next(p for p in before.players() if is_engine(p.account)), OfferDraw())
    stale = Deliberated(before, ROOM)
    announce = room.world.store.matches.announce

    async def announced(_fact: object) -> None:
        await announce(stale)

    with monkeypatch.context() as patched:
        patched.setattr(room.world.store.matches, "announce", announced)
        await room.wait(hours=1)
    await room.wait(hours=24)
    assert room.turns == ["a2-a3"]


async def test_nothing_is_asked_of_the_store_where_nothing_is_due(monkeypatch: pytest.MonkeyPatch) -> None:
    room = await playing()
    await room.wait(minutes=1)
    read, timelines = list[str](), room.world.store.timelines
    original = timelines.read

    async def counted(name: str, **more: Any) -> Sequence[str]:
        read.append(name)
        return await original(name, **more)

    monkeypatch.setattr(timelines, "read", counted)
    monkeypatch.setattr(timelines, "cut", _ends)
    monkeypatch.setattr(room.world.store.notes, "read", _ends)
    await room.wait(seconds=2)
    assert [name for name in read if name != "adjudication"] == ["councils"]  # that is another's


async def test_a_shared_match_file_does_not_tell_which_chat_played() -> None:
    room = await playing(turns=1)
    written = matchfile.export(room.match, own=())
    assert "channel" not in written.replace('"#room"', "")
    assert ROOM.place not in written.replace('"#room"', "")


async def test_a_person_who_is_forgotten_is_named_no_more() -> None:
    room = await playing("/challenge engine:1 channel:relay breakthrough 5x5 side:first", turns=1)
    await room.say(ANN, "/vote remind:on")
    await forget(room.world.store, ANN.account, ())
    assert await room.world.store.timelines.read(f"reminded:{ROOM}") == []
    assert "ann" not in str(await room.council())
    await room.wait(hours=40)  # nobody is left who could be drawn
    assert [each.why for each in (await room.council()).played] == [Why.RELAY, Why.ENGINE]


async def test_a_place_that_reads_nothing_gives_its_seat_up() -> None:
    """The bot was removed from it, so that no board begins its turns."""
    room = await playing("/challenge bob channel breakthrough 5x5 side:first")
    await room.say(BOB, "/accept")
    world, request = room.world, Request(BOB, room.world.now)
    for turns in (1, 2):
        for _ in range(3):
            world.now += timedelta(hours=25)
            await room.councils.tick()
        assert len(room.match.log) == (1 if turns == 1 else 2)
        if turns == 1:
            assert room.match.phase is Phase.PLAYING, "the engine has moved for it"
            await world.table.act(room.match.id, MakeMove(room.legal()), replace(request, at=world.now))
    assert room.match.phase is Phase.OVER
    assert room.match.result is not None
    assert room.match.result.winners == tuple(room.match.seats_of(BOB.account))
