"""Words of games and commands: as they are read, and as they are offered while people type."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from bot.chat.errors import BadCommand, CommandError
from bot.chat.game_words import read_words
from bot.chat.i18n import LANGUAGES
from bot.chat.suggestions import LONGEST, ways_on
from play.people import Player
from rules import GAMES
from tests.bot.chat.test_refusals import Away
from tests.bot.world import ANN, BOB, EVE, SETTINGS, World

# What is chosen for a game by words: every word counts, and words that contradict each other are refused.


def chosen(game: str, line: str, **options: str) -> Mapping[str, str]:
    """What the game makes of the words."""
    texts, left = read_words(GAMES[game], line.split(), options)
    assert not left
    return GAMES[game].describe(GAMES[game].choose(texts))


@pytest.mark.parametrize(
    ("game", "line", "made"),
    [
        ("breakthrough", "7x7 misere", {"board": "7x7", "variant": "misere"}),
        ("breakthrough", "misere 7x7", {"board": "7x7", "variant": "misere"}),
        ("breakthrough", "mini misere", {"board": "5x5", "variant": "misere"}),
        ("breakthrough", "mini 9x9", {"board": "9x9"}),
        ("breakthrough", "misere classic", None),
        ("breakthrough", "7x7 8x8", None),
        ("breakthrough", "7x7 7х7", {"board": "7x7"}),
        ("lgame", "symmetry half-turn", {"variant": "symmetry", "symmetry": "half-turn"}),
        ("lgame", "half-turn", {"variant": "symmetry", "symmetry": "half-turn"}),
        ("lgame", "puzzle half-turn", None),
        ("lgame", "scoring symmetry", None),
        ("klopodavka", "torus hq", {"board": "auto", "variant": "hq", "topology": "torus"}),
        ("klopodavka", "hq torus", {"board": "auto", "variant": "hq", "topology": "torus"}),
        ("klopodavka", "bases torus 12x12", {"variant": "bases", "topology": "torus", "board": "12x12"}),
        ("klopodavka", "duel torus", {"board": "12x12", "actions": "4", "topology": "torus"}),
        ("klopodavka", "duel 14x14", {"board": "14x14", "actions": "4"}),
        ("klopodavka", "duel tournament", None),
        ("klopodavka", "teams 3v3", {"players": "6", "teams": "3v3"}),
        ("klopodavka", "hq bases", None),
        ("klopodavka", "torus cylinder", None),
    ],
)
def test_several_words(game: str, line: str, made: Mapping[str, str] | None) -> None:
    if made is None:
        with pytest.raises(CommandError) as refused:
            chosen(game, line)
        assert refused.value.reason is BadCommand.CONTRADICTION
        assert list(refused.value.fields.values()) == line.split()
        return
    found = dict(chosen(game, line))
    assert {key: found.get(key, "auto") for key in made} == {
        **made,
        **({"board": found["board"]} if made.get("board") == "auto" else {}),
    }


def test_an_option_is_set_on_top_of_a_preset() -> None:
    assert chosen("klopodavka", "duel", actions="5") == chosen("klopodavka", "12x12", actions="5")
    assert chosen("klopodavka", "", preset="duel", board="14x14")["board"] == "14x14"
    assert chosen("klopodavka", "torus", preset="duel") == chosen("klopodavka", "duel torus")


def test_an_option_that_says_otherwise_than_a_word_is_refused() -> None:
    for line, options in (
        ("torus", {"topology": "plane"}),
        ("12x12", {"board": "8x8"}),
        ("hq", {"preset": "bases"}),
    ):
        with pytest.raises(CommandError) as refused:
            chosen("klopodavka", line, **options)
        assert refused.value.reason is BadCommand.CONTRADICTION


def test_what_is_no_option_is_passed_on_and_refused_by_the_game() -> None:
    texts, _ = read_words(GAMES["lgame"], (), {"preset": "nothing", "side": "second"})
    assert texts == {"preset": "nothing", "side": "second"}


# What is offered while people type: it narrows, it fits, and what is offered whole can be played.


async def offered(
    world: World, who: Player, command: str, argument: str, typed: str, **given: str
) -> Sequence[str]:
    found = await world.desk.autocomplete(world.visitor(who), command, argument, typed, given)
    assert len(found) <= 25
    assert all(0 < len(text) <= LONGEST for pair in found for text in pair)
    return [value for _, value in found]


@pytest.mark.parametrize("index", range(len(SETTINGS)))
async def test_every_move_is_reached_by_typing_it(index: int) -> None:
    world = World()
    game, chosen = SETTINGS[index]
    match, luck = await world.begin(game, chosen), random.Random(index)
    rules, position = world.table.games[game], world.table.position(match)
    for _ in range(6):
        for move in luck.sample(list(position.legal_moves()), 2):
            text = rules.notation.format(move)
            for length in range(len(text) + 1):
                ways = ways_on(rules, position, text[:length])
                assert len(ways) <= 25
                assert any(way.startswith(text) or text.startswith(way) for way in ways), (
                    text[:length],
                    ways,
                )
            whole = ways_on(rules, position, text)
            assert whole.count(text) == 1
            after = position.play(move)
            goes_on = after.outcome is None and after.to_move == position.to_move
            further = [way for way in whole if way.startswith(f"{text} ")]
            several = [way for way in further if len(rules.notation.parse(way, position)) > 1]
            assert bool(several) == goes_on
        position = position.play(luck.choice(position.legal_moves()))
        if position.outcome:
            break


@pytest.mark.parametrize("language", LANGUAGES)
async def test_what_is_offered_can_be_played(language: str) -> None:
    world = World(language)
    match = await world.begin("klopodavka", {"board": "6x6"})
    notation, position = world.table.games["klopodavka"].notation, world.table.position(match)
    for typed in ("", "b", "b2", "b2 c", "b2 c3 d4", "Б2", "в2 с3"):
        ways = await offered(world, ANN, "move", "move", typed)
        for way in ways:
            assert notation.parse(way, position)
    assert await offered(world, ANN, "move", "move", "z9") == []
    assert await offered(world, BOB, "move", "move", "") == []
    assert await offered(world, EVE, "move", "move", "") == []


async def test_of_several_matches_each_is_named_by_its_code() -> None:
    world = World()
    one = await world.begin("breakthrough", {})
    other = await world.begin("breakthrough", {"board": "5x5"})
    ways = await offered(world, ANN, "move", "move", "a2-a")
    assert set(ways) == {f"a2-a3 #{one.id}", f"a2-a3 #{other.id}"}
    assert await offered(world, ANN, "move", "move", "a2-a", match=f"#{one.id}") == ["a2-a3"]
    said = await world.desk.answer(world.visitor(ANN), f"/move {ways[0]}")
    assert any("a2-a3" in line for line in said[-1].view.lines)


async def test_options_games_clocks_zones() -> None:
    world = World("uk")
    assert await offered(world, ANN, "new", "game", "lg") == ["lgame"]
    assert "variant:scoring" in await offered(world, ANN, "new", "options", "", game="lgame")
    assert await offered(world, ANN, "new", "options", "board:8x8 teams:2v2v", game="klopodavka") == [
        "board:8x8 teams:2v2v2"
    ]
    assert await offered(world, ANN, "new", "options", "", game="nonsense")
    assert "3d" in await offered(world, ANN, "challenge", "clock", "3")
    assert await offered(world, ANN, "settings", "zone", "kyiv") == ["Europe/Kyiv"]
    assert await offered(world, ANN, "settings", "zone", "Київ") == ["Europe/Kyiv"]
    assert (await offered(world, ANN, "settings", "zone", "CST"))[:2] == ["America/Chicago", "America/Havana"]
    assert await offered(world, ANN, "settings", "quiet", "2") == []
    assert await offered(world, ANN, "nonsense", "x", "y") == []


async def test_nothing_is_offered_while_the_store_is_away() -> None:
    world = World()
    await world.begin("breakthrough", {})
    away: Any = Away()
    world.desk._store, world.desk._services = away, replace(world.desk._services, store=away)
    assert await offered(world, ANN, "move", "move", "a2") == []
