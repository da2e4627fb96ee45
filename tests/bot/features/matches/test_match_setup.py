"""Ordering a match by pressing: every question leads on, everything fits a button, what comes out is what was chosen."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import replace

import pytest

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import LANGUAGES, words
from bot.chat.presenting.cards import greeting
from bot.chat.view import Button, Message, Person, View
from bot.chat.visitor import NamedBot
from bot.features.matches.setup_questions import MOST, OPTIONS, MatchSetup, ask
from play.match import Match, kind_of
from play.opening import Challenge, Lobby
from play.people import Player
from play.request import Request
from rules import GAMES
from tests.bot.world import ANN, BOB, CEM, DAN, EVE, HALL, ROOM, World


class Guest:
    """A visitor who is asked what their commands leave open."""

    def __init__(self, world: World, who: Player = ANN, replied: Player | None = None) -> None:
        self.world = world
        self.visitor = replace(world.visitor(who), buttons=True, replied=replied)

    async def say(self, line: str) -> Sequence[Message]:
        return await self.world.desk.answer(self.visitor, line)

    async def press(self, *labels: str, view: View) -> View:
        """The view after pressing some buttons, by their beginnings."""
        for label in labels:
            button = next(each for each in view.buttons if each.label.startswith(label))
            said = await self.world.desk.press(self.visitor, CallbackData.unpack(button.data.pack()))
            view = said[-1].view
        return view


async def asked(guest: Guest, line: str) -> View:
    [said] = await guest.say(line)
    assert isinstance(said.to, Person)
    return said.view


def labels(view: View) -> list[str]:
    return [button.label for button in view.buttons]


async def test_a_challenge_is_ordered_step_by_step() -> None:
    world = World()
    guest = Guest(world)
    view = await asked(guest, "/challenge")
    assert view.lines == ("What shall it be?",)
    assert set(labels(view)) == {"L-game", "Breakthrough", "Klopodavka"}
    view = await guest.press("L-game", "scoring", view=view)
    assert view.lines[-1] == "Against whom?"
    assert labels(view) == ["Anyone", "The computer", "Back"]
    view = await guest.press("Anyone", view=view)
    assert view.lines[-1] == "Time to think?"
    assert labels(view)[-1] == "Back"
    assert labels(await guest.press("Back", view=view)) == ["Anyone", "The computer", "Back"]
    assert not world.snapshot().matches
    await guest.press("3 days", view=view)
    [match] = world.snapshot().matches.values()
    assert (match.game, dict(match.options), str(match.clock)) == ("lgame", {"variant": "scoring"}, "3d")
    assert match.addresses == (ROOM,)
    assert match.host.account == ANN.account


async def test_options_are_chosen_one_by_one() -> None:
    world = World()
    guest = Guest(world)
    view = await guest.press(
        "Klopodavka", "2 against 2", "Anyone", "More options", view=await asked(guest, "/new")
    )
    assert view.lines[-1] == "Anything else to change?"
    view = await guest.press("edges", "torus", view=view)
    assert "torus" in view.lines[0]
    view = await guest.press("board", "board: 8×8", view=view)
    view = await guest.press("Done", "No clock", view=view)
    [match] = world.snapshot().matches.values()
    assert match.lobby
    assert dict(match.options)["topology"] == "torus"
    assert dict(match.options)["board"] == "8x8"
    assert dict(match.options)["teams"] == "2v2"


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


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("typed", [False, True])
async def test_what_the_help_tells_a_newcomer_first_leads_to_a_match(language: str, typed: bool) -> None:
    world = World(language)
    guest = Guest(world)
    guest.visitor = replace(guest.visitor, buttons=not typed, plain=typed)
    spoken = words(language)
    lines = re.findall(r"/challenge [a-z:0-9]+", spoken("bot.help.first"))
    assert len(lines) == 2
    for line in (*lines, "/challenge engine", "/challenge bob engine:2"):
        view = await asked(guest, line)
        assert view.lines == (spoken("bot.order.game"),), line
        view = await guest.press(spoken("klopodavka.name"), spoken("klopodavka.preset.quick"), view=view)
        if line == "/challenge engine":
            view = await guest.press("5", view=view)
        await guest.press(spoken("bot.order.no-clock"), view=view)
    met = [[player.account for player in match.players()] for match in world.snapshot().matches.values()]
    kinds = [[kind_of(each) or each.uid for each in people] for people in met]
    assert kinds == [["ann", "4"], ["ann", "bob"], ["ann", "5"], ["ann", "bob", "2"]]


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
            assert all(button.data.fits and button.label for button in view.buttons)
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


async def test_without_dialogues_everything_is_said_as_before() -> None:
    world = World()
    [said] = await world.desk.answer(world.visitor(ANN), "/challenge")
    assert "Which game?" in said.view.lines[0]
    assert not said.view.buttons
    [said] = await world.desk.answer(world.visitor(ANN), "/rules")
    assert not said.view.buttons


async def test_words_that_mean_nothing_are_refused_and_not_asked_about() -> None:
    world = World()
    guest = Guest(world)
    for line in ("/new chess", "/challenge players:3", "/new players:3", "/challenge bob lgame nonsense"):
        [said] = await guest.say(line)
        assert not any(button.data.verb is Verb.ORDER for button in said.view.buttons), line


@pytest.mark.parametrize("language", LANGUAGES)
async def test_the_greeting_leads_everywhere(language: str) -> None:
    world = World(language)
    guest, view = Guest(world), greeting(words(language, strict=True))
    assert len(view.buttons) == 3
    play, rules, help_ = [
        (await world.desk.press(guest.visitor, button.data))[0].view for button in view.buttons
    ]
    assert len(play.buttons) == len(GAMES)
    assert len(rules.buttons) == len(GAMES)
    assert {button.data.verb for button in help_.buttons} >= {Verb.HELP, Verb.ORDER, Verb.RULES}
    for button in rules.buttons:
        [said] = await world.desk.press(guest.visitor, button.data)
        assert len(said.view.lines) > 3
        (begins,) = (each for each in said.view.buttons if each.data.verb is Verb.ORDER)
        for other in said.view.buttons:
            if other is not begins:
                [of] = await world.desk.press(guest.visitor, other.data)
                assert of.view.lines != said.view.lines
        [ordered] = await world.desk.press(guest.visitor, begins.data)
        assert ordered.view.buttons[0].data.verb is Verb.ORDER


async def test_joining_from_another_place_shows_the_match_there() -> None:
    world = World()
    request = Request(ANN, world.now)
    one = (await world.table.open(Challenge(ROOM, "lgame"), request)).match
    two = (await world.table.open(Lobby(ROOM, "klopodavka", {"teams": "2v2"}), request)).match
    await world.say(BOB, f"/join {one.id.upper()}", HALL)
    await world.desk.press(world.visitor(BOB, HALL), CallbackData(Verb.JOIN, two.id, two.revision))
    for code in (one.id, two.id):
        match = await world.table.get(code)
        assert match.addresses == (ROOM, HALL)
        assert list(match.seats_of(BOB.account))


async def test_what_cannot_be_joined_is_shown_nowhere() -> None:
    world = World()
    match = (await world.table.open(Challenge(ROOM, "lgame", opponents=[BOB]), Request(ANN, world.now))).match
    before = world.snapshot()
    for line in (f"/join {match.id}", f"/join #{match.id} team:9", "/join zzzzzz", "/join #zzzzzz"):
        [said] = await world.desk.answer(world.visitor(CEM, HALL), line)
        assert said.view.lines
    assert world.snapshot() == before


async def test_a_match_is_ordered_to_be_rated() -> None:
    world = World()
    guest = Guest(world)
    view = await guest.press("Breakthrough", "8×8", "Anyone", view=await asked(guest, "/challenge"))
    assert "Rated" in labels(view)
    view = await guest.press("Rated", view=view)
    assert view.lines == ("Breakthrough, rated", "Time to think?")
    view = await guest.press("Not rated", "Rated", view=view)
    sizes = labels(await guest.press("More options", "board", view=view))
    assert "board: 6×6" in sizes
    assert "board: 5×5" not in sizes  # that is not for ratings
    assert labels(await guest.press("Back", view=view)) == ["Anyone", "Back"]
    await guest.press("No clock", view=view)
    [match] = world.snapshot().matches.values()
    assert match.rated


@pytest.mark.parametrize(
    ("game", "rateable", "not_rateable"),
    [("Breakthrough", "8×8", "5×5"), ("L-game", "scoring", "puzzle")],
)
async def test_the_way_back_does_not_lead_to_what_is_refused(
    game: str, rateable: str, not_rateable: str
) -> None:
    world = World()
    guest = Guest(world)
    first = await guest.press(game, view=await asked(guest, "/challenge"))
    assert "Rated" not in labels(await guest.press(not_rateable, "Anyone", view=first))
    assert "Rated" not in labels(await guest.press(rateable, "The computer", "1", view=first))
    [unrated] = [label for label in labels(first) if label.startswith(not_rateable)]
    rated = await guest.press(rateable, "Anyone", "Rated", "Back", "Back", view=first)
    assert rated.lines[0] == f"{game}, rated"
    assert unrated not in labels(rated)
    plain = await guest.press("Not rated", view=rated)
    assert labels(plain) == labels(first)
    await guest.press(not_rateable, "Anyone", "No clock", view=plain)
    assert len(world.snapshot().matches) == 1


async def test_an_old_button_leads_to_no_rated_order_that_is_refused() -> None:
    world = World()
    order = MatchSetup("c", game="breakthrough", setting="mini", rated=True)
    [said] = await world.desk.press(replace(world.visitor(ANN), buttons=True), order.data)
    assert "rated" not in said.view.lines[0]
    assert not any(MatchSetup.read(button.data.argument).rated for button in said.view.buttons)


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


async def test_a_person_who_played_here_is_known_by_nearly_their_name_and_a_press_names_them() -> None:
    world = World()
    await world.say(ANN, "/challenge bob lgame")
    people = {"bob": BOB}
    guest = Guest(world)
    guest.visitor = replace(guest.visitor, find=people.get)
    view = await asked(guest, "/challenge bobb breakthrough")
    assert labels(view) == ["/challenge bob breakthrough"]
    people.clear()
    await guest.press("/challenge bob", view=view)
    reserved = [match.chairs[1].reserved for match in world.snapshot().matches.values()]
    assert reserved == [BOB, BOB]


# The questions of an order: each button leads to another one, and all of them to an order that can be made.


@pytest.mark.parametrize("kind", ["c", "cann", "n"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_each_button_leads_to_another_question_or_to_a_whole_order(language: str, kind: str) -> None:
    luck, wholes = random.Random(kind), 0
    for _ in range(40):
        order = MatchSetup(kind)
        for _ in range(30):
            view = ask(GAMES, order, words(language), {"ann": "ann"} if len(kind) > 1 else {})
            if view is None:
                break
            labels = [button.label for button in view.buttons]
            assert len(set(labels)) == len(labels) > 1, (str(order), labels)
            further = [MatchSetup.read(button.data.argument) for button in view.buttons]
            assert order not in further
            assert any(each.rated != order.rated for each in further) <= (not order.clock)
            order = luck.choice(further)
        else:
            continue
        wholes += 1
        game = GAMES[order.game]
        options = game.choose(order.chosen(game))
        assert order.clock
        assert not order.clock.startswith(OPTIONS)
        assert not order.rated or (game.ratable(options) and order.engine is None)
    assert wholes > 10


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


@pytest.mark.parametrize("kind", ["c", "n"])
async def test_a_selected_person_is_challenged(kind: str) -> None:
    setup = Setup()
    view = await setup.of("lgame", "scoring", kind=kind)
    said = await setup.select(view, "bob")
    assert said[0].view.lines[-2:] == ("With: bob", "Time to think?")
    await setup.press(said, "3 days")
    match = setup.match()
    assert (match.lobby, match.chairs[1].reserved, str(match.clock)) == (False, BOB, "3d")


async def test_in_a_game_of_more_players_the_seats_that_are_left_are_free() -> None:
    setup = Setup()
    view = await setup.of("klopodavka", "teams", kind="n")
    assert view.people is not None
    assert view.people.most == 3
    await setup.press(await setup.select(view, "bob", "cem"), "No clock")
    match = setup.match()
    assert sorted(chairs(match)) == ["", "ann", "bob", "cem"]
    assert {chair.reserved for chair in match.chairs if chair.reserved} == {BOB, CEM}


async def test_more_people_than_seats_and_people_unknown_by_now_are_refused() -> None:
    setup = Setup()
    view = await setup.of("lgame", "classic")
    [said] = await setup.press(await setup.select(view, "bob", "cem", "dan"), "No clock")
    assert said.refused
    [said] = await setup.select(view, "no such person")
    assert said.refused
    assert not setup.world.snapshot().matches


async def test_this_bot_stands_for_the_computer_alone_or_beside_people() -> None:
    setup = Setup()
    said = await setup.select(await setup.of("lgame", "classic"), KLOP)
    assert said[0].view.lines[-1] == "How strong?"
    await setup.press(said, "2", "No clock")
    assert chairs(setup.match()) == ["ann", "2"]
    setup = Setup()
    said = await setup.select(await setup.of("klopodavka", "teams"), "bob", KLOP)
    said = await setup.press(said, "3")
    assert "With: bob and Klop, level 3" in said[0].view.lines
    await setup.press(said, "No clock")
    assert sorted(chairs(setup.match())) == ["", "3", "ann", "bob"]


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
