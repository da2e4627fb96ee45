"""What can be read at any time: rules of everything, help, lists, matches in every phase."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from datetime import timedelta

import pytest

from bot.chat.callback_data import Verb
from bot.chat.i18n import LANGUAGES, words
from bot.chat.presenting import boards
from bot.chat.presenting.naming import chosen_text, clean, game_title
from bot.features import rules_cards
from bot.features.commands import REGISTRY
from bot.features.matches import cards
from play.actions.leaving import Resign
from play.actions.playing import MakeMove
from play.actions.seating import Expire
from play.listing import waiting
from play.match import Phase
from play.opening import Challenge, Lobby
from play.people import Account, Player
from play.request import CLOCKWORK, Request
from play.time.clock import Now
from rules import GAMES
from rules.core import AnyGame, BadOption, OneOf
from tests.bot.world import ANN, CEM, HALL, ROOM, World


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
