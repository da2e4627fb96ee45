"""Cards that are sent by way of the bot into chats that it is not in."""

from __future__ import annotations

import pytest

from bot.chat import metrics
from bot.chat.callback_data import CallbackData, Verb
from bot.chat.view import View
from bot.platforms.telegram.adapter import stored
from bot.platforms.telegram.places import account
from play.match import Phase
from tests.platforms.telegram.harness import TelegramHarness
from tests.platforms.telegram.server import keys, words


async def test_every_game_and_variant_is_offered_and_words_choose_among_them(f: TelegramHarness) -> None:
    ann = f.api.human("Ann")
    results = await f.offered(ann, "")
    everything = {result["title"] for result in results}
    held = {keys(result)[0]["callback_data"].partition(":")[2] for result in results}
    assert len(everything) == len(held) == len(results) > 10  # every card is another game
    assert {title.split()[0] for title in everything} >= {"Breakthrough", "Klopodavka", "L-game"}
    for typed, title in (
        ("lgame classic", ["L-game"]),
        ("lgame sco", ["L-game (scoring)"]),
        ("breakthrough 7x9", ["Breakthrough (board: 7×9)"]),
        ("chess blindfold", []),
    ):
        assert [each["title"] for each in await f.offered(ann, typed)][:1] == title


@pytest.mark.parametrize("feedback", [False, True])
async def test_a_person_who_taps_plays_on_the_card(f: TelegramHarness, feedback: bool) -> None:
    ann, bob = f.api.human("Ann", started=False), f.api.human("Bob", started=False)
    sent = await f.card(ann, feedback=feedback)
    assert len(f.matches) == feedback
    assert await f.press(ann, sent, "Join")  # one's own invitation is no use to oneself
    assert await f.press(bob, sent, "Join") is None
    (match,) = f.matches
    assert match.phase is Phase.PLAYING
    assert [chair.player.name for chair in match.chairs if chair.player] == ["Ann", "Bob"]
    assert (await f.store.settings.get(match.addresses[0])).language == "en"
    assert "Turn: Ann" in words(sent)
    assert "As text" not in [key["text"] for key in keys(sent)]  # which it is
    # The keys become the board for the player on turn: a man, where he goes, and yes.
    assert await f.press(bob, sent, "Move") is not None
    assert await f.press(ann, sent, "Move") is None
    assert await f.tap_on(ann, sent, ":a2") is None
    assert await f.tap_on(ann, sent, "/a3") is None
    assert await f.press(ann, sent, "Play") is None
    assert "Ann: a2-a3" in words(sent)
    assert "Turn: Bob" in words(sent)
    assert not f.api.shown(ann)
    assert not f.api.shown(bob)


async def test_the_player_on_turn_is_called_privately_once(f: TelegramHarness) -> None:
    ann, bob = f.api.human("Ann"), f.api.human("Bob", language="uk")
    await f.say(bob, None, "/start hello")
    sent = await f.card(ann)
    await f.press(bob, sent, "Join")
    (match,) = f.matches
    (called,) = f.api.shown(ann)
    assert words(called).splitlines() == [
        f"Breakthrough (board: 5×5) · #{match.id} · Ann – Bob",
        "Turn: Ann",
    ]
    assert not called["silent"]
    (link,) = [each["url"] for each in called["entities"] if each["type"] == "text_link"]
    assert link == f"https://t.me/klop_test_bot?start=board-{match.id}"
    assert "private chat" not in words(sent)
    # The move is picked in place of the call, which goes once the turn is over.
    await f.press(ann, called, "Move")
    (picker,) = f.api.shown(ann)
    assert "Turn: Ann" in words(picker)
    await f.say(ann, None, f"/move #{match.id} a2-a3")
    assert picker not in f.api.shown(ann)
    assert words(f.api.last(bob)).endswith("Ходить Bob")
    # A call that is sent again with its announcement is not repeated.
    shown, courier = len(f.api.shown(bob)), f.telegram.courier
    card_of = f.matches[0].addresses[0]
    view = View(lines=("…",), code=match.id)
    await courier.post(card_of, view, ping=[account(bob.id)], nonce="n")
    assert len(f.api.shown(bob)) == shown


async def test_one_card_is_one_match_for_any_number_of_taps_and_deliveries(f: TelegramHarness) -> None:
    ann, bob, cem = f.api.human("Ann"), f.api.human("Bob"), f.api.human("Cem")
    sent = await f.card(ann)
    old = dict(sent)
    query = f.api.press(bob, sent, keys(sent)[0]["callback_data"])
    raw = dict(f.api._updates[-1])
    await f.settled()
    assert query in f.api.answered
    before = f.matches
    await f.telegram._receiver.accept([stored(raw), stored(raw)])
    assert await f.press(cem, old, "Join")
    assert f.matches == before
    assert len(before) == 1


async def test_a_card_can_ask_for_a_rated_match(f: TelegramHarness) -> None:
    ann, bob = f.api.human("Ann"), f.api.human("Bob")
    titles = [result["title"] for result in await f.offered(ann, "rated:yes")]
    assert "L-game, rated" in titles
    assert all(title.endswith((", rated", "…")) and "5×5" not in title for title in titles)
    plain = [result["title"] for result in await f.offered(ann, "breakthrough rated:perhaps")]
    assert not any("rated" in title for title in plain)
    sent = await f.card(ann, "breakthrough 7x9 рейтинг")
    await f.press(bob, sent, "Join")
    (match,) = f.matches
    assert match.rated
    assert dict(match.options) == {"board": "7x9"}
    assert ", rated" in words(sent)


async def test_who_is_kept_out_of_a_group_plays_on_no_card_there(f: TelegramHarness) -> None:
    ann, bob, cem = (f.api.human(name, user=name.lower()) for name in ("Ann", "Bob", "Cem"))
    hall = f.api.group(-1_001_000_000_500, "Hall", ann, bob, cem)
    hall.admins.add(ann.id)
    await f.say(ann, hall, "/new lgame")
    await f.press(cem, f.api.last(hall), "Join")  # so that the bot knows presses in the hall
    await f.say(ann, hall, "/exclude @bob")
    for host, guest, alert in (
        (cem, bob, "The admins keep you out"),
        (bob, cem, "The admins of this match’s chat keep"),
    ):
        sent = await f.card(host, room=hall)
        assert (await f.press(guest, sent, "Join") or "").startswith(alert)
        assert not [match for match in f.matches if match.phase is Phase.PLAYING]
    elsewhere = await f.card(bob)
    assert await f.press(cem, elsewhere, "Join") is None
    assert [
        match.phase
        for match in f.matches
        if match.addresses[0].place.endswith(elsewhere["inline_message_id"])
    ] == [Phase.PLAYING]


async def test_a_player_who_can_be_called_again_is_told_the_missed_turn_once(f: TelegramHarness) -> None:
    ann, bob = f.api.human("Ann", started=False), f.api.human("Bob")
    await f.say(bob, None, "/start hello")
    sent = await f.card(ann)
    await f.press(bob, sent, "Join")
    (match,) = f.matches
    await f.say(ann, None, "/start hello")
    called = [each for each in f.api.shown(ann) if f"#{match.id}" in words(each)]
    assert [words(each).splitlines()[-1] for each in called] == ["Turn: Ann"]
    await f.say(ann, None, "/help")
    assert len([each for each in f.api.shown(ann) if f"#{match.id}" in words(each)]) == 1
    # One who blocks the bot and comes back is told of what waits for them, and of nothing else.
    private = f.api.rooms[bob.id]
    f.api.member(private, bob, "member", "kicked")
    await f.settled()
    await f.say(ann, None, f"/move #{match.id} a2-a3")
    assert not [
        each for each in f.api.shown(ann) if f"#{match.id}" in words(each) and "Turn: Ann" in words(each)
    ]
    assert "Bob, open a private chat with me" in words(sent)
    f.api.member(private, bob, "kicked", "member")
    await f.settled()
    assert words(f.api.last(bob)).endswith("Turn: Bob")


@pytest.mark.parametrize(
    "end", ["nosuch:", "breakthrough:board", "breakthrough:board:99x99", "lgame:clock:1d"]
)
async def test_a_card_that_was_never_offered_is_refused(
    f: TelegramHarness, end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[str] = []
    monkeypatch.setattr(metrics.UNREADABLE, "add", counted.append)
    ann, bob = f.api.human("Ann"), f.api.human("Bob")
    f.api.update(
        chosen_inline_result={
            "result_id": f"j0en:{end}", "from": ann.json, "query": "", "inline_message_id": "AgAA-0_invented"
        }
    )  # fmt: skip
    sent = await f.card(ann)
    assert "older version" in (await f.tap(bob, sent, f"j{ann.id}en:{end}") or "")
    assert f.matches == []
    assert counted == ["telegram"] * 2
    assert await f.press(bob, sent, "Join") is None


async def test_a_card_that_is_no_message_is_no_place(
    f: TelegramHarness, caplog: pytest.LogCaptureFixture
) -> None:
    """It was deleted, or its id was invented."""
    ann, bob = f.api.human("Ann"), f.api.human("Bob")
    sent = await f.card(ann)
    await f.press(bob, sent, "Join")
    (match,) = f.matches
    invented = {"inline_message_id": "AgAA-0_invented"}
    await f.tap(bob, invented, CallbackData(Verb.WATCH, match.id, 0).pack())
    assert len(f.matches[0].addresses) == 2
    await f.tap(bob, invented, f"j{ann.id}en:lgame:")
    del f.api.inline[sent["inline_message_id"]]
    await f.say(ann, None, f"/move #{match.id} a2-a3")
    assert not [
        record for record in caplog.records if record.levelname == "ERROR" and "shown at" in record.message
    ]
