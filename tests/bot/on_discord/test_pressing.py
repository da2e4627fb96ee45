"""Old, foreign and forged presses: they change nothing, and are answered privately, with the board as it is."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from bot.chat.callback_data import CallbackData, Verb
from bot.platforms.discord import adapter, responses
from tests.bot.on_discord.playing import begun, latest, public
from tests.platforms.discord.harness import DiscordHarness
from tests.platforms.discord.people import Person


async def test_a_stale_button_is_answered_with_the_board_as_it_is(home: DiscordHarness) -> None:
    ann, bob = await begun(home)
    old = latest(ann).pressed()
    await ann.types("move", move="a2-a3")
    await bob.types("move", move="b4-b3")
    before, seen = dict(home.matches), len(public(ann))
    old_move = next(each["custom_id"] for each in old if each["label"] == "Move")
    await ann.presses(latest(ann), old_move, forged=True)
    assert home.matches == before
    assert len(public(ann)) == seen
    said = ann.private()[-1]
    assert said.files["board.png"]
    assert not bob.private()


async def test_a_press_on_another_persons_button_is_explained(home: DiscordHarness) -> None:
    await begun(home)
    carol = home.person("carol")
    before = dict(home.matches)
    await carol.presses(latest(carol), "Move")
    assert carol.private()[-1].content
    assert [each["label"] for each in carol.private()[-1].pressed()] == ["More…"]
    await carol.presses(latest(carol), "More…")
    offered = [each["label"] for each in carol.private()[-1].pressed()]
    assert offered == ["Flip the board", "As text", "Board in words"]  # what they can do themselves
    assert home.matches == before


@pytest.mark.parametrize(
    "custom_id",
    [
        "nonsense",
        "1zz:aaaaaa:1:",
        "1mo:aaaaaa:1:a2-a3",
        "1sp:zzzzzz:zzzzzz:////",
        "pick:0",
        "cell:0.0",
        "type:zzzzzz",
        "9:" + "x" * 98,
        "persistent_view:1",
        "1mo:\u0430\u0430\u0430\u0430\u0430\u0430:1:",
    ],
)
async def test_an_unknown_button_is_answered(home: DiscordHarness, custom_id: str) -> None:
    ann, _ = await begun(home)
    before = dict(home.matches)
    done = await ann.presses(latest(ann), custom_id, forged=True)
    assert done.modal or ann.private()[-1].content
    assert home.matches == before


async def test_a_forged_move_of_another_match_is_refused(home: DiscordHarness) -> None:
    await begun(home)
    (match,) = home.matches.values()
    carol = home.person("carol", at=home.hall)
    await carol.types("challenge", game="lgame")
    forged = CallbackData(Verb.MOVE, match.id, match.revision, "a2-a3").pack()
    await carol.presses(latest(carol), forged, forged=True)
    assert home.matches[match.id] == match
    assert carol.private()[-1].content


async def test_a_press_delivered_twice_is_done_once(home: DiscordHarness) -> None:
    ann, _ = await begun(home)
    (match,) = home.matches.values()
    custom_id = CallbackData(Verb.MOVE, match.id, match.revision, "a2-a3").pack()
    done = await ann.presses(latest(ann), custom_id, forged=True)
    revision = home.matches[match.id].revision
    data = {"component_type": 2, "custom_id": custom_id}
    await ann.sends(3, data, done.message, again=done)
    await home.discord.until(lambda: done.acked is not None)
    await home.settle()
    assert home.matches[match.id].revision == revision


async def test_buttons_work_after_a_restart(home: DiscordHarness) -> None:
    ann, bob = home.person("ann"), home.person("bob")
    await ann.types("challenge", person=bob.user, game="lgame")
    card = latest(ann)
    await home.close()
    await home.open()
    await bob.presses(card, "Accept")
    assert ann.pinged()


async def test_a_modal_of_a_bot_that_is_gone_is_still_read(home: DiscordHarness) -> None:
    ann, _ = await begun(home)
    (match,) = home.matches.values()
    opened = await ann.presses(latest(ann), f"type:{match.id}", forged=True)
    await home.close()
    await home.open()
    await ann.fills_in(opened, "a2-a3")
    assert home.matches[match.id].revision > match.revision


async def test_what_is_folded_says_what_came_of_it(home: DiscordHarness) -> None:
    ann, bob = home.person("ann"), home.person("bob")
    await ann.types("challenge", person=bob.user, game="breakthrough", options="board:5x5", clock="3d")
    card = latest(ann)
    assert "invited" in card.content
    await bob.presses(card, "Accept")
    assert not card.pressed()
    assert card.content.endswith("The game begins: Ann – Bob.")
    assert "invited" not in card.content
    board = latest(ann)
    assert "<t:" in board.content
    picture = dict(board.files)
    await ann.types("move", move="a2-a3")
    assert latest(ann) is not board
    assert not board.pressed()
    # There is no longer so much time, and it is not her turn; the picture stays.
    assert "<t:" not in board.content
    assert "Turn" not in board.content
    assert board.content.startswith("The game begins: Ann – Bob.")
    assert board.files == picture
    assert board.attachments


async def test_a_folded_board_that_a_killed_bot_may_have_changed_is_painted_anew(
    home: DiscordHarness,
) -> None:
    ann, _ = await begun(home)
    board = latest(ann)
    picture = dict(board.files)
    board.files = dict.fromkeys(picture, b"the next turn: sent, and not remembered")
    await home.close()
    await home.open()
    await ann.types("move", move="a2-a3")
    assert not board.pressed()
    assert board.content.startswith("The game begins: Ann – Bob.")
    assert board.files == picture


async def test_a_folded_board_of_text_keeps_its_board(home: DiscordHarness) -> None:
    home.games.bot_may &= ~(1 << 15)  # no files
    ann, _ = await begun(home)
    board = latest(ann)
    assert not board.attachments
    await ann.types("move", move="a2-a3")
    assert not board.pressed()
    assert "🟣🟣🟣🟣🟣 4\n◾◽◾◽◾ 3\n🌕🌕🌕🌕🌕 2" in board.content


async def test_a_refusal_in_words_stands_beside_the_card_that_was_pressed(home: DiscordHarness) -> None:
    ann = home.person("ann")
    await ann.types("vacation")
    (card,) = ann.private()
    labels = [each["label"] for each in card.pressed()]
    await ann.presses(card, 0)  # there is no match where it would stop a clock
    card, refused = ann.private()
    assert [each["label"] for each in card.pressed()] == labels
    assert refused.content.startswith("No vacation was taken")
    assert not refused.pressed()


async def test_a_player_who_is_renamed_has_the_new_name_from_their_next_press_or_move(
    home: DiscordHarness,
) -> None:
    ann, bob = await begun(home)
    await begun(home, "lgame", "")

    def names() -> list[set[str]]:
        return [{player.name for player in match.players()} for match in home.matches.values()]

    bob.user.shown = "Robert"
    await bob.presses(latest(bob), "More…")
    assert names() == [{"Ann", "Robert"}] * 2
    home.guild.nicks[bob.user.id] = "Bobby"  # the server's own name, for what is shown there
    match = next(each for each in home.matches.values() if each.game == "breakthrough")
    await ann.types("move", move="a2-a3", match=match.id)
    await bob.types("move", move="b4-b3", match=match.id)
    assert "Bobby" in latest(bob).content, [each.content for each in (*ann.private(), *bob.private())]
    assert {frozenset(each) for each in names()} == {
        frozenset({"Ann", "Bobby"}),
        frozenset({"Ann", "Robert"}),
    }
    await bob.at(home.discord.conversation(bob.user.id)).types("games")
    assert {"Ann", "Bobby"} in names()


@pytest.mark.parametrize(
    ("game", "options", "squares", "picked"),
    [
        ("klopodavka", "board:6x6", ["a2", "b1", "b2"], "Picked: a2 b1 b2"),
        ("lgame", "", ["a1", "a2", "a3", "b1"], "a3-a1-b1/keep"),
    ],
)
async def test_what_is_pressed_before_the_buttons_are_drawn_anew_is_picked_in_order(
    home: DiscordHarness, game: str, options: str, squares: list[str], picked: str
) -> None:
    ann, _bob = await begun(home, game, options)
    await ann.presses(latest(ann), "Move")
    picking = ann.private()[-1]
    keys = {key["label"][:2]: key["custom_id"] for key in picking.pressed() if key["type"] == 2}
    first, go = asyncio.Event(), asyncio.Event()
    acknowledge = responses.acknowledge

    async def slow(interaction: Any) -> None:  # the first press is acknowledged last
        if not first.is_set():
            first.set()
            await go.wait()
        await acknowledge(interaction)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(adapter, "acknowledge", slow)
        quick = Person(home.discord, ann.user, ann.channel)
        sent = [
            await quick.sends(3, {"component_type": 2, "custom_id": keys[square]}, picking)
            for square in squares
        ]
        await home.discord.until(lambda: all(each.acked for each in sent[1:]), "acknowledged")
        go.set()
        await home.settle()
    assert picked in f"{picking.words} {picking.components}"
