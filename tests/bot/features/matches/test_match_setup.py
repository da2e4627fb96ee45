"""Ordering a match by pressing: every question leads on, everything fits a button, what comes out is what was chosen."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import replace

import pytest

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import LANGUAGES, words
from bot.chat.presenting import forecast
from bot.chat.view import Button, Message, Person, View
from bot.chat.visitor import NamedBot
from bot.features.matches.setup_questions import ANYONE, MOST, OPTIONS, MatchSetup
from play.files.matchfile import export
from play.match import Match
from play.people import Account, Address
from tests.bot.world import ANN, BOB, CEM, DAN, EVE, HALL, ROOM, Guest, World


async def asked(guest: Guest, line: str) -> View:
    [said] = await guest.say(line)
    assert isinstance(said.to, Person)
    return said.view


def labels(view: View) -> list[str]:
    return [button.label for button in view.buttons]


async def test_who_was_replied_to_or_named_is_who_is_meant() -> None:
    world = World()
    guest = Guest(world, replied=BOB)
    view = await guest.press("L-game", "classic", view=await asked(guest, "/challenge"))
    assert labels(view)[0] == "bob"
    view = await guest.press("bob", view=view)
    assert "With: bob" in view.lines
    await guest.press("No clock", view=view)
    await guest.say("/challenge lgame")
    guest.visitor = replace(guest.visitor, replied=None)
    await guest.press("L-game", "classic", view=await asked(guest, "/challenge bob clock:1d"))
    matches = world.snapshot().matches.values()
    assert [str(match.clock) for match in matches] == ["None", "None", "1d"]
    assert all(BOB in [chair.reserved for chair in match.chairs] for match in matches)


_FORETOLD = ("best play", "Between equals")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("breakthrough board:5x5", "With best play the second player wins in 26 moves, counting both sides."),
        ("lgame variant:scoring", "With best play the first player wins in 17 moves, counting both sides."),
        ("lgame", None),
        ("breakthrough", None),
    ],
)
async def test_a_card_says_who_wins_where_it_is_proved_and_only_that(line: str, said: str | None) -> None:
    world = World()
    for asked_for in (f"/challenge bob {line}", f"/challenge engine:3 {line}"):
        messages = await world.say(ANN, asked_for)
        lines = [each for message in messages for each in message.view.lines]
        foretold = [each for each in lines if any(part in each for part in _FORETOLD)]
        assert foretold == ([said] if said else []), asked_for


async def test_the_questions_say_a_proved_draw_before_what_equals_score() -> None:
    guest = Guest(World())
    view = await guest.press("L-game", "symmetry", view=await asked(guest, "/challenge"))
    draw, uneven = view.lines[1:3]
    assert draw == "With best play it is a draw."
    assert (
        uneven
        == "Between equals, the first player scores 63 of 100 points. Fairer: two games, swapping colours."
    )
    (card,) = await guest.say("/challenge bob lgame symmetry")
    assert uneven in card.view.lines
    assert draw not in card.view.lines


async def test_a_level_that_is_weaker_without_a_compiler_is_said_to_be_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(forecast, "weaker_levels", lambda game: {8: 7} if game == "breakthrough" else {})
    said = "Level 8 plays like level 7 here: the engine is not compiled."
    world = World()
    guest = Guest(world)
    view = await guest.press("Breakthrough", "8×8", "The computer", view=await asked(guest, "/challenge"))
    assert said in view.lines
    assert "8 · full strength" in labels(view)
    for line, there in (
        ("engine:8 breakthrough", True),
        ("engine:7 breakthrough", False),
        ("engine:8 lgame", False),
    ):
        messages = await world.say(ANN, f"/challenge {line}")
        assert any(said in message.view.lines for message in messages) is there, line
    [help_page] = await world.say(ANN, "/help engines")
    assert f"Breakthrough. {said}" in help_page.view.lines


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("luck", range(4))
async def test_any_way_through_the_questions_ends_in_a_match(language: str, luck: int) -> None:
    world, chance = World(language), random.Random(luck)
    guest = Guest(world)
    for kind in ("/challenge", "/new") * 4:
        before = len(world.snapshot().matches)
        view = await asked(guest, kind)
        back = words(language)("bot.button.back")
        for _ in range(60):
            ahead: list[Button] = [button for button in view.buttons if button.label != back]
            assert 0 < len(ahead) <= MOST, view
            assert all(button.data.fits for button in view.buttons)
            assert "" not in labels(view)
            assert len(set(labels(view))) == len(view.buttons), view
            said = await world.desk.press(guest.visitor, chance.choice(ahead).data)
            if len(world.snapshot().matches) > before:
                break
            [message] = said
            assert isinstance(message.to, Person)
            view = message.view
        assert len(world.snapshot().matches) == before + 1


@pytest.mark.parametrize(
    "argument",
    ["", "x", "c/chess", "c/lgame/none", "c/lgame/classic/*/any", "c/lgame/classic/nonsense/any", "c/lgame/classic,po:99/none/any",
     "c/lgame/classic/none/e99", "c/lgame/classic/none/@", "cdeadbeef/lgame/classic/none/@", "n//////", "c/lgame/classic,zz:1/none"],
)  # fmt: skip
async def test_forged_orders_make_nothing(argument: str) -> None:
    world = World()
    said = await world.desk.press(Guest(world).visitor, CallbackData.without_match(Verb.ORDER, argument))
    assert len(said) == 1
    assert isinstance(said[0].to, Person)
    assert said[0].view.lines
    assert not world.snapshot().matches


async def test_an_old_button_leads_to_no_rated_order_that_is_refused() -> None:
    world = World()
    order = MatchSetup("c", game="breakthrough", setting="mini", rated=True)
    [said] = await world.desk.press(replace(world.visitor(ANN), buttons=True), order.data)
    assert "rated" not in said.view.lines[0]
    assert not any(MatchSetup.read(button.data.argument).rated for button in said.view.buttons)


@pytest.mark.parametrize(
    ("setting", "opponent", "offered"),
    [("classic", ANYONE, True), ("classic", "e3", False), ("mini", ANYONE, False)],
)
async def test_a_rating_is_offered_where_it_can_count(setting: str, opponent: str, offered: bool) -> None:
    order = MatchSetup("c", game="breakthrough", setting=setting, opponent=opponent)
    [said] = await World().desk.press(replace(World().visitor(ANN), buttons=True), order.data)
    further = [MatchSetup.read(button.data.argument) for button in said.view.buttons]
    assert [each.clock for each in further if each.rated] == [""] * offered
    assert [each.clock for each in further].count(OPTIONS) == 1


@pytest.mark.parametrize(
    ("line", "rated"),
    [
        ("/challenge bob lgame на рейтинг", True),
        ("/challenge bob lgame for rating", True),
        ("/challenge bob unrated lgame", False),
        ("/challenge без рейтингу bob lgame", False),
        ("/challenge bob lgame scoring без рейтинга", False),
        ("/challenge bob lgame нерейтинговая", False),
    ],
)
async def test_ratings_are_wanted_or_not_in_a_few_words(line: str, rated: bool) -> None:
    world = World()
    await world.say(ANN, line)
    [match] = world.snapshot().matches.values()
    assert match.rated is rated
    assert [chair.reserved for chair in match.chairs if chair.reserved] == [BOB]
    assert "rated:no" in await world.told(ANN, "/challenge bob lgame rated без рейтингу")
    assert len(world.snapshot().matches) == 1


@pytest.mark.parametrize("line", ["/challenge rated:yes", "/challenge рейтинг", "/new рейтинг:да"])
async def test_what_is_said_of_ratings_is_not_asked_for(line: str) -> None:
    view = await asked(Guest(World()), line)
    assert all(MatchSetup.read(button.data.argument).rated for button in view.buttons)


async def test_klop_beside_a_game_is_the_computer() -> None:
    world = World()
    await world.say(ANN, "/challenge klop lgame:scoring level:2")
    [match] = world.snapshot().matches.values()
    assert (match.game, dict(match.options)) == ("lgame", {"variant": "scoring"})
    assert [str(chair.player and chair.player.account) for chair in match.chairs][1:] == ["engine:2"]


# The questions of an order: each button leads to another one, and all of them to an order that can be made.


# People selected with a press while a match is set up: the challenge is for them, and the rest of the seats
# are free.


KLOP = "klop"
MUSIC = "music"


class Setup:
    """Ann's set-up card, on a client that selects people."""

    def __init__(self) -> None:
        self.world = World()
        bots = {KLOP: NamedBot.OWN, MUSIC: NamedBot.OTHER}
        self.visitor = replace(self.world.visitor(ANN), buttons=True, bot=bots.get)

    async def of(self, game: str, setting: str, *, kind: str = "c", rated: bool = False) -> View:
        """The question against whom a match is."""
        order = MatchSetup(kind, game=game, setting=setting, rated=rated)
        [said] = await self.world.desk.press(self.visitor, order.data)
        return said.view

    async def select(self, view: View, *names: str) -> Sequence[Message]:
        assert view.people is not None
        visitor = replace(self.visitor, selected=names)
        return await self.world.desk.press(visitor, view.people.data)

    async def press(self, said: Sequence[Message], *labels: str) -> Sequence[Message]:
        for label in labels:
            button = next(each for each in said[0].view.buttons if each.label.startswith(label))
            said = await self.world.desk.press(self.visitor, button.data)
        return said

    def match(self) -> Match:
        [match] = self.world.snapshot().matches.values()
        return match


def chairs(match: Match) -> list[str]:
    """Who sits in each chair, or for whom it is kept."""
    found = [chair.player or chair.reserved for chair in match.chairs]
    return [player.account.uid if player else "" for player in found]


async def test_more_people_than_seats_and_people_unknown_by_now_are_refused() -> None:
    setup = Setup()
    view = await setup.of("lgame", "classic")
    [said] = await setup.press(await setup.select(view, "bob", "cem", "dan"), "No clock")
    assert said.refused
    [said] = await setup.select(view, "no such person")
    assert said.refused
    assert not setup.world.snapshot().matches


@pytest.mark.parametrize(
    ("names", "rated", "refusal"),
    [
        ((MUSIC,), False, "music is another program"),
        (("bob", MUSIC), False, "music is another program"),
        (("ann",), False, "You cannot challenge yourself"),
        ((KLOP,), True, "rated"),
    ],
)
async def test_a_selection_that_is_refused_leaves_the_question(
    names: Sequence[str], rated: bool, refusal: str
) -> None:
    setup = Setup()
    asked = await setup.of("breakthrough", "classic", rated=rated)
    [said] = await setup.select(asked, *names)
    assert said.refused
    assert refusal in said.view.lines[0]
    assert (said.view.lines[1:], said.view.buttons, said.view.people) == (
        asked.lines,
        asked.buttons,
        asked.people,
    )
    await setup.press(await setup.select(said.view, "bob"), "No clock")
    assert chairs(setup.match()) == ["ann", "bob"]


async def test_people_who_are_present_have_buttons() -> None:
    setup = Setup()
    setup.visitor = replace(setup.visitor, present=[CEM, DAN, EVE])
    order = MatchSetup("c", game="lgame", setting="classic")
    said = await setup.world.desk.press(setup.visitor, order.data)
    await setup.press(said, "dan", "No clock")
    assert chairs(setup.match()) == ["ann", "dan"]


@pytest.mark.parametrize(
    ("there", "dead", "reached"), [(None, False, False), (HALL, False, True), (HALL, True, False)]
)
async def test_who_cannot_be_written_to_is_invited_by_the_host(
    there: Address | None, dead: bool, reached: bool
) -> None:
    async def home(_: Account) -> Address | None:
        return there

    world = World()
    await world.store.outgoing().set_dead(HALL, world.now if dead else None)
    said = await world.desk.answer(replace(world.visitor(ANN), home=home), "/challenge bob lgame")
    told = [line for message in said if isinstance(message.to, Person) for line in message.view.lines]
    assert ("The bot cannot write to: bob." in " ".join(told)) is not reached
    (match,) = await world.store.matches.of(ANN.account)
    assert match.addresses == ((ROOM, HALL) if reached else (ROOM,))


# A pause is a part of the clock, wherever the two stand.


@pytest.mark.parametrize(
    ("line", "clock"),
    [
        ("/challenge bob lgame clock:3d pause:weekend", "3d pause:weekend"),
        ("/challenge bob pause:ніч clock:2h lgame", "2h pause:night"),
        ("/challenge bob clock:12h lgame awake", "12h awake"),
        ("/challenge bob днём clock:12h soft lgame", "12h soft awake"),
        ("/new lgame clock:10d+1d пауза: night, weekend", "10d+1d pause:night,weekend"),
        ("/seek lgame clock:3d вдень", "3d awake"),
    ],
)
async def test_a_pause_goes_to_the_clock(line: str, clock: str) -> None:
    world = World()
    await world.say(ANN, line)
    (match,) = world.snapshot().matches.values()
    assert str(match.clock) == clock


@pytest.mark.parametrize("clock", ["3d awake", "2h soft pause:night", "10d+1d12h pause:night,weekend"])
async def test_a_file_keeps_the_pause(clock: str) -> None:
    world = World()
    await world.say(ANN, f"/challenge bob lgame clock:{clock}")
    await world.say(BOB, "/accept")
    (match,) = world.playing()
    await world.say(BOB, f"/import {export(match)}", HALL)
    assert [str(each.clock) for each in world.snapshot().matches.values()] == [clock] * 2


@pytest.mark.parametrize(
    "line", ["bob lgame awake", "bob lgame pause:weekend", "bob lgame clock:3d pause:monday"]
)
async def test_a_pause_without_a_clock_is_refused_with_what_to_type(line: str) -> None:
    world = World()
    assert "awake, pause:weekend" in await world.told(ANN, f"/challenge {line}")
    assert not world.snapshot().matches


async def test_a_press_chooses_an_awake_clock() -> None:
    world = World()
    guest = Guest(world)
    view = await guest.press("L-game", "classic", view=await asked(guest, "/challenge bob"))
    await guest.press("3 days, awake hours only", view=view)
    (match,) = world.snapshot().matches.values()
    assert str(match.clock) == "3d awake"


async def test_only_seeks_with_the_same_pause_meet() -> None:
    world = World()
    for who, clock in ((ANN, "3d awake"), (BOB, "3d"), (CEM, "3d pause:night"), (DAN, "3d днём")):
        await world.say(who, f"/seek lgame clock:{clock}")
    (match,) = world.playing()
    assert set(match.people()) == {ANN.account, DAN.account}


@pytest.mark.parametrize(
    ("line", "options"),
    [
        ("/challenge bob klopodavka", {"first": "2"}),
        ("/new klopodavka players:2", {"first": "2"}),
        ("/challenge bob klopodavka first:auto", {}),
        ("/challenge bob klopodavka preset:classic", {"first": "2"}),
        ("/challenge bob klopodavka bases", {"first": "2", "variant": "bases"}),
        ("/challenge bob klopodavka topology:cylinder", {"first": "2", "topology": "cylinder"}),
        (
            "/challenge engine:3 klopodavka preset:duel players:2",
            {"first": "1", "board": "12x12", "actions": "4"},
        ),
        ("/challenge bob klopodavka classic first:3", {}),
        ("/challenge bob klopodavka classic actions:4", {"actions": "4"}),
        ("/challenge bob klopodavka 8x8", {"board": "8x8"}),
        ("/new klopodavka players:4", {"players": "4"}),
        ("/challenge bob cem klopodavka", {"players": "3"}),
        ("/challenge bob cem dan klopodavka", {"players": "4"}),
        ("/challenge bob lgame", {}),
    ],
)
async def test_a_match_of_two_of_which_nothing_but_a_preset_is_chosen_begins_evenly(
    line: str, options: dict[str, str]
) -> None:
    world = World()
    await world.say(ANN, line)
    (match,) = world.snapshot().matches.values()
    chosen = dict(match.options)
    chosen.pop("board", None) if "players" in options else None
    assert chosen == options


async def test_the_questions_name_the_even_start_that_the_match_has() -> None:
    guest = Guest(World())
    view = await guest.press("Klopodavka", "10×10, three actions", view=await asked(guest, "/challenge"))
    assert view.lines[0] == "Klopodavka (actions in the first turn: 2)"
    assert not [line for line in view.lines if "Between equals" in line]


async def test_the_points_of_three_add_up() -> None:
    [card] = await World().say(ANN, "/new klopodavka players:3")
    (said,) = (line for line in card.view.lines if "Between equals" in line)
    assert sum(map(int, re.findall(r"\d+", said.partition(" of 100 ")[0]))) == 100
