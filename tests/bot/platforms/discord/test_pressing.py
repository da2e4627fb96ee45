"""Presses on Discord: old, foreign and forged ones, selects, puzzles, hints."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from datetime import time, timedelta
from typing import Any

import pytest
import pytest_asyncio

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.thinking import Thinker
from bot.chat.thinking.seats import Seats
from bot.features.puzzles.daily import DailyPlaces
from bot.platforms.discord import adapter, responses
from engine.core import Task
from play.people import Address
from play.settings import DailyPuzzle, Settings
from tests.bot.chat.thinking.workers import Inline
from tests.bot.features.puzzles.solving import at_start, best, posed_of, steps_to
from tests.platforms.discord.harness import DiscordHarness, Settled, begun, latest, public
from tests.platforms.discord.people import CannotDo, Person
from tests.platforms.discord.world import GROUP, Channel, Message, User
from tests.support.services import edited
from tests.support.stores import set_settings

# Old, foreign and forged presses: they change nothing, and are answered privately, with the board as it is.


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


# Puzzles on Discord: solved and failed by pressing, in private.


@pytest_asyncio.fixture
async def thoughtful() -> AsyncIterator[DiscordHarness]:
    """A bot with engines."""
    async with DiscordHarness(thinker=Thinker(Inline())) as home:
        yield home


async def press(who: Settled, matching: str) -> None:
    """Press the button of a person's private board that holds what matches, or choose the entry."""
    (board,) = who.private()
    selects = [each for each in board.pressed() if each["type"] == 3]
    for data in (str(each["custom_id"]) for each in board.pressed() if each["type"] == 2):
        if re.fullmatch(matching, data):
            await who.presses(board, data)
            return
    held = [(option["value"], at) for at, each in enumerate(selects) for option in each["options"]]
    await who.chooses(board, *next(each for each in held if re.fullmatch(matching, each[0])))


async def test_the_puzzle_of_the_day_is_solved_by_pressing(thoughtful: DiscordHarness) -> None:
    ann, bob = thoughtful.person("ann"), thoughtful.person("bob")
    posed, day = posed_of("lgame", Task.SAVE), thoughtful.now.date()
    await thoughtful.store.notes.write(f"puzzle-of-day:{day}", posed.pack())
    await ann.types("daily")
    await ann.presses(latest(ann), "Solve")
    shown = dict(latest(bob).payload())
    (board,) = ann.private()  # all in one message
    assert [len(row["components"]) for row in board.components[:4]] == [4, 4, 4, 4]
    for token in steps_to(posed, at_start(posed), best(posed, at_start(posed)).turn[0]):
        await press(ann, rf"1pp:.*[:/]{re.escape(token)}")
    await press(ann, "1pt:.*")
    assert ann.private() == [board]
    assert "Solved" in board.content
    assert board.files["board.png"]
    assert not bob.private()
    assert latest(bob).payload() == shown
    assert len(public(bob)) == 1


async def test_a_puzzle_is_asked_for_with_what_discord_offers(thoughtful: DiscordHarness) -> None:
    ann = thoughtful.person("ann")
    await ann.types("puzzle", game="lgame", which="hard")
    (board,) = ann.private()
    assert "L-game" in board.content
    assert not public(ann)


async def test_the_puzzle_of_the_day_comes_by_itself(thoughtful: DiscordHarness) -> None:
    ann, store = thoughtful.person("ann"), thoughtful.store
    place = Address("discord", str(thoughtful.games.id))
    hour = thoughtful.now + timedelta(hours=1)
    chosen = Settings(puzzle=DailyPuzzle(time(hour.hour), "UTC"), threads=True)
    await set_settings(store, place, chosen)
    await DailyPlaces(store).plan(place, chosen, thoughtful.now)
    await edited(thoughtful.services, thoughtful.platform.courier)
    assert not public(ann)
    thoughtful.now = hour.replace(minute=5)
    await edited(thoughtful.services, thoughtful.platform.courier)
    await edited(thoughtful.services, thoughtful.platform.courier)
    (posted,) = public(ann)
    assert posted.content.startswith("Klop ")
    assert not posted.files
    await ann.presses(posted, "Solve")
    (board,) = ann.private()
    assert "You have three tries" in board.content
    assert board.pressed()
    assert public(ann) == [posted]


async def test_the_puzzle_of_the_day_spreads_with_those_who_have_installed_the_bot(
    thoughtful: DiscordHarness,
) -> None:
    ann, bob = thoughtful.person("ann"), thoughtful.person("bob")
    group = thoughtful.discord.add(Channel(GROUP, people=(ann.user, bob.user)))
    ann, bob = ann.at(group), bob.at(group)
    posed = posed_of("lgame", Task.SAVE)
    await thoughtful.store.notes.write(f"puzzle-of-day:{thoughtful.now.date()}", posed.pack())
    await ann.types("daily")
    card = latest(bob)
    await bob.presses(card, "Solve")
    for text in best(posed, at_start(posed)).turn:
        await bob.types("daily", move=text)
    await edited(thoughtful.services, thoughtful.platform.courier)
    assert "🟩 1/3" in latest(ann).content
    assert len(public(ann)) == 1
    # Its interaction has ended, and a press on it brings another one by which it can be edited.
    await thoughtful.close()
    await thoughtful.open()
    await ann.presses(latest(ann), "Solve")
    for text in best(posed, at_start(posed)).turn:
        await ann.types("daily", move=text)
    await edited(thoughtful.services, thoughtful.platform.courier)
    assert latest(ann).content.count("🟩 1/3") == 2
    assert not thoughtful.discord.asked("POST", f"/channels/{group.id}/messages")


async def test_on_sunday_the_card_has_a_picture_of_the_week_with_its_words(
    thoughtful: DiscordHarness,
) -> None:
    ann, posed = thoughtful.person("ann"), posed_of("lgame", Task.SAVE)
    for day in range(2):  # a Saturday and a Sunday
        thoughtful.now += timedelta(days=day)
        await thoughtful.store.notes.write(f"puzzle-of-day:{thoughtful.now.date()}", posed.pack())
        await ann.types("daily")
        assert bool(latest(ann).files) is (day == 1)
        await ann.presses(latest(ann), "Solve")
        for text in best(posed, at_start(posed)).turn:
            await ann.types("daily", move=text)
        await edited(thoughtful.services, thoughtful.platform.courier)
    (file,) = latest(ann).attachments
    assert file["description"] == "Puzzles of the week. Ann: 6 points."
    assert "Solved here 2 days in a row." in latest(ann).content


# The set-up of a match on Discord: people are selected in a native select.


async def asked_whom(who: Settled, *labels: str) -> Message:
    """The set-up card of a person, at the question against whom."""
    await who.types("new")
    for label in labels:
        await who.presses(who.private()[-1], label)
    return who.private()[-1]


async def test_a_person_is_selected_before_the_clock_and_is_challenged(home: DiscordHarness) -> None:
    ann, bob = home.person("ann"), home.person("bob")
    card = await asked_whom(ann, "L-game", "classic")
    [select] = [each for each in card.pressed() if each["type"] == 5]
    assert (select["placeholder"], select["max_values"]) == ("Challenge a friend", 1)
    with pytest.raises(CannotDo):
        await ann.chooses_people(card, bob.user, home.person("carol").user)
    await ann.chooses_people(card, bob.user)
    card = ann.private()[-1]
    assert "With: Bob" in card.words
    assert not [each for each in card.pressed() if each["type"] == 5]
    await ann.presses(card, "3 days for each move")
    (match,) = home.matches.values()
    assert match.chairs[1].reserved is not None
    assert match.chairs[1].reserved.account.uid == str(bob.user.id)
    assert str(match.clock) == "3d"


async def test_several_people_are_selected_for_a_game_of_more_players(home: DiscordHarness) -> None:
    ann, bob, carol = map(home.person, ("ann", "bob", "carol"))
    card = await asked_whom(ann, "Klopodavka", "2 against 2")
    [select] = [each for each in card.pressed() if each["type"] == 5]
    assert (select["placeholder"], select["max_values"]) == ("Challenge up to 3 friends", 3)
    await ann.chooses_people(card, bob.user, carol.user)
    await ann.presses(ann.private()[-1], "No clock")
    (match,) = home.matches.values()
    invited = {chair.reserved.account.uid for chair in match.chairs if chair.reserved}
    assert invited == {str(bob.user.id), str(carol.user.id)}
    assert sum(not (chair.player or chair.reserved) for chair in match.chairs) == 1


async def test_this_bot_is_the_computer_and_another_bot_is_refused(home: DiscordHarness) -> None:
    ann = home.person("ann")
    card = await asked_whom(ann, "L-game", "classic")
    await ann.chooses_people(card, User("music", "Music", bot=True))
    card = ann.private()[-1]
    assert "Music is another program" in card.words
    await ann.chooses_people(card, home.discord.bot)
    assert "How strong?" in ann.private()[-1].words
    await ann.presses(ann.private()[-1], "2 · easy")
    await ann.presses(ann.private()[-1], "No clock")
    (match,) = home.matches.values()
    assert [str(chair.player and chair.player.account) for chair in match.chairs][1:] == ["engine:2"]


async def test_a_select_of_an_older_version_is_answered(home: DiscordHarness) -> None:
    ann = home.person("ann")
    card = await asked_whom(ann, "L-game", "classic")
    await ann.presses(card, "who:1or:zzz", forged=True)
    assert "from an earlier version" in ann.private()[-1].words
    assert not home.matches


# Engines at the table, hints, people who want to be forgotten, and admins who end a match.


async def test_moves_against_an_engine_stay_in_one_message_until_a_command_is_typed_in_the_channel() -> None:
    async with DiscordHarness(thinker=Thinker(Inline())) as home:
        ann = home.person("ann")
        await ann.types(
            "challenge", person=home.discord.bot, game="breakthrough", options="board:4x5 side:first"
        )
        board, engines = latest(ann), Seats(home.table, home.store, Thinker(Inline()), lambda: home.now)
        (match,) = home.matches.values()

        async def answered() -> None:
            assert engines.look(home.matches[match.id])
            while await engines.settled(20):
                pass
            await home.settle()

        await ann.presses(board, "Move")
        revision = home.matches[match.id].revision
        move = CallbackData(Verb.MOVE, match.id, revision, "a2-a3").pack()
        await ann.presses(ann.private()[-1], move, forged=True)
        await answered()
        assert latest(ann).id == board.id
        assert "Ann: a2-a3" in latest(ann).content
        course = home.table.course(home.matches[match.id])
        legal = course.game.notation.format(course.position.legal_moves()[0])
        await ann.types("move", move=legal)
        fresh = latest(ann)
        assert fresh.id > board.id
        await answered()
        assert latest(ann).id == fresh.id
        assert f"Ann: {legal}" in latest(ann).content
        await engines.close()


async def test_a_hint_is_private_first_its_idea_then_the_turn() -> None:
    async with DiscordHarness(thinker=Thinker(Inline())) as home:
        ann, bob = await begun(home, "lgame", "")
        seen = len(public(ann))
        await ann.presses(latest(ann), "More…")
        await ann.presses(ann.private()[-1], "Hint")
        idea = ann.private()[-1]
        assert "Hint: " in idea.content
        assert idea.files["board.png"]
        assert not bob.private()
        await ann.presses(idea, "Show the move")
        turn = ann.private()[-1]
        assert "L " in turn.content
        (play,) = [each["label"] for each in turn.pressed() if (each.get("label") or "").startswith("Play ")]
        await ann.presses(turn, play)
        (match,) = home.matches.values()
        assert len(match.log) == 1
        assert len(public(ann)) == seen + 1
        await ann.types("hint")
        assert "whose turn it is" in ann.private()[-1].content
