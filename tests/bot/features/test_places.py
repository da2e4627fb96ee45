"""Places against places: by name, by an open code, by a seek, on a ladder; their ratings, and what is not theirs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final

import pytest

from bot.chat.callback_data import Verb
from bot.chat.view import Button, Message, Person
from bot.chat.visitor import Visitor
from bot.features.ratings.commands import count_match
from bot.features.seeking.pairing import Pairing
from bot.platforms.console.integration import place
from play.actions.leaving import Resign
from play.events.events import Events
from play.facts import Fact
from play.match import Match, Phase
from play.people import Address, Player, channel
from play.request import Request
from play.settings import Settings
from tests.bot.world import ANN, BOB, CEM, DAN, EVE, HALL, ROOM, World
from tests.support.stores import set_settings

YARD: Final = place("yard")
NAMES: Final[Mapping[Address, str]] = {ROOM: "#room", HALL: "#hall", YARD: "#yard"}


class Places(World):
    """Three rooms, which people call by their names."""

    admins: frozenset[Player] = frozenset()

    def visitor(self, who: Player, where: Address = ROOM) -> Visitor:
        async def found(word: str) -> tuple[Address, str] | None:
            return next(((each, name) for each, name in NAMES.items() if name == word), None)

        made = replace(
            super().visitor(who, where), place_name=NAMES.get(where, where.place), find_place=found
        )
        return replace(made, admin=who in self.admins)

    async def press(self, who: Player, button: Button, where: Address) -> Sequence[Message]:
        return await self.desk.press(self.visitor(who, where), button.data)

    async def read(self, who: Player, line: str, where: Address = ROOM) -> str:
        """What a person alone is answered, and the places."""
        return words_in(await self.say(who, line, where))

    @property
    def match(self) -> Match:
        return list(self.store.matches.stored.values())[-1]

    def places_at_match(self) -> set[Address]:
        return set(self.match.addresses)

    async def resign(self, place: Address) -> Fact:
        match = await self.all_move(self.match)
        player = match.player(next(match.seats_of(channel(place))))
        fact = await self.table.act(match.id, Resign(), Request(player, self.now))
        await self.desk.drained()
        await count_match(self.table, self.store, fact)
        return fact


def words_in(messages: Sequence[Message]) -> str:
    return "\n".join(line for each in messages for line in (*each.view.lines, *each.view.after))


def at(messages: Sequence[Message], where: Address) -> Message:
    return next(each for each in messages if each.to == where)


def button_of(message: Message, verb: Verb) -> Button:
    return next(each for each in message.view.buttons if each.data.verb is verb)


# Challenges by name.


@pytest.mark.parametrize("line", ["/accept", "press"])
async def test_a_place_challenges_another_whose_people_accept(line: str) -> None:
    world = Places()
    told = await world.say(ANN, "/challenge #hall channel breakthrough 5x5")
    assert world.places_at_match() == {ROOM, HALL}
    card = at(told, HALL)
    if line == "press":
        told = await world.press(BOB, button_of(card, Verb.ACCEPT), HALL)
    else:
        told = await world.say(BOB, line, HALL)
    assert world.match.phase is Phase.PLAYING
    assert [player.account for player in world.match.players()] == [channel(ROOM), channel(HALL)]
    assert {each.to for each in told} >= {ROOM, HALL}


async def test_a_place_declines_by_any_of_its_people() -> None:
    world = Places()
    told = await world.say(ANN, "/challenge #hall channel breakthrough")
    await world.press(BOB, button_of(at(told, HALL), Verb.DECLINE), HALL)
    assert world.match.phase is Phase.CALLED_OFF
    await world.say(ANN, "/challenge #hall channel breakthrough")
    await world.say(BOB, "/decline", HALL)
    assert world.match.phase is Phase.CALLED_OFF


async def test_a_person_challenges_a_place() -> None:
    world = Places()
    await world.say(ANN, "/challenge #hall breakthrough")
    await world.say(BOB, "/accept", HALL)
    assert [player.account for player in world.match.players()] == [ANN.account, channel(HALL)]


async def test_an_invitation_is_read_in_the_language_of_the_place_that_is_asked() -> None:
    world = Places()
    await set_settings(world.store, HALL, Settings(language="uk"))
    told = await world.say(ANN, "/challenge #hall channel breakthrough")
    assert (at(told, HALL).view.language, at(told, ROOM).view.language) == ("uk", "en")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("/challenge #cellar channel breakthrough", "no channel #cellar"),
        ("/challenge <#77> breakthrough", "no channel <#77>"),
        ("/challenge #room channel breakthrough", "cannot challenge yourself"),
        ("/challenge #hall breakthrough rated:yes", "not both"),
        ("/challenge #hall channel lgame", "#hall takes no such match"),
    ],
)
async def test_what_is_refused(line: str, said: str) -> None:
    world = Places()
    await set_settings(world.store, HALL, Settings(games=("breakthrough",)))
    assert said in await world.told(ANN, line)
    assert not world.store.matches.stored


async def test_a_person_kept_out_of_a_place_does_not_challenge_it() -> None:
    world = Places()
    await set_settings(world.store, HALL, Settings(excluded=(ANN,)))
    for line in ("/challenge #hall breakthrough", "/challenge #hall channel breakthrough"):
        assert "takes no such match" in await world.told(ANN, line)


# Open codes and seeks.


async def test_places_and_a_person_come_by_a_code() -> None:
    world = Places()
    await world.say(ANN, "/new channel klopodavka players:4")
    code = world.match.id
    await world.say(BOB, f"/join {code} channel", HALL)
    await world.say(CEM, f"/accept #{code} channel", YARD)
    await world.say(DAN, f"/join {code}", YARD)
    assert "two seats" in await world.told(EVE, f"/join {code} channel", HALL)
    await world.say(BOB, "/start")
    match = world.match
    assert match.phase is Phase.PLAYING
    assert [player.account for player in match.players()] == [*map(channel, (ROOM, HALL, YARD)), DAN.account]
    assert set(match.addresses) == {ROOM, HALL, YARD}
    assert "shown here already" in await world.told(CEM, "/watch off", YARD)
    assert YARD in world.match.addresses, "it reads what it plays"


async def test_two_places_that_seek_play_and_no_person_is_paired_with_one() -> None:
    world = Places()
    await world.say(ANN, "/seek channel breakthrough clock:1d")
    await world.say(CEM, "/seek breakthrough clock:1d", YARD)
    await Pairing(world.table, world.store).tick()
    assert not world.playing()
    assert "#room (channel)" in await world.told(DAN, "/seek", YARD)
    await world.say(BOB, "/seek channel breakthrough clock:1d", HALL)
    [match] = world.playing()
    assert {player.account for player in match.players()} == {channel(ROOM), channel(HALL)}
    assert set(match.addresses) == {ROOM, HALL}


async def test_a_place_seeks_by_presses_and_stops() -> None:
    world = Places()
    [asked] = await world.say(ANN, "/seek channel")
    for label in ("Breakthrough", "1 day", "Not rated"):
        button = next(each for each in asked.view.buttons if label.casefold() in each.label.casefold())
        asked = next(each for each in await world.press(ANN, button, ROOM) if isinstance(each.to, Person))
    assert world.match.host.account == channel(ROOM)
    await world.say(BOB, "/seek off channel")
    assert world.match.phase is Phase.CALLED_OFF
    await world.say(ANN, "/seek channel breakthrough")
    [listed] = await world.say(BOB, "/seek")
    await world.press(BOB, button_of(listed, Verb.WITHDRAW), ROOM)
    assert world.match.phase is Phase.CALLED_OFF


async def test_places_whose_seeks_come_to_suit_are_paired_where_both_are() -> None:
    world = Places()
    world.now = await world.store.now()
    await set_settings(world.store, channel(HALL), Settings(blocked=(Player(channel(ROOM), "#room"),)))
    await world.say(ANN, "/seek channel breakthrough rated:yes clock:1d")
    await world.say(BOB, "/seek channel breakthrough rated:yes clock:1d", HALL)
    await Pairing(world.table, world.store).tick()
    assert not world.playing()
    await set_settings(world.store, channel(HALL), Settings())
    await Pairing(world.table, world.store).tick()
    [match] = world.playing()
    assert (match.rated, set(match.addresses)) == (True, {ROOM, HALL})


async def test_places_that_play_again_are_both_shown_it() -> None:
    world = Places()
    await world.say(ANN, "/challenge #hall channel breakthrough 5x5")
    await world.say(BOB, "/accept", HALL)
    await world.resign(HALL)
    await world.say(ANN, "/rematch")
    await world.say(BOB, "/accept", HALL)
    [match] = world.playing()
    assert (match.rematch_of is not None, set(match.addresses)) == (True, {ROOM, HALL})


# Ratings.


async def test_places_have_ratings_of_their_own() -> None:
    world = Places()
    await world.say(ANN, "/challenge #hall channel breakthrough rated:yes clock:1d")
    await world.say(BOB, "/accept", HALL)
    for who, where in ((CEM, ROOM), (DAN, HALL)):
        assert "In a rated match its players try no moves" in await world.told(who, "/whatif", where)
    assert "What if" in await world.told(EVE, f"/whatif #{world.match.id}", YARD)
    await world.resign(HALL)
    for line in ("/top channels", "/top breakthrough channels", "/top канали", "/top week группы"):
        told = await world.told(CEM, line, YARD)
        assert re.search(r"1\. #room", told), line
        assert "2. #hall" in told, line
    for line in ("/top", "/top everywhere"):
        assert "#" not in await world.told(ANN, line), line
    told = await world.told(ANN, "/profile channel")
    assert ("#room" in told, "+1" in told) == (True, True)
    assert "ann" not in await world.told(ANN, "/profile канал", HALL)


# Ladders, leagues, cups.


async def _ladder(world: Places) -> str:
    await world.say(ANN, "/ladder new channel breakthrough clock:1d")
    await world.say(ANN, "/ladder join channel")
    [event] = await world.store.events.at(ROOM)
    await world.say(BOB, f"/ladder join #{event.id} channel", HALL)
    world.now += timedelta(days=2)
    return event.id


async def test_places_play_on_a_ladder() -> None:
    world = Places()
    code = await _ladder(world)
    assert "2. #hall" in await world.told(CEM, f"/ladder table {code}", YARD)
    [card] = [each for each in await world.say(BOB, "/ladder", HALL) if isinstance(each.to, Person)]
    press = next(each for each in card.view.buttons if "#room" in each.label)
    told = await world.press(CEM, press, HALL)
    assert "#hall" in words_in([at(told, ROOM)])
    await world.say(DAN, "/ladder accept", ROOM)
    [match] = world.playing()
    assert set(match.addresses) == {ROOM, HALL}
    await world.resign(ROOM)
    assert "1. #hall" in await world.told(CEM, f"/ladder table {code}", YARD)
    world.now += timedelta(days=30)
    assert "#hall" in await world.told(DAN, "/ladder challenge hall channel", ROOM)
    assert "1. #hall" in await world.told(DAN, "/ladder table", ROOM)
    assert "Only the person who entered" in await world.told(CEM, "/ladder refuse", HALL)
    await world.say(BOB, "/ladder refuse", HALL)
    assert "Only the person who entered" in await world.told(CEM, "/ladder leave channel", HALL)
    world.admins = frozenset({CEM})
    await world.say(CEM, "/ladder leave channel", HALL)
    assert "1. #room" in (await world.told(DAN, "/ladder table", ROOM)).replace("▲1 ", "").split("\n")


async def test_people_and_places_do_not_meet_in_an_event() -> None:
    world = Places()
    code = await _ladder(world)
    assert "Channels and groups play" in await world.told(CEM, f"/ladder join #{code}", YARD)
    await world.say(CEM, "/league new lgame clock:1d", YARD)
    await world.say(CEM, "/league join", YARD)
    assert "People play in this one" in await world.told(DAN, "/league join channel", YARD)
    await world.say(CEM, "/league leave", YARD)
    assert "People play in this one" in await world.told(DAN, "/league join channel", YARD)


async def test_a_season_of_a_league_is_shown_where_each_game_is_played() -> None:
    world = Places()
    await world.say(ANN, "/league new channel breakthrough clock:1d")
    [event] = await world.store.events.at(ROOM)
    for number in range(5):
        await world.say(BOB, f"/league join #{event.id} channel", place(f"hall{number}"))
    world.now += timedelta(days=9)
    await Events(world.table, world.store).fire(event.id, world.table.now(world.now))
    await world.desk.drained()
    assert len(world.playing()) > 5
    for match in world.playing():
        assert {channel(each) for each in match.addresses} == {each.account for each in match.players()}
    hall = place("hall0")
    assert "Only the person who entered" in await world.told(CEM, "/league skip", hall)
    assert "not play in the next season" in await world.told(BOB, "/league skip", hall)
    assert "hall0" in await world.told(CEM, "/league mine", hall)
