"""The slash commands as they are registered, and as they are written in messages: mentions to click, with localised names."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

import discord

from bot.chat.arguments import Access, Argument, ArgumentType, CommandSpec, without_page
from bot.chat.i18n import Words
from bot.chat.i18n import words as words_for
from bot.features.commands import REGISTRY
from bot.platforms.discord.rendering import PLATFORM
from rules import GAMES
from rules.core import AnyGame

PERMISSIONS: Final = 309237697536  # of the invitation to a server of Discord: the six in docs/discord.md

MENU: Final = "bot.discord.challenge"  # the name of the one user command; interactions carry its English text

COMMANDS: Final = f"{PLATFORM}:commands"
"""The note of what is registered: the fingerprint, and the ids by name; `klop doctor` reads it."""

LOCALES: Final[Mapping[str, str]] = {"uk": "uk", "ru": "ru", "en-US": "en"}
_EVERYWHERE: Final[Mapping[str, list[int]]] = {"contexts": [0, 1, 2], "integration_types": [0, 1]}
"""In servers, in conversations with the bot and among people; installed in a server or by a user."""

_ENTRY_POINT_TYPE: Final = 4
_LAUNCHED_BY_DISCORD: Final = 2
_ENTRY_POINT: Final = (
    *("id", "type", "name", "name_localizations", "description", "description_localizations"),
    *("handler", "contexts", "integration_types", "default_member_permissions", "nsfw"),
)
"""Fields that are sent back as they were found."""

_TYPED: Final = 1
_PERSON_MENU: Final = 2
_TYPES: Final = {ArgumentType.PERSON: 6, ArgumentType.SWITCH: 5, ArgumentType.FILE: 11}
_STRING: Final = 3
_COMPLETED: Final = frozenset(
    {
        *(ArgumentType.OPTIONS, ArgumentType.MATCH, ArgumentType.MOVE),
        *(ArgumentType.CLOCK, ArgumentType.ZONE, ArgumentType.HELP_PAGE),
    }
)
"""Arguments with autocomplete."""

_LONGEST: Final = 1000  # characters of an argument
_MANAGE_GUILD: Final = discord.Permissions(manage_guild=True).value


def registered(games: Mapping[str, AnyGame], *, page: bool) -> list[dict[str, Any]]:
    """Return all that is registered: the slash commands, and one user command; `page`: whether there is a board page."""
    menu = {"type": _PERSON_MENU, **_EVERYWHERE, **_localized("name", MENU)}
    return [*(_command(spec, games, page=page) for spec in REGISTRY.specs.values()), menu]


def entry_points(there: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the Entry Point commands among those that are registered, as they are registered again.

    Discord creates one when Activities are enabled for the application, and refuses a bulk registration without it.
    """
    return [
        {field: each[field] for field in _ENTRY_POINT if each.get(field) is not None}
        for each in there
        if each.get("type") == _ENTRY_POINT_TYPE
    ]


def entry_point() -> dict[str, Any]:
    """Return the Entry Point command of an application that has none: Discord opens the board page by it."""
    return {
        "type": _ENTRY_POINT_TYPE,
        "handler": _LAUNCHED_BY_DISCORD,
        **_EVERYWHERE,
        **_localized("name", "bot.discord.entry-point"),
        **_localized("description", "bot.discord.entry-point.what"),
    }


def fingerprint(commands: Sequence[Mapping[str, Any]], application: int | None) -> str:
    """Return a hash of the registered commands."""
    text = json.dumps([application, commands], sort_keys=True, ensure_ascii=False)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _command(spec: CommandSpec, games: Mapping[str, AnyGame], *, page: bool) -> dict[str, Any]:
    key = f"bot.slash.{spec.name}"
    data: dict[str, Any] = {"type": _TYPED, **_EVERYWHERE, **_localized("name", f"{key}.name")}
    data |= {"name": spec.name, **_localized("description", f"{key}.what")}  # the name: in all languages
    offered = (argument if page else without_page(argument) for argument in spec.arguments)
    data["options"] = [_option(argument, games) for argument in offered if argument is not None]
    if spec.access is Access.ADMINS:
        data["default_member_permissions"] = str(_MANAGE_GUILD)
    return data


def _option(argument: Argument, games: Mapping[str, AnyGame]) -> dict[str, Any]:
    data: dict[str, Any] = {
        "type": _TYPES.get(argument.type, _STRING),
        "required": False,
        **_localized("name", f"bot.slash.arg.{argument.name}.name"),
        "name": argument.name,
        **_localized("description", argument.what),
    }
    if argument.type is ArgumentType.GAME:
        data["choices"] = [_choice(f"{key}.name", key) for key in games]
    elif argument.type is ArgumentType.CHOICE:
        data["choices"] = [_choice(argument.label(word), word) for word in argument.words]
    elif data["type"] == _STRING:
        data["max_length"] = _LONGEST
        data["autocomplete"] = argument.type in _COMPLETED
    return data


def _choice(key: str, value: str) -> dict[str, Any]:
    return {"value": value, **_localized("name", key)}


def _localized(field: str, key: str) -> dict[str, Any]:
    return {
        field: words_for("en")(key),
        f"{field}_localizations": {locale: words_for(language)(key) for locale, language in LOCALES.items()},
    }


_COMMAND: Final = re.compile(
    rf"(?<![\w/:.<\\-])/({'|'.join(REGISTRY.specs)})(?![\w/-])((?: (?:#|\\?@)?\w(?:[\w:,|+/-]*\w)?)*)"
)
"""A command, and the words after it, which may be its arguments or may go on with the sentence."""

_MOVE: Final = re.compile(r"L|n|x?[a-z][0-9]{1,2}(?:-[a-z][0-9]{1,2})*", re.ASCII)
_CODE: Final = re.compile(r"#[a-z0-9]{6}", re.ASCII)
_LENGTH: Final = re.compile(r"off|[0-9]+d", re.ASCII)
_BEFORE: Final = ("\n", " · ")
_ENTRY: Final = " —"  # what stands before and after a command that a list is about


def mentioning(ids: Mapping[str, str], locale: str) -> Callable[[str], str]:
    """Return what writes the commands in a text for a reader whose client has this locale.

    Discord shows the name in a mention as it is written, and only the default one can be clicked. So the localised name
    stands beside it where a list is about the command, and in place of it where the command's id is not known.
    """
    language = LOCALES.get(locale)

    def local_of(key: str, name: str) -> str:
        return words_for(language)(f"bot.slash.{key}.name") if language else name

    def written(found: re.Match[str]) -> str:
        name, said = found[1], found[2]
        local = local_of(name, name)
        given, rest = _arguments(REGISTRY.specs[name], said, words_for(language or "en"))
        if given:
            typed = "".join(f" {local_of(f'arg.{key}', key)}:{value}" for key, value in given.items())
            return f"/{local}{typed}{rest}"
        if name not in ids:
            return f"/{local}{said}"
        mention = f"</{name}:{int(ids[name])}>"
        begins = found.string[: found.start()].endswith(_BEFORE) or not found.start()
        listed = begins and found.string.startswith(_ENTRY, found.end())
        return (f"{mention} (/{local})" if listed and local != name else mention) + said

    return partial(_COMMAND.sub, written)


def _arguments(spec: CommandSpec, said: str, labels: Words) -> tuple[Mapping[str, str], str]:
    given: dict[str, str] = {}
    words = said.split(" ")[1:]
    arguments = sorted(spec.arguments, key=lambda argument: not argument.named)
    for number, word in enumerate(words):
        found = (_argument(word, argument, labels) for argument in arguments)
        taken = next(filter(None, found), None)
        if taken is None:
            return given, "".join(f" {left}" for left in words[number:])
        key, value = taken
        given[key] = f"{given[key]} {value}" if key in given else value
    return given, ""


def _argument(word: str, argument: Argument, labels: Words) -> tuple[str, str] | None:
    if argument.named:
        name, _, word = word.partition(":")
        if name != argument.name or not word:
            return None
    match argument.type:
        case ArgumentType.SWITCH:
            fits, word = word in argument.words, "True"
        case ArgumentType.CHOICE:
            fits = word in argument.words
            word = labels(argument.label(word)) if fits and not word.isdigit() else word
        case ArgumentType.PERSON:
            fits = word.isascii() and (word.istitle() or "@" in word)  # the name in an example
        case ArgumentType.GAME:
            fits = word in GAMES
            word = labels(f"{word}.name") if fits else word
        case ArgumentType.MATCH:
            fits, word = bool(_CODE.fullmatch(word)), word.removeprefix("#")
        case ArgumentType.MOVE:
            fits = bool(_MOVE.fullmatch(word))
        case ArgumentType.OPTIONS:
            fits = ":" in word or word == "off"
        case _:
            fits = argument.named or bool(_LENGTH.fullmatch(word))
    return (argument.name, word) if fits else None
