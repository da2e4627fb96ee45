"""Cards that are sent by way of the bot into chats that it is not in."""

from __future__ import annotations

import re

import pytest

from play.match import Phase
from tests.platforms.telegram.harness import TelegramHarness
from tests.platforms.telegram.server import Human, Json, keys, words


async def offered(f: TelegramHarness, who: Human, text: str) -> list[Json]:
    query = f.api.ask_inline(who, text)
    await f.settled()
    return f.api.results[query]


async def card(
    f: TelegramHarness, who: Human, text: str = "breakthrough mini", *, feedback: bool = False
) -> Json:
    """The first card that is offered, sent somewhere."""
    sent = f.api.post_inline(who, (await offered(f, who, text))[0], feedback=feedback)
    await f.settled()
    return sent


async def test_every_game_and_variant_is_offered_and_words_choose_among_them(f: TelegramHarness) -> None:
    ann = f.api.human("Ann")
    everything = [result["title"] for result in await offered(f, ann, "")]
    assert len(everything) > 10
    assert {title.split()[0] for title in everything} >= {"Breakthrough", "Klopodavka"}
    some = [result["title"] for result in await offered(f, ann, "lgame sco")]
    assert some
    assert all("scoring" in title.lower() for title in some)
    exact = await offered(f, ann, "breakthrough 7x9")
    assert "7 × 9" in exact[0]["title"]
    assert await offered(f, ann, "chess blindfold") == []


async def test_cards_are_in_the_language_of_their_sender(f: TelegramHarness) -> None:
    olha = f.api.human("Ольга", language="uk", user="olha")
    sent = await card(f, olha, "клоподавка")
    assert "запрошує" in words(sent)
    await f.press(f.api.human("Bob", language="en"), sent, "Приєднатися")
    assert "Хід" in words(sent)
    assert len(keys(sent)) <= 8  # ten files are no keyboard


@pytest.mark.parametrize("feedback", [False, True])
async def test_a_person_who_taps_plays_on_the_card(f: TelegramHarness, feedback: bool) -> None:
    ann, bob = f.api.human("Ann", started=False), f.api.human("Bob", started=False)
    sent = await card(f, ann, feedback=feedback)
    assert len(f.matches) == feedback
    assert await f.press(ann, sent, "Join")  # one's own invitation is no use to oneself
    assert await f.press(bob, sent, "Join") is None
    (match,) = f.matches
    assert match.phase is Phase.PLAYING
    assert [chair.player.name for chair in match.chairs if chair.player] == ["Ann", "Bob"]
    assert "Turn: Ann" in words(sent)
    assert "As text" not in [key["text"] for key in keys(sent)]  # which it is
    # The keys are the board: a man, where he goes, and yes.
    assert await f.press(bob, sent, lambda label: "a2" in label or "🌕" in label) is not None
    data = next(key["callback_data"] for key in keys(sent) if key["callback_data"].endswith(":a2"))
    assert await f.tap(ann, sent, data) is None
    data = next(key["callback_data"] for key in keys(sent) if key["callback_data"].endswith("/a3"))
    assert await f.tap(ann, sent, data) is None
    assert await f.press(ann, sent, "Play") is None
    assert "Ann: a2-a3" in words(sent)
    assert "Turn: Bob" in words(sent)
    assert not f.api.shown(ann)
    assert not [call for call in f.api.calls if call.method.startswith("send")]


async def test_a_question_stands_above_the_board(f: TelegramHarness) -> None:
    ann, bob = f.api.human("Ann"), f.api.human("Bob")
    sent = await card(f, ann)
    await f.press(bob, sent, "Join")
    await f.press(ann, sent, "Offer a draw")
    assert "Ann" in words(sent)
    assert "Turn: Ann" in words(sent)
    await f.press(bob, sent, "Agree")
    (match,) = f.matches
    assert match.phase is Phase.OVER


async def test_one_card_one_match_for_any_number_of_taps(f: TelegramHarness) -> None:
    ann, bob, cem = f.api.human("Ann"), f.api.human("Bob"), f.api.human("Cem")
    sent = await card(f, ann)
    old = dict(sent)
    await f.press(bob, sent, "Join")
    assert await f.press(cem, old, "Join")
    assert len(f.matches) == 1


async def test_a_press_that_is_delivered_again_changes_nothing(f: TelegramHarness) -> None:
    ann, bob = f.api.human("Ann"), f.api.human("Bob")
    sent = await card(f, ann)
    data = keys(sent)[0]["callback_data"]
    query = f.api.press(bob, sent, data)
    raw = dict(f.api._updates[-1])
    await f.settled()
    before = f.matches
    f.telegram._queues.put(raw)
    await f.telegram._queues.put(raw)
    await f.sender.drain()
    assert f.matches == before
    assert query in f.api.answered


async def test_an_inline_match_can_be_joined_from_a_group_by_its_code(f: TelegramHarness) -> None:
    ann, bob, hall = f.three()
    sent = await card(f, ann, feedback=True)
    (match,) = f.matches
    await f.say(bob, hall, f"/join #{match.id}")
    assert "Turn: Ann" in words(sent)


async def test_every_card_is_another_game(f: TelegramHarness) -> None:
    ann = f.api.human("Ann")
    everything = await offered(f, ann, "")
    titles = [each["title"] for each in everything]
    assert "L-game" in titles
    assert "L-game (classic)" not in titles
    assert len(set(titles)) == len(titles)
    chosen = {(found[1], found[2]) for each in everything if (found := _game(each))}
    assert len(chosen) == len(titles)
    # It is found by either name.
    assert [each["title"] for each in await offered(f, ann, "lgame classic")] == ["L-game"]


def _game(result: Json) -> re.Match[str] | None:
    """The game and its options in the key of a card."""
    (row,) = result["reply_markup"]["inline_keyboard"]
    return re.match(r"j[0-9]+[a-z]{2}:([a-z]+):(.*)", row[0]["callback_data"])


async def test_a_card_can_ask_for_a_rated_match(f: TelegramHarness) -> None:
    ann, bob = f.api.human("Ann"), f.api.human("Bob")
    titles = [result["title"] for result in await offered(f, ann, "rated:yes")]
    assert "L-game, rated" in titles
    assert all(title.endswith((", rated", "…")) for title in titles)  # a title can be too long
    assert not any("5 × 5" in title for title in titles)
    plain = [result["title"] for result in await offered(f, ann, "breakthrough rated:perhaps")]
    assert plain
    assert not any("rated" in title for title in plain)
    sent = await card(f, ann, "breakthrough 7x9 рейтинг")
    await f.press(bob, sent, "Join")
    (match,) = f.matches
    assert match.rated
    assert dict(match.options) == {"board": "7x9"}
    assert ", rated" in words(sent)
