"""What is chosen for a game by words: every word counts, and words that contradict each other are refused."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from bot.chat.errors import BadCommand, CommandError
from bot.chat.game_words import chosen_by, read_words
from bot.chat.i18n import LANGUAGES
from rules import GAMES
from tests.bot.world import ANN, World


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


@pytest.mark.parametrize(
    ("game", "word", "made"),
    [
        ("klopodavka", "дуель", {"board": "12x12", "actions": "4"}),
        ("klopodavka", "ДУЭЛЬ", {"board": "12x12", "actions": "4"}),
        ("klopodavka", "тор", {"topology": "torus"}),
        ("klopodavka", "цилиндр", {"topology": "cylinder"}),
        ("klopodavka", "штаби", {"variant": "hq"}),
        ("klopodavka", "tournament-sheet", {"board": "20x30", "actions": "4"}),
        ("breakthrough", "поддавки", {"variant": "misere"}),
        ("lgame", "раптова-смерть", {"variant": "sudden-death"}),
        ("lgame", "задача", {"variant": "symmetry", "symmetry": "any"}),
    ],
)
def test_words_of_every_language(game: str, word: str, made: Mapping[str, str]) -> None:
    found = chosen(game, word)
    assert {key: found[key] for key in made} == made


@pytest.mark.parametrize("game", GAMES)
def test_every_preset_is_meant_by_its_name(game: str) -> None:
    for name, texts in GAMES[game].schema.presets.items():
        assert chosen_by(GAMES[game], name)[0] == name
        made = GAMES[game].choose({"preset": name})
        assert chosen(game, name) == GAMES[game].describe(made), texts


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("word", ["bob", "off", "tourus", "", "x", "7", "\x00"])
def test_other_words_say_nothing_of_a_game(game: str, word: str) -> None:
    assert chosen_by(GAMES[game], word) == (None, None)


async def test_two_values_for_one_option_are_refused() -> None:
    for language in LANGUAGES:
        world = World(language)
        for line in (
            "/challenge bob lgame scoring points:5 points:10",
            "/new klopodavka board:8x8 board:8x8",
            "/rules lgame points:5 points:10",
            "/join team:1 team:2",
            "/settings quiet:22-8 quiet:23-8",
        ):
            said = await world.say(ANN, line)
            assert line.split(":")[0].split()[-1] in said[0].view.lines[0]
        assert not world.snapshot().matches
