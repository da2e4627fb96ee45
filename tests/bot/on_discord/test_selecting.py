"""The set-up of a match on Discord: people are selected in a native select."""

from __future__ import annotations

import pytest

from tests.platforms.discord.harness import DiscordHarness, Settled
from tests.platforms.discord.people import CannotDo
from tests.platforms.discord.world import Message, User


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
