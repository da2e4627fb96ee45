"""Who has a say in a place that plays, and in what: what is refused, and to whom; captains; how a match begins."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Final

import pytest

from bot.chat.callback_data import CallbackData, Verb
from play.actions.seating import Join
from play.facts import Fact
from play.match import Phase, is_engine
from play.opening import Challenge
from play.people import Account, Player
from play.request import Request
from tests.bot.features.channels.room import BEGINS, PLACE, US, Channel, playing, text
from tests.bot.world import ANN, BOB, CEM, DAN, EVE, HALL, ROOM

REFUSED: Final[Sequence[tuple[Sequence[tuple[Player, str]], tuple[Player, str], str]]] = (
    ([], (BOB, "/vote b"), "Nothing has been proposed yet"),
    ([(ANN, "/move a2-a3")], (BOB, "/vote b"), "There is no proposal “b”. There are: A."),
    ([(ANN, "/move a2-a3")], (BOB, "/vote bob"), "There is no proposal “bob”"),
    ([(ANN, "/move a2-a3")], (BOB, "/vote a"), "The vote has not begun yet"),
    ([(ANN, "/move a2-a3"), (ANN, "/move b2-b3")], (ANN, "/move c2-c3"), "You have proposed 2 moves"),
    ([(ANN, "/move a2-a3")], (BOB, "/vote now"), "Only ann, the captain,"),
    ([(ANN, "/move a2-a3")], (BOB, "/vote veto a"), "Only ann, the captain,"),
    ([(ANN, "/move a2-a3")], (BOB, "/vote captain cem"), "Only ann, the captain,"),
    ([], (ANN, "/vote now"), "Nothing has been proposed yet"),
    ([(ANN, "/move a2-a3"), (ANN, "/vote now")], (BOB, "/move b2-b3"), "Proposals are closed"),
    (
        [(BOB, "/move a2-a3"), (BOB, "/move b2-b3"), (ANN, "/vote veto a")],
        (ANN, "/vote veto b"),
        "The veto of this game has been used",
    ),
    ([(BOB, "/move a2-a3"), (ANN, "/vote veto a")], (CEM, "/move a2-a3"), "You cannot choose proposal A"),
    ([], (BOB, "/vote in"), "There is nothing to join"),
    ([], (BOB, "/resign"), "Only ann, the captain,"),
    ([], (BOB, "/draw"), "Only ann, the captain,"),
    ([], (ANN, "/vote captain nobody-here-1"), "nobody-here-1"),
    ([], (ANN, "/move a2-a5"), "a2"),
)


@pytest.mark.parametrize(("before", "asked", "expected"), REFUSED, ids=[each[2][:24] for each in REFUSED])
async def test_what_is_refused_says_what_to_do(
    before: Sequence[tuple[Player, str]], asked: tuple[Player, str], expected: str
) -> None:
    room = await playing()
    for who, line in before:
        await room.say(who, line)
    assert expected in await room.told(*asked)


async def test_there_are_eight_letters() -> None:
    room = await playing()
    moves = [f"{a}2-{b}3" for a, b in ("aa", "bb", "cc", "dd", "ee", "ab", "bc", "cd", "de")]
    for at, move in enumerate(moves[:8]):
        assert f"Proposal {'ABCDEFGH'[at]}" in await room.told((ANN, BOB, CEM, DAN)[at // 2], f"/move {move}")
    assert "There are 8 proposals already" in await room.told(EVE, f"/move {moves[8]}")


async def test_in_a_crowd_a_proposal_is_seconded() -> None:
    room = Channel()
    for number in range(7):
        await room.say(Player(Account("console", f"p{number}"), f"p{number}"), "/games")
    await room.say(ANN, BEGINS, "/move a2-a3")
    assert ", not seconded" in await room.told(BOB, "/vote")
    assert "somebody else has to second it" in await room.told(ANN, "/vote a")
    assert "Seconded" in await room.told(BOB, "/vote a")
    await room.say(CEM, "/move b2-b3")
    await room.say(DAN, "/move c2-c3")
    await room.say(ANN, "/vote c")
    await room.wait(hours=13)
    assert "nobody has seconded it" in await room.told(DAN, "/vote b")


async def test_only_who_was_seen_before_the_first_turn_takes_part() -> None:
    room = await playing(turns=1)
    assert "Proposal A" in await room.told(ANN, f"/move {room.legal()}")
    assert "Only people who were here before" in await room.told(EVE, f"/move {room.legal()}")
    long_ago: dict[str, Any] = {"member_since": room.world.now - timedelta(days=30)}
    assert "Proposal A" in await room.told(EVE, f"/move {room.legal()}", **long_ago)
    assert "Proposal" in await room.told(DAN, f"/move {room.legal()}", plain=True)  # the room of the console


async def test_people_elsewhere_have_no_say() -> None:
    room = await playing()
    await room.say(ANN, "/move a2-a3")
    assert "no move to make" in await room.told(DAN, f"/vote #{room.match.id} a", where=HALL)
    assert (await room.say(DAN, "/vote a", where=HALL))[0].refused
    for line in (f"/vote #{room.match.id} a", "/vote remind:on"):
        assert "write this in the channel" in await room.told(DAN, line, where=HALL, home=True)


async def test_who_is_kept_out_has_no_say() -> None:
    room = await playing()
    await room.say(ANN, "/exclude bob", admin=True)
    before = await room.council()
    assert (await room.say(BOB, "/move a2-a3"))[0].refused
    assert await room.council() == before


async def test_a_letter_of_an_old_board_is_not_a_vote_for_another_move() -> None:
    room = await playing(turns=1)
    before = room.match
    await room.say(BOB, f"/move {room.legal()}")
    await room.wait(hours=25)
    await room.answered()
    await room.say(ANN, f"/move {room.legal()}", "/vote now")
    [said] = await room.press(BOB, Verb.BALLOT, "A", before)
    assert said.refused
    assert not (await room.council()).turn.votes  # type: ignore[union-attr]


async def test_the_captain_resigns_once_sure() -> None:
    room = await playing(turns=1)
    [asked] = await room.say(ANN, "/resign")
    [sure] = asked.view.buttons
    assert (await room.world.desk.press(room.visitor(BOB), sure.data))[0].refused
    await room.world.desk.press(room.visitor(ANN), sure.data)
    assert room.match.phase is Phase.OVER


async def test_an_admin_names_a_captain_for_one_who_left() -> None:
    room = await playing()
    assert "The captain is cem now." in await room.told(BOB, "/vote captain cem", admin=True)
    assert "Only cem, the captain," in await room.told(ANN, "/draw")


async def test_a_captain_of_one_match_has_no_say_in_another() -> None:
    room = await playing()
    first = room.match
    await room.say(BOB, BEGINS)
    assert "Only ann, the captain" in await room.told(BOB, f"/resign #{first.id} yes")
    await room.say(BOB, f"/resign #{room.match.id} yes")
    assert [match.phase for match in room.world.store.matches.stored.values()] == [Phase.PLAYING, Phase.OVER]


async def test_of_two_matches_a_vote_asks_which() -> None:
    room = await playing()
    first = room.match
    await room.say(ANN, BEGINS, f"/move #{first.id} a2-a3")
    [asked] = await room.say(BOB, "/vote a", buttons=True)
    assert len(asked.view.buttons) == 2
    assert "The vote has not begun" in await room.told(BOB, f"/vote #{first.id} a")


async def test_own_matches_come_first_then_those_of_the_place() -> None:
    room = await playing()
    own = await room.world.begin("breakthrough", {"board": "5x5"}, people=(CEM, DAN))
    await room.say(CEM, "/move a2-a3")
    assert len(room.world.store.matches.stored[own.id].log) == 1
    assert "Proposal A: b2-b3" in await room.told(CEM, "/move b2-b3")  # in theirs it is Dan's turn


async def test_a_member_has_the_place_play_again_and_leads_it() -> None:
    room = await playing()
    first = room.match
    await room.say(ANN, "/resign yes")
    await room.press(CEM, Verb.REMATCH, "same", first)
    assert room.match.rematch_of == first.id
    assert (await room.council()).captain.name == "cem"


async def test_a_way_to_play_that_there_is_not_begins_nothing() -> None:
    room = Channel()
    assert "“maybe”" in await room.told(ANN, "/challenge @Klop channel:maybe lgame")
    assert not room.world.store.matches.stored
    assert "/vote b — your vote" in await room.told(ANN, "/help channel")


async def test_who_opens_a_match_leads_it_whatever_others_ask_meanwhile() -> None:
    room = await playing("/challenge bob channel breakthrough 5x5 side:first")
    await room.say(CEM, BEGINS)
    first = next(iter(room.world.store.matches.stored.values()))
    await room.act(BOB, Join(), first)
    assert (await room.councils.present(await room.world.table.get(first.id), PLACE)).captain.name == "ann"


async def test_a_challenge_without_a_game_asks_in_the_name_of_the_place() -> None:
    room = Channel()
    [asked] = await room.say(ANN, "/challenge channel relay", buttons=True)
    assert "against the computer" in asked.view.lines[0]
    game = next(each for each in asked.view.buttons if each.label == "L-game")
    await room.world.desk.press(room.visitor(BOB, buttons=True), game.data)
    assert (room.match.game, [is_engine(each) for each in room.match.people()]) == ("lgame", [False, True])
    assert (await room.council()).relay


async def test_a_match_that_nobody_plays_any_more_is_ended_by_the_captain() -> None:
    room = await playing("/challenge bob channel breakthrough 5x5 side:first")
    await room.say(BOB, "/accept")
    await room.voted()
    room.world.now += timedelta(days=8)
    assert "Only ann, the captain" in await room.told(CEM, "/end")
    await room.say(ANN, "/end")
    assert room.match.phase is Phase.OVER


async def test_a_challenge_to_the_place_is_accepted_by_anyone_there() -> None:
    room = Channel()
    made = Challenge(HALL, "breakthrough", {"board": "5x5"}, opponents=[US], also=[ROOM])
    invited = (await room.world.table.open(made, Request(DAN, room.world.now))).match
    await room.press(CEM, Verb.ACCEPT, match=invited)
    assert room.match.phase is Phase.PLAYING
    assert (await room.council()).captain.name == "cem"


async def test_no_hint_and_no_question_for_a_proposal() -> None:
    room = await playing()
    for line in ("/hint", f"/hint #{room.match.id}", "/coach"):
        assert "no hints in a match that the channel plays" in await room.told(ANN, line)
    assert "no part in the players’ messages" in await room.told(ANN, "/tell klop hi")
    [said] = await room.say(ANN, f"/move {room.legal()}")
    assert not said.view.buttons


@pytest.mark.parametrize(
    ("language", "line", "expected"),
    [
        ("uk", "/голос вето а", "Вето накладено"),
        ("uk", "/голос зараз", "Голосування почалося"),
        ("ru", "/голос таблица", "Канал сделал 1 ход"),
        ("ru", "/vote сейчас", "Голосование началось"),
    ],
)
async def test_words_are_those_of_the_language(language: str, line: str, expected: str) -> None:
    room = Channel(language)
    await room.say(ANN, BEGINS)
    await room.voted(who=BOB)
    await room.answered()
    await room.say(BOB, f"/move {room.legal()}")
    assert expected in await room.told(ANN, line)


async def test_who_picks_a_move_is_told_that_it_is_proposed() -> None:
    room = await playing()
    [asked] = await room.press(BOB, Verb.MOVE)
    assert asked.view.after == ("Pick a move: it is proposed at once.",)
    pick = next(each.data for each in asked.view.buttons if each.data.verb is Verb.STEP)
    [asked] = await room.press(BOB, Verb.STEP, pick.argument)
    while all(each.data.verb is not Verb.MOVE for each in asked.view.buttons):
        pick = next(each.data for each in asked.view.buttons if each.data.verb is Verb.STEP)
        [asked] = await room.press(BOB, Verb.STEP, pick.argument)
    labels = [each.label for each in asked.view.buttons if each.data.verb is Verb.MOVE]
    assert all(label.startswith("Propose") for label in labels)


async def test_the_words_of_a_picture_have_a_sentence_for_each_letter_before_the_position() -> None:
    room = await playing()
    await room.say(ANN, "/move a2-a3", "/move b2-b3")
    [board] = await room.say(BOB, "/vote")
    said = "A: a man goes from a2 to a3. B: a man goes from b2 to b3. "
    assert board.view.alt.startswith(said)


async def test_who_asks_while_the_other_side_is_to_move_has_no_key_to_move() -> None:
    room = await playing()
    await room.voted()
    [board] = await room.say(BOB, "/vote")
    assert [each.label for each in board.view.controls] == ["More…"]


async def test_who_came_later_does_not_pick_on_the_board_of_all() -> None:
    room = await playing(turns=1)
    assert "Only people who were here before" in text(await room.press(EVE, Verb.MOVE))


async def test_the_menu_has_what_the_captain_can_do() -> None:
    room = await playing()
    await room.say(BOB, "/move a2-a3")
    [asked] = await room.press(ANN, Verb.MORE)
    labels = [each.label for each in asked.view.buttons]
    assert labels[:4] == ["End the talk", "Call me on our turns", "Offer a draw", "Resign"]
    [asked] = await room.press(BOB, Verb.MORE)
    assert asked.view.buttons[0].label == "Call me on our turns"
    [board] = await room.press(BOB, Verb.BACK)
    assert "A: a2-a3 (bob)" in board.view.lines


async def test_what_a_person_picks_on_the_board_of_all_stays_for_a_minute(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    room, shown = await playing(), list[Fact]()

    async def counted(fact: Fact) -> None:
        shown.append(fact)

    monkeypatch.setattr(room.world.store.matches, "announce", counted)
    await room.say(BOB, "/move a2-a3")
    visitor = room.visitor(CEM, buttons=True, picks_in_public=True)
    await room.world.desk.press(visitor, CallbackData(Verb.MOVE, room.match.id, room.match.revision))
    await room.say(DAN, "/move a2-a3")
    await room.world.desk.press(visitor, CallbackData(Verb.MOVE, room.match.id, room.match.revision))
    await room.wait(seconds=30)
    assert not shown
    await room.wait(seconds=31)
    assert len(shown) == 1


async def test_a_match_of_their_own_that_is_over_keeps_nobody_from_speaking() -> None:
    room = Channel()
    await room.say(ANN, "/challenge @Klop breakthrough 5x5", "/resign yes", BEGINS)
    assert "Proposal A: a2-a3" in await room.told(ANN, "/move a2-a3")
    await room.say(ANN, "/resign yes")
    assert room.match.phase is Phase.OVER
    assert "This match is over" in await room.told(ANN, "/move a2-a3")
