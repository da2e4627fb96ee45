"""Cards and controls: what can be read and pressed at any time."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import LANGUAGES, words
from bot.chat.presenting import boards
from bot.chat.presenting.naming import chosen_text, clean, game_title
from bot.chat.view import Person, View
from bot.features import rules_cards
from bot.features.commands import REGISTRY
from bot.features.matches import cards
from bot.platforms.page import composing
from play.actions.agreeing import AskPause, OfferDraw, Resume
from play.actions.leaving import Resign
from play.actions.playing import MakeMove
from play.actions.seating import Expire, Join
from play.listing import waiting
from play.match import Match, Phase, Ply
from play.opening import Challenge, Lobby
from play.people import Account, Player
from play.request import CLOCKWORK, Request
from play.time.clock import Now
from play.time.firing import fire
from rules import GAMES
from rules.core import AnyGame, BadOption, OneOf, Seat
from tests.bot.world import ANN, BOB, CEM, EVE, HALL, NOON, ROOM, World

# What can be read at any time: rules of everything, help, lists, matches in every phase.


def choices(game: AnyGame) -> Iterator[Mapping[str, str]]:
    """Nothing, every preset, and every word of every option that can be had alone."""
    yield {}
    for name in game.schema.presets:
        yield {"preset": name}
    for option in game.schema.options:
        for word in option.offered if isinstance(option, OneOf) else (option.default,):
            try:
                game.choose({option.key: word})
            except BadOption:
                continue
            yield {option.key: word}


def test_a_variant_is_written_whole_and_not_beside_what_it_replaces() -> None:
    game, spoken = GAMES["klopodavka"], words("en", strict=True)

    def told(*presets: str, **chosen: str) -> str:
        options = game.choose({**({"preset": presets[0]} if presets else {}), **chosen})
        return "\n".join(rules_cards.rules(game, game.describe(options), spoken).lines)

    base, chain = "starts with one live bug on a base", "No chain back to the base is needed"
    assert base in told()
    assert chain in told()
    headquarters = told("hq")
    assert "headquarters of six live bugs" in headquarters
    assert not any(part in headquarters for part in (base, chain, "usually three", "can be crushed too"))
    assert "Whoever builds a fence" not in told("hq", fence="off")
    assert "There are no draws" not in told("bases")
    assert chain not in told(reach="base", base="immune")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("key", GAMES)
def test_rules_of_everything(key: str, language: str) -> None:
    game, spoken = GAMES[key], words(language, strict=True)
    plain = rules_cards.rules(game, {}, spoken).lines
    offered = [line for line in plain if line.startswith("· ")]
    typed = [f"{option.key}:" for option in game.schema.options]
    assert all(any(line.startswith(f"· {text}") for line in offered) for text in typed)
    assert {f"· {name}" for name in game.schema.presets} <= {line.split(" — ")[0] for line in offered}
    heads: dict[str, Mapping[str, str]] = {}
    for chosen in choices(game):
        described = game.describe(game.choose(chosen))
        head = game_title(game, described, spoken)
        assert ("(" in head) == bool(described)
        assert all(chosen_text(game, option, text, spoken) in head for option, text in described.items())
        assert heads.setdefault(head, described) == described, "two that differ have one title"
        lines = rules_cards.rules(game, described, spoken).lines
        assert all(line.isprintable() for line in lines)
        assert not any(line == after == "" for line, after in itertools.pairwise(lines))
        assert game.key not in lines[0]
        if described:
            assert not any(line.startswith("· ") for line in lines)
            assert all(text in lines[0] for text in (words(language)(f"{key}.name"), "("))
        else:
            assert lines == plain


def test_every_verb_does_something() -> None:
    assert set(REGISTRY.buttons) == set(Verb)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_ones_matches_those_that_wait_first(language: str) -> None:
    world = World(language)
    spoken = words(language, strict=True)
    other = await world.begin("lgame", {}, HALL)
    await world.table.act(other.id, MakeMove("L a1-a3-b3"), Request(ANN, world.now))
    waits = await world.begin("breakthrough", {})
    opened = await world.table.open(Lobby(ROOM, "klopodavka"), Request(ANN, world.now))
    invited = await world.table.open(Challenge(ROOM, "lgame", opponents=[ANN]), Request(CEM, world.now))
    mine = await world.store.matches.of(ANN.account)
    courses = [(match, world.table.course(match)) for match in mine]
    entries = [
        (world.present(entry.match, spoken), entry) for entry in waiting(ANN.account, courses, Now(world.now))
    ]
    view = cards.my_matches(entries, ROOM, spoken)
    order = [invited.match.id, waits.id, opened.match.id, other.id]
    assert [next(code for code in order if code in line) for line in view.lines[1:]] == order
    assert view.lines[0] == spoken.count("bot.games.waiting", 1)
    assert spoken("bot.games.elsewhere", state="") in f" {view.lines[4]}"
    assert cards.my_matches([], ROOM, spoken).lines == (spoken("bot.games.none"),)
    only = [entry for entry in entries if entry[0].match == opened.match]
    assert [key.label.split(" · ")[-1] for key in view.buttons if waits.id in key.label] == ["bob"]
    view = cards.my_matches(only, ROOM, spoken)
    assert view.lines[0] == spoken("bot.games.none-waiting")


@pytest.mark.parametrize("language", LANGUAGES)
async def test_an_invitation_elsewhere_is_listed_with_the_code_that_answers_it(language: str) -> None:
    world = World(language)
    made = await world.table.open(Challenge(HALL, "lgame", opponents=[ANN]), Request(CEM, world.now))
    code = f"#{made.match.id}"
    [listed] = await world.say(ANN, "/games", ROOM)
    assert f"/accept {code} " in listed.view.lines[1]
    [listed] = await world.say(ANN, "/games", HALL)
    assert "/accept #" not in listed.view.lines[1]
    await world.say(ANN, f"/accept {code}", ROOM)
    assert (await world.table.get(made.match.id)).phase is Phase.PLAYING
    await world.table.act(made.match.id, Resign(), Request(ANN, world.now))
    [listed] = await world.say(ANN, "/games", ROOM)
    assert listed.view.lines == (words(language)("bot.games.none"),)


async def test_what_is_cut_off_in_a_buttons_words_is_seen_to_be() -> None:
    world = World()
    long = Player(Account("console", "long"), "Bartholomew the Younger of Somewhere")
    await world.table.open(Challenge(ROOM, "klopodavka", opponents=[long]), Request(ANN, world.now))
    [listed] = await world.say(ANN, "/games")
    [button] = listed.view.buttons
    assert button.label.endswith("…")
    assert len(button.label) <= cards.MAX_LABEL


async def test_a_match_in_every_phase() -> None:
    world, spoken = World(), words("en", strict=True)
    await world.furnish()
    late = await world.table.open(Challenge(ROOM, "lgame"), Request(ANN, world.now))
    await world.table.act(late.match.id, Expire(), Request(CLOCKWORK, world.now + timedelta(hours=24)))
    seen = set()
    for match in world.snapshot().matches.values():
        view = boards.show(world.present(match, spoken))
        seen.add(match.phase)
        assert match.id in view.lines[0]
        assert (view.diagram is not None) == (match.phase in (Phase.PLAYING, Phase.OVER))
        assert len(view.roster) == (0 if match.phase is Phase.CALLED_OFF else len(match.chairs))
        assert not view.ping
    assert seen == set(Phase)


def test_names_are_clean() -> None:
    names = ("Ann", "  a \n b ", "\u202eevil", "\x00", "", "x" * 90)
    assert [*map(clean, names)] == ["Ann", "a b", "evil", "?", "?", "x" * 64]


# Controls under a board: what makes sense in the match as it is, each of them a claim that the desk can
# follow.


EN = words("en", strict=True)


def seen(world: World, match: Match, language: str = "en") -> View:
    presentation = world.present(match, words(language, strict=True))
    return boards.show(replace(presentation, now=Now(world.now)))


def verbs(view: View) -> list[Verb]:
    return [control.data.verb for control in view.controls]


@pytest.mark.parametrize("language", LANGUAGES)
async def test_what_hangs_under_a_board(language: str) -> None:
    world = World(language)
    match = await world.begin("breakthrough", {"board": "5x5"})
    assert verbs(seen(world, match, language)) == [Verb.MOVE, Verb.MORE]
    match = (await world.table.act(match.id, OfferDraw(), Request(ANN, world.now))).match
    view = seen(world, match, language)
    assert verbs(view) == [Verb.MOVE, Verb.YES, Verb.NO, Verb.MORE]
    assert {control.data.argument for control in view.controls} == {"", "draw"}
    match = (await world.table.act(match.id, Resign(), Request(BOB, world.now))).match
    assert not seen(world, match, language).controls


async def test_a_clock_brings_more() -> None:
    world = World()
    made = await world.table.open(
        Challenge(ROOM, "breakthrough", opponents=[BOB], clock="1d soft"), Request(ANN, world.now)
    )
    match = (await world.table.act(made.match.id, Join(), Request(BOB, world.now))).match
    view = seen(world, match)
    assert await menu(world, ANN, match) == [
        Verb.DRAW,
        Verb.PAUSE,
        Verb.RESIGN,
        Verb.MUTE,
        Verb.FLIP,
        Verb.TEXT,
        Verb.BOARD,
    ]
    assert view.deadline == NOON + timedelta(days=1)
    assert view.untimed == ("Turn: ann",)
    assert view.after == ("Turn: ann · time left: 1 day",)
    assert (view.code, view.revision) == (match.id, match.revision)
    await world.table.act(match.id, AskPause(), Request(ANN, world.now))
    match = (await world.table.act(match.id, AskPause(), Request(BOB, world.now))).match
    view = seen(world, match)
    assert verbs(view) == [Verb.RESUME, Verb.MORE]
    assert await menu(world, ANN, match) == [
        Verb.DRAW,
        Verb.RESIGN,
        Verb.MUTE,
        Verb.FLIP,
        Verb.TEXT,
        Verb.BOARD,
    ]
    assert view.deadline is None
    assert view.untimed == view.after
    match = (await world.table.act(match.id, Resume(), Request(ANN, world.now))).match
    await fire(world.table, match.id, "flag", world.table.now(world.now + timedelta(days=2)))
    view = seen(world, await world.table.get(match.id))
    assert Verb.CLAIM in verbs(view)
    assert view.deadline is None


async def menu(world: World, who: Player, match: Match) -> list[Verb]:
    """What the menu offers."""
    [view] = await pressed(world, who, CallbackData(Verb.MORE, match.id, match.revision))
    return [each.data.verb for each in view.buttons]


async def test_the_menu_offers_what_would_not_be_refused() -> None:
    world = World()
    match = await world.begin("breakthrough", {"board": "5x5"})
    asked = [Verb.RESIGN, Verb.MUTE, Verb.FLIP, Verb.TEXT, Verb.BOARD]
    always = [Verb.VOTE, *asked]
    assert await menu(world, ANN, match) == [Verb.DRAW, *always]
    match = (await world.table.act(match.id, MakeMove("a2-a3"), Request(ANN, world.now))).match
    assert await menu(world, ANN, match) == [Verb.UNDO, Verb.DRAW, *always]
    assert await menu(world, BOB, match) == [Verb.DRAW, *always]
    match = (await world.table.act(match.id, MakeMove("b4-b3"), Request(BOB, world.now))).match
    match = (await world.table.act(match.id, MakeMove("c2-c3"), Request(ANN, world.now))).match
    assert await menu(world, BOB, match) == [Verb.TAKEBACK, Verb.DRAW, *always]
    match = (await world.table.act(match.id, OfferDraw(), Request(ANN, world.now))).match
    assert await menu(world, BOB, match) == asked
    assert await menu(world, EVE, match) == [Verb.FLIP, Verb.TEXT, Verb.BOARD]
    await world.table.act(match.id, Resign(), Request(BOB, world.now))
    [board] = await pressed(world, ANN, CallbackData(Verb.MORE, match.id, match.revision))
    assert board.diagram
    assert verbs(board) == [Verb.FLIP, Verb.TEXT, Verb.BOARD]


async def test_a_seat_that_was_left_can_be_taken_over() -> None:
    world = World()
    match = await world.begin("klopodavka", {"players": "3"})
    match = (await world.table.act(match.id, Resign(), Request(CEM, world.now))).match
    assert Verb.SUBSTITUTE in verbs(seen(world, match))


async def pressed(world: World, who: Player, data: CallbackData, *, confirms: bool = True) -> Sequence[View]:
    visitor = replace(world.visitor(who), buttons=confirms)
    said = await world.desk.press(visitor, data)
    assert all(isinstance(message.to, Person) and message.to.account == who.account for message in said)
    return [message.view for message in said]


async def test_every_control_is_followed_or_refused_in_words() -> None:
    world = World()
    await world.furnish()
    for match in world.playing():
        for control in seen(world, match).controls:
            for who in (ANN, EVE):
                views = [m.view for m in await world.desk.press(world.visitor(who), control.data)]
                assert views
                assert all(view.lines for view in views)


async def test_giving_up_is_asked_for_once_more() -> None:
    world = World()
    match = await world.begin("lgame", {})
    before = world.snapshot()
    [more] = await pressed(world, ANN, CallbackData(Verb.MORE, match.id, match.revision))
    resign = next(each.data for each in more.buttons if each.data.verb is Verb.RESIGN)
    [asked] = await pressed(world, ANN, resign)
    assert asked.lines[1] == "Give this game up?"
    assert [button.data.argument for button in asked.buttons] == ["sure"]
    assert world.snapshot() == before
    [refused] = await pressed(world, EVE, resign)
    assert not refused.buttons
    said = await world.desk.press(replace(world.visitor(ANN), buttons=True), asked.buttons[0].data)
    assert "ann resigns." in said[-1].view.lines
    [late] = await pressed(world, ANN, asked.buttons[0].data)
    assert "over" in late.lines[0]


async def test_a_board_is_turned_and_written_out_for_one_person() -> None:
    world = World()
    match = await world.begin("breakthrough", {})
    [turned] = await pressed(world, BOB, CallbackData(Verb.FLIP, match.id, match.revision))
    assert (turned.flipped, turned.text_board) == (True, False)
    back = next(c.data for c in turned.controls if c.data.verb is Verb.FLIP)
    [upright] = await pressed(world, BOB, back)
    assert not upright.flipped
    [text] = await pressed(world, BOB, CallbackData(Verb.TEXT, match.id, match.revision))
    assert (text.flipped, text.text_board) == (False, True)
    await world.desk.answer(world.visitor(BOB), "/settings flip:on")
    [text] = await pressed(world, BOB, CallbackData(Verb.TEXT, match.id, match.revision))
    assert (text.flipped, text.text_board) == (True, True)
    [text] = await pressed(world, ANN, CallbackData(Verb.TEXT, match.id, match.revision))
    assert (text.flipped, text.text_board) == (False, True)
    assert Verb.TEXT not in verbs(text)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_decided_turn_is_finished_by_one_key(language: str) -> None:
    world = World(language)
    match = await world.begin("klopodavka", {"board": "3x4", "players": "2"})
    for who, moves in ((ANN, "a2 b3 c3"), (BOB, "b3 a2 a1"), (ANN, "c4")):
        assert not seen(world, match, language).buttons
        match = (await world.table.act(match.id, MakeMove(moves), Request(who, world.now))).match
    presentation = world.present(match, words(language, strict=True))
    board = boards.show(presentation)
    (key,) = board.buttons
    assert presentation.words("bot.decided", name="ann") in board.alt
    for who, keys in ((ANN, [key]), (BOB, [])):
        assert list(boards.for_one(board, presentation, who.account).buttons) == keys
        offered = composing.view(presentation, [who.account], "", {}).buttons
        assert [each.label for each in offered if each.data == key.data.pack()] == [
            each.label for each in keys
        ]
    match = (await world.table.act(match.id, MakeMove(key.data.argument), Request(ANN, world.now))).match
    assert [ply.text for ply in match.log if isinstance(ply, Ply)][6:] == ["xc4", "b2", "b1"]
    assert match.result
    assert match.result.winners == (Seat.S1,)
