from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from bot.chat.arguments import Access, ArgumentType
from bot.chat.i18n import words as words_for
from bot.features.commands import REGISTRY
from bot.platforms.discord.registration import entry_point, fingerprint, registered
from rules import GAMES
from tests.platforms.discord.limits import problems

PATH = "/applications/1/commands"


def test_what_is_registered_obeys_the_limits_in_all_languages() -> None:
    assert problems("PUT", PATH, [*registered(GAMES, page=True), entry_point()]) == []


def test_it_is_offered_everywhere_and_to_everybody_who_adds_the_bot() -> None:
    for command in registered(GAMES, page=True):
        assert command["contexts"] == [0, 1, 2]
        assert command["integration_types"] == [0, 1]


def test_without_a_page_nothing_of_it_is_registered() -> None:
    text, without = (json.dumps(registered(GAMES, page=page)) for page in (True, False))
    for key in ("bot.slash.arg.page.what", "bot.slash.word.link"):
        said = json.dumps(words_for("uk")(key))
        assert said in text
        assert said not in without


def test_levels_are_called_as_on_buttons() -> None:
    (seat,) = [command for command in registered(GAMES, page=True) if command["name"] == "seat"]
    (engine,) = [option for option in seat["options"] if option["name"] == "engine"]
    for language in ("uk", "ru"):
        said = [choice["name_localizations"][language] for choice in engine["choices"]]
        assert said == [words_for(language)(f"bot.order.level.{level}") for level in range(1, 9)]


def test_the_fingerprint_changes_with_what_is_registered_and_with_the_application() -> None:
    commands = registered(GAMES, page=True)
    assert fingerprint(commands, 1) == fingerprint(registered(GAMES, page=True), 1)
    assert fingerprint(commands, 1) != fingerprint(commands, 2)
    assert fingerprint(commands, 1) != fingerprint(commands[1:], 1)


def test_only_those_who_run_a_server_are_offered_its_commands() -> None:
    for command in registered(GAMES, page=True):
        entry = REGISTRY.specs.get(command["name"])
        assert ("default_member_permissions" in command) == (
            entry is not None and entry.access is Access.ADMINS
        )


def test_the_catalogue_can_be_typed() -> None:
    """What is chosen has words."""
    for entry in REGISTRY.specs.values():
        for argument in entry.arguments:
            assert bool(argument.words) == (argument.type in (ArgumentType.CHOICE, ArgumentType.SWITCH))


def test_arguments_are_read_as_if_they_had_been_typed() -> None:
    command = REGISTRY.typed(
        "challenge",
        {"person": "@5", "game": "lgame", "options": "scoring board:4x4", "clock": "3 d", "side": "second"},
    )
    assert command.words == ("@5", "lgame", "scoring")
    assert command.options == {"board": "4x4", "clock": "3 d", "side": "second"}
    assert REGISTRY.typed("move", {"move": " L b3-b1 \n n a1 ", "match": "#K7Q2MZ"}).rest == "L b3-b1 n a1"
    assert REGISTRY.typed("move", {"move": "a2", "match": "#K7Q2MZ"}).code == "k7q2mz"
    assert REGISTRY.typed("watch", {"stop": "True"}).rest == "off"
    assert REGISTRY.typed("import", {"file": "[Game]\n\n1. a"}).rest == "[Game]\n\n1. a"
    assert REGISTRY.typed("nonsense", {}).name == "nonsense"


def test_the_validator_bites() -> None:
    good = registered(GAMES, page=True)
    spoils: list[Callable[[dict[str, Any]], Any]] = [
        lambda each: each.update(name="Challenge"),
        lambda each: each.update(description="x" * 101),
        lambda each: each["name_localizations"].update(xx="a"),
        lambda each: each["options"].append(each["options"][0]),
        lambda each: each.update(contexts=[3]),
        lambda each: each.update(handler=1),
    ]
    for spoil in spoils:
        commands = json.loads(json.dumps(good))
        spoil(commands[0])
        assert problems("PUT", PATH, commands)
    assert problems("PUT", PATH, [*good, *good])
