"""Registration of the slash commands: names and descriptions in each language, arguments, contexts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import discord

from bot.commands import REGISTRY
from bot.desk.arguments import Argument, ArgumentType, without_page
from bot.desk.command_spec import Access, CommandSpec
from bot.i18n import words as words_for
from bot.on_discord.places import PLATFORM
from rules.core import AnyGame

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


def activity_link(application: int, carried: str) -> str:
    """Return the address that opens the board page as an Activity; what it carries comes to the page as `custom_id`."""
    return f"https://discord.com/activities/{application}?custom_id={carried}"


def fingerprint(commands: Sequence[Mapping[str, Any]], application: int | None) -> str:
    """Return a hash of the registered commands."""
    text = json.dumps([application, commands], sort_keys=True, ensure_ascii=False)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _command(spec: CommandSpec, games: Mapping[str, AnyGame], *, page: bool) -> dict[str, Any]:
    data: dict[str, Any] = {"type": _TYPED, **_EVERYWHERE, **_named(f"bot.slash.{spec.name}", spec.name)}
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


def _named(key: str, name: str) -> dict[str, Any]:
    """Return a name and a description; interactions carry the same name in all languages."""
    data = _localized("name", f"{key}.name")
    return data | {"name": name} | _localized("description", f"{key}.what")


def _localized(field: str, key: str) -> dict[str, Any]:
    return {
        field: words_for("en")(key),
        f"{field}_localizations": {locale: words_for(language)(key) for locale, language in LOCALES.items()},
    }
