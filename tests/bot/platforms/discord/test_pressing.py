"""Presses on Discord: old, foreign and forged ones, selects, puzzles, hints."""

from __future__ import annotations

import pytest

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.thinking import Thinker
from tests.bot.chat.thinking.workers import Inline
from tests.platforms.discord.harness import DiscordHarness, Settled, begun, latest, public
from tests.platforms.discord.people import CannotDo
from tests.platforms.discord.world import Message

# Old, foreign and forged presses: they change nothing, and are answered privately, with the board as it is.


async def test_a_press_on_another_persons_button_is_explained(home: DiscordHarness) -> None:
    await begun(home)
    carol = home.person("carol")
    before = dict(home.matches)
    await carol.presses(latest(carol), "Move")
    assert carol.private()[-1].content
    assert [each["label"] for each in carol.private()[-1].pressed()] == ["More…"]
    await carol.presses(latest(carol), "More…")
    offered = [each["label"] for each in carol.private()[-1].pressed()]
    assert offered == [
        "What if…",
        "Flip the board",
        "As text",
        "Board in words",
    ]  # what they can do themselves
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


async def test_the_next_move_is_picked_on_the_message_of_the_last_one(home: DiscordHarness) -> None:
    """It goes once the key under the board is pressed in its place: a person has one such message."""
    ann, bob = await begun(home)
    await ann.presses(latest(ann), "Move")
    left = ann.private()[-1]
    await ann.presses(left, "a2-a3")
    assert left.content == "You played a2-a3."
    await ann.presses(left, "Move")  # before Bob has moved
    assert left.content == "Turn: Bob"
    await bob.types("move", move="e4-e3")
    await ann.presses(left, "Move")
    assert "b2-b3" in [each["label"] for each in left.pressed()]
    await ann.presses(latest(ann), "Move")
    assert left not in ann.private()
    assert "b2-b3" in [each["label"] for each in ann.private()[-1].pressed()]


async def test_a_forged_move_of_another_match_is_refused(home: DiscordHarness) -> None:
    await begun(home)
    (match,) = home.matches.values()
    carol = home.person("carol", at=home.hall)
    await carol.types("challenge", game="lgame")
    forged = CallbackData(Verb.MOVE, match.id, match.revision, "a2-a3").pack()
    await carol.presses(latest(carol), forged, forged=True)
    assert home.matches[match.id] == match
    assert carol.private()[-1].content


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


async def test_a_select_of_an_older_version_is_answered(home: DiscordHarness) -> None:
    ann = home.person("ann")
    card = await asked_whom(ann, "L-game", "classic")
    await ann.presses(card, "who:1or:zzz", forged=True)
    assert "from an earlier version" in ann.private()[-1].words
    assert not home.matches


# Engines at the table, hints, people who want to be forgotten, and admins who end a match.


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
