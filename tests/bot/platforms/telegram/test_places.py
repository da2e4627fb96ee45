"""Topics, groups that move, chats that close, people who were never met, and old boards."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from io import BytesIO

import pytest
from PIL import Image

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import words as words_in
from play.actions.playing import MakeMove
from play.match import Phase
from play.people import Address
from play.request import Request
from play.time.firing import fire
from tests.platforms.telegram.harness import HALL, TelegramHarness, telegram_bot
from tests.platforms.telegram.server import Json, Refusal, Room, broken, keys, refused, too_fast, words


async def test_topics_are_kept_while_they_are_there(f: TelegramHarness) -> None:
    ann, bob = f.api.human("Ann"), f.api.human("Bob")
    hall = f.api.group(-1_001_000_000_500, "Forum", ann, bob, forum=True)
    hall.topics |= {7, 9}
    await f.begin(hall, ann, bob, topic=7)
    await f.begin(hall, ann, bob, topic=9)
    assert [m["message_thread_id"] for m in f.api.shown(hall)] == [7, 7, 9, 9]
    await f.say(ann, hall, "/move a2-a3", topic=9)
    first, second = (m for m in f.matches if m.phase is Phase.PLAYING)
    assert {len(first.log), len(second.log)} == {0, 1}
    assert f.api.last(hall)["message_thread_id"] == 9
    hall.topics.clear()  # a match whose topic is deleted goes on in its group
    await f.say(ann, hall, "/move a2-a3", topic=7)
    assert "Ann: a2-a3" in words(f.api.last(hall))
    assert "message_thread_id" not in f.api.last(hall)


async def test_a_group_that_becomes_a_supergroup_keeps_its_matches(f: TelegramHarness) -> None:
    ann, bob, hall = await f.begun()
    after = f.api.migrate(hall, -1_001_000_000_777, ann)
    await f.settled()
    await f.say(ann, after, "/move a2-a3")
    assert "Ann: a2-a3" in words(f.api.last(after))
    assert await f.press(bob, f.api.last(after), "Move") is None
    await f.say(bob, after, "/move b4xa3")
    (match,) = f.matches
    assert match.addresses == (Address("telegram", str(HALL)),)
    assert len(match.log) == 2


async def test_a_group_that_moves_unheard_is_followed(f: TelegramHarness) -> None:
    _ann, _bob, hall = await f.begun()
    after = Room(-1_001_000_000_777, "Hall", hall.people)
    f.api.rooms[after.id], hall.moved = after, after.id
    (match,) = f.matches
    player = match.chairs[0].player
    assert player
    await f.table.act(match.id, MakeMove("a2-a3"), Request(player, f.now))
    await f.sender.drain()
    assert "Ann: a2-a3" in words(f.api.last(after))


async def test_a_bot_that_finds_itself_thrown_out_asks_once(f: TelegramHarness) -> None:
    ann, bob, hall = await f.begun("breakthrough 4x5 clock:1d")
    hall.inside = False
    (match,) = f.matches
    for text in ("a2-a3", "b4xa3", "b2xa3"):
        mover = match.chairs[f.table.position(match).to_move].player
        assert mover
        match = (await f.table.act(match.id, MakeMove(text), Request(mover, f.now))).match
        await f.sender.drain()
    sent = [call for call in f.api.calls if call.method in ("sendMessage", "sendPhoto")]
    assert sum(call.given["chat_id"] == HALL for call in sent) <= 4
    assert "Turn: Bob" in words(f.api.last(bob)), "the players are called in private"
    f.api.member(f.api.rooms[bob.id], bob, "member", "kicked")
    await f.settled()
    await fire(f.table, match.id, "remind", f.table.now(f.now + timedelta(hours=12)))
    await f.sender.drain()
    assert "the bot cannot write to them" in words(f.api.last(ann)), "the group does not reach Ann"


async def test_people_are_found_by_reply_by_mention_and_by_name(f: TelegramHarness) -> None:
    ann, bob = f.api.human("Ann"), f.api.human("Bob Ross", user="br")
    hall = f.api.group(HALL, "Hall", ann, bob)
    bare = f.api.human("Анна-Марія <b>", user="am")
    bare.user = None
    for text, mentions in (
        ("/challenge @br lgame", None),
        ("/challenge bob lgame", None),
        ("/challenge lgame Bob Ross", {"Bob Ross": bob}),
        ("/challenge Анна-Марія <b> lgame", {"Анна-Марія <b>": bare}),
    ):
        before = len(f.matches)
        await f.say(ann, hall, text, mentions=mentions)
        assert len(f.matches) == before + 1, text
        reserved = f.matches[-1].chairs[1].reserved
        assert reserved
        assert reserved.account.uid == str((bare if "Анна" in text else bob).id)
    assert "Анна-Марія <b>" in words(f.board(hall))
    await f.say(ann, hall, "/challenge stranger lgame")
    assert len(f.matches) == 4


async def test_faults_are_waited_out(f: TelegramHarness) -> None:
    ann, bob, hall = f.three()
    f.api.faults += [too_fast("sendMessage", 7), broken("sendMessage"), broken("sendMessage", 500)]
    await f.begin(hall, ann, bob)
    f.api.faults += [
        too_fast("editMessageText", 3),
        broken("editMessageText", 504, after=True),
    ]
    await f.say(ann, hall, "/move a2-a3")
    assert "Ann: a2-a3" in words(f.board(hall))
    assert [bool(keys(m)) for m in f.api.shown(hall)][-2:] == [False, True]
    assert not any(fault.times for fault in f.api.faults)


async def test_a_board_that_was_deleted_is_sent_anew(f: TelegramHarness) -> None:
    ann, _bob, hall = await f.begun("klopodavka board:5x5")
    await f.say(ann, hall, "/move b1")
    del f.api.messages[HALL][f.board(hall)["message_id"]]
    shown = len(f.api.shown(hall))
    await f.say(ann, hall, "/undo")
    assert len(f.api.shown(hall)) == shown + 1
    del f.api.messages[HALL][f.board(hall)["message_id"]]
    await f.say(ann, hall, "/move b1 c2 c3")  # what is to be folded is not there
    assert "Turn: Bob" in words(f.board(hall))


async def test_presses_are_answered_when_handling_fails(f: TelegramHarness) -> None:
    ann, _bob, hall = await f.begun()
    board = f.board(hall)
    for data in ("-", "nonsense", "1zz:aaaaaa:1:", "1mo:zzzzzz:1:a2-a3", "x" * 64):
        await f.tap(ann, board, data)
    # An answer that comes too late is lost, and the move counts.
    f.api.faults.append(
        refused("answerCallbackQuery", "Bad Request: query is too old and response timeout expired")
    )
    query = f.api.press(ann, board, keys(board)[0]["callback_data"])
    await f.settled()
    assert query not in f.api.answered
    assert any(k["text"] == "Back" for k in keys(f.board(hall)))


@pytest.mark.slow
async def test_the_pace_is_kept_in_a_chat_in_a_group_and_in_all(f: TelegramHarness) -> None:
    ann, bob = f.api.human("Ann"), f.api.human("Bob")
    rooms = [f.api.group(HALL - n, f"Hall {n}", ann, bob) for n in range(12)]
    for room in rooms:
        f.api.say(ann, room, "/challenge bob breakthrough 4x5")
    await f.settled()
    for room in rooms:
        f.api.press(bob, f.board(room), keys(f.board(room))[0]["callback_data"])
    await f.settled()
    for number, text in enumerate(("a2-a3", "b4xa3", "b2xa3", "c4-c3", "a3-b4", "c3xd2", "c2-c3", "d2-c1")):
        for room in rooms:
            f.api.say((ann, bob)[number % 2], room, f"/move {text}")
        await f.settled()
    written = [call for call in f.api.calls if call.given.get("chat_id") in {room.id for room in rooms}]
    assert len(written) > 150
    assert _most([call.at for call in written], 1) <= 30
    for room in rooms:
        here = [call for call in written if call.given["chat_id"] == room.id]
        assert _most([call.at for call in here], 1) <= 3
        assert _most([call.at for call in here if call.method.startswith("send")], 60) <= 20


def _most(moments: list[float], seconds: float) -> int:
    """The most moments that lie within so many seconds."""
    ordered = sorted(moments)
    return max(sum(begin <= each < begin + seconds for each in ordered) for begin in ordered)


async def test_a_board_that_cannot_be_shown_in_a_group_opens_the_conversation(f: TelegramHarness) -> None:
    ann, bob = f.api.human("Ann"), f.api.human("Bob", started=False)
    hall = f.api.group(HALL, "Hall", ann, bob)
    await f.begin(hall, ann, bob)
    data = CallbackData(Verb.FLIP, f.matches[0].id, 0).pack()
    query = f.api.press(bob, f.board(hall), data)
    await f.settled()
    url = f.api.answered[query]["url"]
    await f.say(bob, None, "/start " + url.partition("start=")[2])
    assert "Turn: Ann" in words(f.api.last(bob))
    await f.tap(bob, f.board(hall), data)
    assert len(f.api.shown(bob)) == 2


async def test_a_group_that_takes_the_bot_back_is_shown_the_board_it_missed(f: TelegramHarness) -> None:
    ann, bob, hall = await f.begun()
    old = f.board(hall)
    f.api.member(hall, ann, "member", "kicked")
    await f.settled()
    await f.say(ann, None, "/start")
    asked = len(f.api.calls)
    await f.say(ann, None, f"/move #{f.matches[0].id} a2-a3")
    assert all(call.given.get("chat_id") != HALL for call in f.api.calls[asked:])
    shown = len(f.api.shown(hall))
    for _ in range(2):  # the second time nothing is missed
        f.api.member(hall, ann, "kicked", "member")
        await f.settled()
        said = [words(message) for message in f.api.shown(hall)][shown:]
        assert [text.partition("\n")[0] for text in said if "Turn: " in text] == ["Ann: a2-a3"]
    assert [one["user"]["id"] for one in f.board(hall)["entities"] if one["type"] == "text_mention"] == [
        bob.id
    ]
    assert not keys(old)


async def test_a_person_who_lets_the_bot_write_again_is_called_in_private(f: TelegramHarness) -> None:
    ann, bob = f.api.human("Ann"), f.api.human("Bob")
    await f.say(bob, None, "/start")
    await f.say(ann, None, "/challenge @bob breakthrough 4x5")
    await f.press(bob, f.api.last(bob), "Accept")
    f.api.member(f.api.rooms[bob.id], bob, "member", "kicked")
    await f.settled()
    await f.say(ann, None, "/move a2-a3")
    shown = len(f.api.shown(bob))
    f.api.member(f.api.rooms[bob.id], bob, "kicked", "member")
    await f.settled()
    await f.say(bob, None, "/start")
    told = [words(message) for message in f.api.shown(bob)][shown:]
    assert len([text for text in told if "Turn: Bob" in text]) == 1


async def test_who_challenges_a_person_that_cannot_be_written_to_is_told_and_given_a_link(
    f: TelegramHarness,
) -> None:
    ann, bob = f.api.human("Ann"), f.api.human("Bob", started=False)
    f.api.group(HALL, "Hall", ann, bob)
    for tries in (1, 0):  # the second time nothing is sent that would be refused
        asked = len(f.api.calls)
        await f.say(ann, None, "/challenge @bob breakthrough 4x5")
        match = f.matches[-1]
        (said,) = [words(m) for m in f.api.shown(ann) if f"/join #{match.id}" in words(m)]
        assert "The bot cannot write to: Bob." in said
        assert said.endswith(f"https://t.me/klop_test_bot?start=join-{match.id}")
        to_bob = [call for call in f.api.calls[asked:] if call.given.get("chat_id") == bob.id]
        assert len(to_bob) == tries
    await f.say(bob, None, f"/start join-{f.matches[-1].id}")
    assert f.matches[-1].phase is Phase.PLAYING
    assert "Turn: Ann" in words(f.api.last(ann))
    begun, missed = map(words, f.api.shown(bob))
    assert "Turn: Ann" in begun
    assert missed.startswith("Ann challenges Bob"), "the first challenge, which could not be sent"


async def test_talk_is_answered_in_private_now_and_then_and_never_in_a_group(f: TelegramHarness) -> None:
    ann = f.api.human("Ann", language="uk")
    hall = f.api.group(HALL, "Hall", ann, admin=True)
    await f.say(ann, hall, "привіт")
    assert not f.api.shown(hall)
    assert not f.api.shown(ann)
    for text in ("привіт", "Hi!"):
        await f.say(ann, None, text)
    (said,) = f.api.shown(ann)
    assert words(said) == "Я розумію лише ходи й команди. Зіграємо? Розпочаті партії покаже /games."
    assert [key["text"] for key in keys(said)] == ["Грати", "Навчитися грати", "Правила", "Довідка"]
    f.now += timedelta(minutes=2)
    await f.say(ann, None, "агов")
    assert len(f.api.shown(ann)) == 2
    assert [key["text"] for key in keys(f.api.last(ann))] == ["Грати", "Правила", "Довідка"]
    await f.say(ann, None, "a2-a3")  # no talk
    assert "/challenge" in words(f.api.last(ann))


async def test_the_list_of_matches_leads_to_where_they_are_shown(f: TelegramHarness) -> None:
    ann, bob = f.api.human("Ann"), f.api.human("Bob")
    hall = f.api.group(-1_001_000_000_500, "Forum", ann, bob, forum=True)
    yard = f.api.group(HALL, "Yard", ann, bob)
    hall.topics.add(7)
    await f.begin(hall, ann, bob)
    await f.begin(hall, ann, bob, topic=7)
    await f.begin(yard, ann, bob)
    await f.say(ann, None, "/games")
    (plain, topic, old) = f.matches
    links = {each["url"]: each for each in f.api.last(ann)["entities"] if each["type"] == "text_link"}
    at = {m.get("message_thread_id"): m["message_id"] for m in f.api.shown(hall)}
    assert set(links) == {f"https://t.me/c/1000000500/{at[None]}", f"https://t.me/c/1000000500/7/{at[7]}"}
    text = words(f.api.last(ann)).encode("utf-16-le")
    named = {
        text[2 * each["offset"] : 2 * (each["offset"] + each["length"])].decode("utf-16-le")
        for each in links.values()
    }
    assert named == {f"#{plain.id}", f"#{topic.id}"}  # a plain group has no links
    assert f"#{old.id}" in words(f.api.last(ann))


async def test_admins_keep_people_out_by_a_reply_and_let_them_in_by_a_key(f: TelegramHarness) -> None:
    ann, bob, hall = f.three()
    hall.admins.add(ann.id)
    await f.say(bob, hall, "/games")
    await f.say(ann, hall, "/exclude", reply_to=f.api.said(bob, hall))
    card = f.api.last(hall)  # here, for its keys act on the chat they are pressed in
    said = len(f.api.shown(hall))
    await f.say(bob, hall, "/new lgame")
    (refusal,) = f.api.shown(hall)[said:]
    assert words(refusal).startswith("The admins keep you out of this chat.")
    await f.swept(121)
    assert refusal not in f.api.shown(hall)
    assert await f.press(bob, card, "Admit Bob") is not None
    await f.press(ann, card, "Admit Bob")
    await f.say(bob, hall, "/new lgame")
    assert "gathers players" in words(f.api.last(hall))


# Old boards stay, shrink or are deleted, as the admins of a group choose.


@pytest.mark.parametrize("chosen", ["keep", "shrink", "delete", "too late to delete"])
async def test_an_old_board_becomes_what_was_chosen(monkeypatch: pytest.MonkeyPatch, chosen: str) -> None:
    async with telegram_bot(pictures=True) as f:
        ann, bob = f.api.human("Ann"), f.api.human("Bob")
        hall = f.api.group(HALL, "Hall", ann, bob, admin=True)
        hall.admins.add(ann.id)
        await f.say(ann, hall, f"/config old-boards:{chosen.rsplit(maxsplit=1)[-1]}")
        await f.begin(hall, ann, bob)
        board, before = f.board(hall), len(f.api.shown(hall))
        whole = _size(board["png"])
        if chosen.startswith("too late"):
            monkeypatch.setattr(f.api, "_deleteMessage", _late)
        await f.say(ann, hall, "/move a2-a3")
        if chosen == "delete":
            assert len(f.api.shown(hall)) == before
            assert board not in f.api.shown(hall)
            return
        assert len(f.api.shown(hall)) == before + 1
        assert keys(board) == []
        assert (_size(board["png"]) == whole) is (chosen != "shrink")
        assert _size(f.board(hall)["png"]) == whole


async def _late(_given: Json, _files: Mapping[str, bytes]) -> bool:
    raise Refusal(400, "Bad Request: message can't be deleted for everyone")


def _size(picture: bytes) -> tuple[int, int]:
    with Image.open(BytesIO(picture)) as image:
        return image.size


async def test_an_orphan_loses_its_keys_once_it_is_pressed(f: TelegramHarness) -> None:
    """A process ended after it sent a board, and before it stored that."""
    ann, bob, hall = await f.begun()
    stored = f.store.outgoing()
    (match,) = f.matches
    before = await stored.shown(match.id, match.addresses[0])
    await f.say(ann, hall, "/move a2-a3")
    orphan = f.board(hall)
    await stored.set_shown(match.id, match.addresses[0], before)
    await f.say(bob, hall, "/move d4-d3")
    assert keys(orphan)
    assert f.board(hall) != orphan
    alert = await f.press(bob, orphan, "Move")
    assert alert
    assert alert.startswith("The match has moved on meanwhile")
    assert not keys(orphan)
    assert keys(f.board(hall))


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
