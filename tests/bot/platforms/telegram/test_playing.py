"""Matches on Telegram, in groups and in private; help and hints."""

from __future__ import annotations

import re

import pytest

from bot.chat.arguments import HelpTopic
from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import LANGUAGES
from bot.chat.i18n import words as words_for
from bot.chat.i18n import words as words_in
from bot.chat.thinking import Thinker
from bot.chat.thinking.seats import Seats
from bot.features.commands import REGISTRY
from play.match import Phase, Ply
from tests.bot.chat.thinking.workers import Inline
from tests.platforms.telegram.harness import HALL, TelegramHarness, keys, telegram_bot, words
from tests.platforms.telegram.server import Json, refused


async def test_a_whole_match_in_a_group(f: TelegramHarness) -> None:
    ann, bob = f.api.human("Ann"), f.api.human("Bob", language="uk")
    hall = f.api.group(HALL, "Hall", ann, bob)
    await f.say(ann, hall, "/challenge@klop_test_bot bob breakthrough 4x5")
    assert await f.press(bob, f.board(hall), "Accept") is None
    board = f.board(hall)
    assert "Turn: Ann" in words(board)
    # A reply to the board is a move; so is the command.
    await f.say(ann, hall, "a2-a3", reply_to=board)
    assert keys(board) == []  # the old board is folded
    await f.say(bob, hall, "/move b4xa3")
    await f.say(ann, hall, "/move b2xa3")
    await f.say(bob, hall, "/resign")
    (match,) = f.matches
    assert match.phase is Phase.PLAYING
    assert await f.press(bob, f.api.last(hall), lambda label: True) is None
    (match,) = f.matches
    assert match.phase is Phase.OVER
    assert len(match.log) == 3
    assert [key["text"] for key in keys(f.board(hall))] == ["Rematch", "Replay", "Analyse"]


async def test_who_is_sure_to_resign_says_so_once(f: TelegramHarness) -> None:
    ann, bob, hall = await f.begun("breakthrough rated:yes")
    await f.say(ann, hall, "/move a2-a3")
    await f.say(bob, hall, "/move a7-a6")
    (match,) = f.matches
    await f.say(bob, None, f"/resign #{match.id}")
    question = f.api.last(bob)
    sure = keys(question)[0]["callback_data"]
    assert await f.tap(bob, question, sure) is None
    shown = f.api.shown(bob)
    assert question["message_id"] not in [message["message_id"] for message in shown]
    assert "Ratings: Ann 1579? (+79), Bob 1421? (−79)" in words(shown[-1])
    assert "is over" in (await f.tap(bob, question, sure) or "")
    assert f.api.shown(bob) == shown


async def test_a_refused_press_is_answered_with_an_alert(f: TelegramHarness) -> None:
    ann, bob, cem = f.api.human("Ann"), f.api.human("Bob"), f.api.human("Cem", language="ru")
    hall = f.api.group(HALL, "Hall", ann, bob, cem)
    await f.say(ann, hall, "/challenge bob lgame")
    card = dict(f.board(hall))
    told = await f.press(cem, card, "Accept")
    assert told
    assert any(letter in told for letter in "аеиоу")
    await f.press(bob, card, "Accept")
    shown = len(f.api.shown(hall))
    assert await f.press(bob, card, "Accept")  # an old key: told how it stands
    assert len(f.api.shown(hall)) == shown


async def test_a_picture_is_changed_in_place_as_a_move_is_picked() -> None:
    async with telegram_bot(pictures=True) as f:
        ann, _bob, hall = await f.begun()
        board = f.board(hall)
        assert await f.press(ann, board, "Move") is None
        for step in (":a2", "/a3"):
            before = board["png"]
            data = next(key["callback_data"] for key in keys(board) if key["callback_data"].endswith(step))
            assert await f.tap(ann, board, data) is None
            assert f.board(hall) is board
            assert board["png"] != before
        assert "Make a move" not in [key["text"] for key in keys(board)]  # which is what is under way
        assert await f.press(ann, board, "Play") is None
        assert "Turn: Bob" in words(f.board(hall))


@pytest.mark.parametrize("pictures", [True, False])
async def test_a_folded_board_shows_what_was_played_and_nothing_that_was_only_picked(pictures: bool) -> None:
    async with telegram_bot(pictures=pictures) as f:
        ann, bob, hall = f.three()
        await f.say(ann, hall, "/challenge bob breakthrough 4x5")
        card = f.board(hall)
        assert "invited" in words(card)
        await f.press(bob, card, "Accept")
        assert keys(card) == []
        (match,) = f.matches
        title = f"Breakthrough (board: 4×5) · #{match.id}"
        assert words(card) == f"{title}\nThe game begins: Ann – Bob."
        await f.say(ann, hall, "/move a2-a3")
        board = f.board(hall)
        said, before = words(board), board.get("png")
        await f.press(bob, board, "Move")
        await f.press(bob, board, lambda label: label == "🟣")
        picked = words(board)
        assert picked != said
        await f.say(bob, hall, "/move c4-c3")
        assert f.board(hall) is not board
        assert keys(board) == []
        assert words(board).startswith(f"Ann: a2-a3\n{title}")
        assert "Turn" not in words(board)
        assert board.get("png") == before
        # A board with what is taken back says what it was as well.
        board = f.board(hall)
        await f.say(ann, hall, "/takeback")
        await f.say(bob, hall, "/takeback yes")
        assert f.board(hall) is not board
        assert words(board).startswith("Bob: c4-c3\n")


async def test_a_card_that_came_to_nothing_says_so(f: TelegramHarness) -> None:
    ann, bob, hall = f.three()
    await f.say(ann, hall, "/challenge bob lgame")
    card = f.board(hall)
    await f.press(bob, card, "Decline")
    assert "Bob declines" in words(f.board(hall))
    assert words(card).endswith("\nThe invitation was declined.")
    assert "invited" not in words(card)


async def test_where_no_photo_may_be_changed_its_words_are() -> None:
    async with telegram_bot(pictures=True) as f:
        ann, _bob, hall = await f.begun()
        board = f.board(hall)
        hall.photos = False
        f.api.faults.append(refused("editMessageMedia", "Bad Request: not enough rights to send photos"))
        await f.say(ann, hall, "/move a2-a3")
        assert not any(fault.times for fault in f.api.faults)
        assert keys(board) == []
        assert words(board).startswith("The game begins: Ann – Bob.\n")


async def test_those_who_are_asked_are_called_by_name(f: TelegramHarness) -> None:
    ann, bob, cem = f.api.human("Ann"), f.api.human("Bob"), f.api.human("Cem")
    hall = f.api.group(HALL, "Hall", ann, bob, cem)
    await f.say(ann, hall, "/challenge bob cem klopodavka players:3")
    card = f.board(hall)
    assert called(card) == {bob.id: "Bob", cem.id: "Cem"}
    assert not card["silent"]
    await f.press(bob, card, "Accept")
    await f.press(cem, f.board(hall), "Accept")
    assert called(f.board(hall)) == {ann.id: "Ann"}
    assert not f.board(hall)["silent"]
    before = len(f.api.shown(hall))
    await f.say(ann, hall, "/draw")
    (asked,) = f.api.shown(hall)[before:]
    assert called(asked) == {bob.id: "Bob", cem.id: "Cem"}
    assert words(asked).endswith("Ann offers a draw. 👉 Bob, Cem")
    assert not asked["silent"]


def called(message: Json) -> dict[int, str]:
    """Who is called in a message, and by which word."""
    text = words(message).encode("utf-16-le")
    return {
        each["user"]["id"]: text[2 * each["offset"] : 2 * (each["offset"] + each["length"])].decode(
            "utf-16-le"
        )
        for each in message.get("entities", ())
        if each["type"] == "text_mention"
    }


async def test_the_live_board_shows_what_is_asked_and_goes_on_after_the_answer(f: TelegramHarness) -> None:
    ann, bob, hall = await f.begun()
    await f.say(ann, hall, "/move a2-a3")
    board = f.board(hall)
    before = [key["text"] for key in keys(board)]
    await f.say(ann, hall, "/draw")
    assert {"Agree", "Decline"} <= {key["text"] for key in keys(board)}
    assert "Ann: a2-a3" in words(board)
    await f.press(bob, board, "Decline")
    assert [key["text"] for key in keys(board)] == before
    await f.say(ann, hall, "/undo")
    await f.say(ann, hall, "/move b2-b3")
    assert "taken back" in words(board)
    assert "begins" not in words(board)


async def test_a_losing_first_move_is_asked_back_where_the_others_do_not_read_it(f: TelegramHarness) -> None:
    ann, bob, hall = await f.begun()
    await f.say(ann, None, "/start")
    for who, text in ((ann, "a2-a3"), (bob, "c4-c3"), (ann, "a1-a2"), (bob, "c3xb2")):
        await f.say(who, hall, f"/move {text}")
    shown = len(f.api.shown(hall))
    await f.say(ann, hall, "/move d2-d3")
    (match,) = f.matches
    assert len(match.log) == 4
    assert len(f.api.shown(hall)) == shown
    asked = f.api.last(ann)
    assert "This loses to" in words(asked)
    assert [key["text"] for key in keys(asked)][:2] == ["Play it all the same", "Another move"]


async def test_a_losing_move_that_is_pressed_can_be_played_all_the_same(f: TelegramHarness) -> None:
    ann, bob, hall = await f.begun()
    for who, text in ((ann, "a2-a3"), (bob, "c4-c3"), (ann, "a1-a2"), (bob, "c3xb2")):
        await f.say(who, hall, f"/move {text}")
    board = f.board(hall)

    async def pressed() -> str | None:
        await f.press(ann, board, "Move")
        for step in (":d2", "/d3"):
            await f.tap(ann, board, next(d for k in keys(board) if (d := k["callback_data"]).endswith(step)))
        return await f.press(ann, board, "Play")

    assert (await pressed() or "").startswith("This loses to")
    assert [key["text"] for key in keys(board)] == ["Play it all the same", "Another move", "Back"]
    assert (await f.press(bob, board, "Play it all the same") or "").startswith("Ann is using these keys.")
    await f.press(ann, board, "Back")
    assert [key["text"] for key in keys(board)] == ["Move", "More…"]
    assert len(f.matches[0].log) == 4
    # Sure the second time: the question is not asked again, or its key plays.
    if await pressed():
        assert await f.press(ann, board, "Play it all the same") is None
    assert len(f.matches[0].log) == 5


async def test_giving_up_is_asked_about_in_place_of_the_keys(f: TelegramHarness) -> None:
    ann, bob, hall = await f.begun()
    board = f.board(hall)
    await f.press(bob, board, "More…")
    assert "Give this game up?" in (await f.press(bob, board, "Resign") or "")
    assert [key["text"] for key in keys(board)] == ["Yes, resign", "Back"]
    assert await f.press(ann, board, "Yes, resign") is None  # the match waits for her: she has the keys back
    assert [each.phase for each in f.matches] == [Phase.PLAYING]
    assert [key["text"] for key in keys(board)] == ["Move", "More…"]
    await f.press(bob, board, "More…")
    await f.press(bob, board, "Resign")
    await f.press(bob, board, "Yes, resign")
    assert f.matches[0].phase is Phase.OVER
    # In private the question is a message of its own.
    await f.begin(hall, ann, bob)
    await f.say(bob, None, "/board")
    await f.press(bob, f.api.last(bob), "More…")
    await f.press(bob, f.api.last(bob), "Resign")
    asked = f.api.last(bob)
    assert [key["text"] for key in keys(asked)] == ["Yes, resign"]
    await f.press(bob, asked, "Yes, resign")
    assert f.matches[-1].phase is Phase.OVER


@pytest.mark.parametrize("language", ["en", "uk", "ru"])
async def test_a_bug_is_logged_and_told(
    f: TelegramHarness, language: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    ann, bob = f.api.human("Ann", language=language), f.api.human("Bob")
    hall = f.api.group(HALL, "Hall", ann, bob)
    await f.say(bob, hall, "/challenge ann lgame")
    card = f.board(hall)

    async def broken(*_: object, **__: object) -> None:
        raise KeyError

    for name in ("answer", "press"):
        monkeypatch.setattr(f.services.desk, name, broken)
    told = words_in(language)("bot.command.failed")
    await f.say(ann, None, "/games")
    assert told in words(f.api.last(ann))
    await f.say(ann, hall, "/games")
    assert told in words(f.api.last(hall))
    assert await f.press(ann, card, lambda label: True) == told
    assert [record.getMessage() for record in caplog.records if record.exc_info] == [
        "a command failed",
        "a command failed",
        "a press failed",
    ]


async def test_a_command_under_a_picture_is_read_and_other_words_there_are_talk(f: TelegramHarness) -> None:
    ann, bob, hall = await f.begun()
    photo = [{"file_id": "p", "file_unique_id": "p", "width": 9, "height": 9}]
    f.api.service(hall, ann, photo=photo, caption="/move a2-a3")
    await f.settled()
    assert [entry.text for entry in f.matches[0].log if isinstance(entry, Ply)] == ["a2-a3"]
    film = {"file_id": "g", "file_unique_id": "g", "width": 9, "height": 9, "duration": 1}
    file = {"file_id": "g", "file_unique_id": "g", "file_name": "g.mp4"}
    f.api.service(hall, bob, animation=film, document=file, caption="/move b4xa3")
    await f.settled()
    assert [entry.text for entry in f.matches[0].log if isinstance(entry, Ply)] == ["a2-a3", "b4xa3"]
    said = len(f.api.messages[hall.id])
    f.api.service(hall, ann, photo=photo, caption="b2-b3")
    await f.settled()
    assert len(f.api.messages[hall.id]) == said
    assert len(f.matches[0].log) == 2


@pytest.mark.parametrize("typed", ["1. b2-b3", "[b2b3]", "b2b3*", "b2 to b3", "ｂ２－ｂ３", "б2-б3"])
async def test_a_move_is_read_as_it_is_written_elsewhere(f: TelegramHarness, typed: str) -> None:
    ann, _, hall = await f.begun()
    await f.say(ann, hall, typed, reply_to=f.board(hall))
    assert [entry.text for entry in f.matches[0].log if isinstance(entry, Ply)] == ["b2-b3"]


async def test_a_file_of_another_program_is_imported_in_private(f: TelegramHarness) -> None:
    ann = f.api.human("Ann")
    await f.say(ann, None, "/start")
    f.api.give(ann, None, "Game.PGN", b'[Site "x"]\n1. a2a3 (b2b3) a7a6 {good} 0-1')
    await f.settled()
    [match] = f.matches
    assert match.remarks[0] == ("Site", "x")
    assert any("The board shows the moves" in words(message) for message in f.api.shown(ann))


async def test_what_is_pressed_after_the_end_keeps_no_dead_keys() -> None:
    """The board, the question and the offer in private are no messages that the sender remembers."""
    async with telegram_bot() as told:
        ann, bob, hall = await told.begun()
        for who in (ann, bob):
            await told.say(who, None, "/start")
        for who, line in ((ann, "/board"), (bob, "/resign"), (bob, "/draw")):
            await told.say(who, None, line)
        await told.say(ann, hall, "/resign yes")
        code = told.matches[0].id
        pressed = 0
        for who in (ann, bob):
            for message in told.api.shown(who):
                live = [key["callback_data"] for key in keys(message) if code in key.get("callback_data", "")]
                if live:
                    await told.tap(who, message, live[0])
                    pressed += 1
            left = [key.get("callback_data", "") for each in told.api.shown(who) for key in keys(each)]
            assert not [data for data in left if code in data]
        assert pressed == 3


# Engines at the table, and hints, in a group and in private.


def seats(f: TelegramHarness) -> Seats:
    return Seats(f.table, f.store, Thinker(Inline()), lambda: f.now, sleep=f._sleep)


async def answered(f: TelegramHarness, engines: Seats) -> None:
    """Have the engine answer, and show that."""
    assert engines.look(f.matches[0])
    for _ in range(5):  # a turn of one ply needs one
        if not await engines.settled(20):
            break
    await f.sender.drain()


async def test_an_engine_is_seen_thinking_and_its_move_changes_the_board_in_place() -> None:
    async with telegram_bot(language="uk") as f:
        ann = f.api.human("Ann", language=None)
        hall = f.api.group(HALL, "Hall", ann)
        await f.say(ann, hall, "/challenge engine:2 side:second breakthrough 4x5")
        board = f.board(hall)
        assert words(board).splitlines()[-1] == "Klop, рівень 2 думає…"
        assert not [each for each in board.get("entities", ()) if each["type"] == "text_mention"]
        engines = seats(f)
        await answered(f, engines)
        (match,) = f.matches
        assert [type(entry) for entry in match.log] == [Ply]
        assert "думає" not in words(board)
        assert words(board).splitlines()[-1] == "Ходить Ann"
        assert f.board(hall)["message_id"] == board["message_id"]
        await engines.close()


async def test_pressed_moves_against_an_engine_stay_in_one_message_and_a_typed_one_shows_a_new_board() -> (
    None
):
    async with telegram_bot() as f:
        ann = f.api.human("Ann")
        await f.say(ann, None, "/challenge engine:2 breakthrough 4x5")
        engines, board = seats(f), f.board(ann)
        (match,) = f.matches

        async def picked(move: str) -> None:
            data = CallbackData(Verb.MOVE, match.id, f.matches[0].revision, move).pack()
            await f.tap(ann, board, data)
            await answered(f, engines)

        await picked("a2-a3")
        assert f.board(ann)["message_id"] == board["message_id"]
        first, second = words(board).splitlines()[:2]
        assert first.startswith("Ann: a2-a3")
        assert second.startswith("Klop")
        await f.say(ann, None, "/move b2-b3")
        fresh = f.board(ann)
        assert fresh["message_id"] > board["message_id"]
        assert not keys(board)
        await answered(f, engines)
        assert f.board(ann)["message_id"] == fresh["message_id"]
        assert "Ann: b2-b3" in words(fresh)
        await engines.close()


async def test_a_hint_is_told_in_private_first_its_idea_then_the_turn() -> None:
    async with telegram_bot(thinker=Thinker(Inline())) as f:
        ann, bob, hall = await f.begun("lgame")
        seen = len(f.api.shown(hall))
        board = f.board(hall)
        await f.press(bob, board, "More…")
        assert "Hint" not in [key["text"] for key in keys(board)]
        await f.press(bob, board, "Back")
        await f.press(ann, board, "More…")
        assert await f.press(ann, board, "Hint") is None
        idea = f.api.last(ann)
        assert "Hint: " in words(idea)
        assert not re.search(r"\bL [a-d][1-4]", words(idea))
        assert await f.press(ann, idea, "Show the move") is None
        turn = f.api.last(ann)
        assert turn["message_id"] == idea["message_id"]
        assert "Turn: Bob" in (await f.press(ann, turn, lambda label: label.startswith("Play ")) or "")
        assert len(f.api.shown(hall)) == seen + 1
        (match,) = f.matches
        assert len(match.log) == 1
        # Bob, who is on turn now, has one; Ann has none.
        await f.say(ann, hall, "/hint")
        assert words(f.api.last(hall)) == "Only the player whose turn it is can ask for a hint."


# `/help`: topics in one message of the private chat.


@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_press_turns_the_page_in_the_same_message(language: str) -> None:
    async with telegram_bot(language=language) as f:
        ann = f.api.human("Ann", language=None)
        await f.say(ann, None, "/help")
        (message,) = f.api.shown(ann)
        for topic in HelpTopic:
            title = words_for(language)(f"bot.help.topic.{topic}")
            if topic is not HelpTopic.BASICS:
                assert await f.press(ann, message, title) is None
            (message,) = f.api.shown(ann)
            assert words(message).splitlines()[0] == title
            assert f"• {title}" in [key["text"] for key in keys(message)]
            # A client makes these names taps; no other spelling is one.
            listed = set(re.findall(r"(?:^|· )(/[a-z]+) —", words(message), re.MULTILINE))
            assert listed == {f"/{spec.name}" for spec in REGISTRY.specs.values() if spec.topic is topic}
        clocks = words_for(language)("bot.help.label.clock")
        await f.press(ann, message, words_for(language)(f"bot.help.topic.{HelpTopic.MATCH}"))
        await f.press(ann, f.api.last(ann), clocks)
        (message,) = f.api.shown(ann)
        assert "clock:" in words(message)


async def test_the_help_of_a_group_s_member_is_theirs_alone(f: TelegramHarness) -> None:
    ann, _bob, hall = f.three()
    await f.say(ann, None, "/games")
    shown, private = len(f.api.shown(hall)), len(f.api.shown(ann))
    await f.say(ann, hall, "/help")
    assert await f.press(ann, f.api.last(ann), "Settings & privacy") is None
    assert "/privacy" in words(f.api.last(ann))
    assert len(f.api.shown(hall)) == shown
    assert len(f.api.shown(ann)) == private + 1
