"""What a command may be called and offer, in all languages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from tests.platforms.discord.checks import Check, Form, Found, flag, number, one_of, several, text
from tests.platforms.discord.message_limits import OPTIONS

COMMANDS: Final = 100
COMMANDS_FOR_USERS: Final = 15
"""Entries in the menu of a person; other menus are not used."""

COMMAND_SUM: Final = 8000
LOCALES: Final = frozenset(
    [
        "id",
        "da",
        "de",
        "en-GB",
        "en-US",
        "es-ES",
        "es-419",
        "fr",
        "hr",
        "it",
        "lt",
        "hu",
        "nl",
        "no",
        "pl",
        "pt-BR",
        "ro",
        "fi",
        "sv-SE",
        "vi",
        "tr",
        "cs",
        "el",
        "bg",
        "ru",
        "uk",
        "hi",
        "th",
        "zh-CN",
        "ja",
        "zh-TW",
        "ko",
    ]
)

_COMMAND_NAME: Final = re.compile(r"[-_'\w]{1,32}\Z")


def command_name(value: Any, at: str) -> Found:
    """The name of a command or an option that is typed: letters of any script, lower case where there is such a thing."""
    yield from text(32, 1)(value, at)
    if isinstance(value, str) and (not _COMMAND_NAME.match(value) or value != value.lower()):
        yield f"{at}: {value!r} is no name of a command"


def _localised(check: Check) -> Check:
    def look(value: Any, at: str) -> Found:
        for locale, held in value.items():
            if locale not in LOCALES:
                yield f"{at}: {locale} is no language of Discord's"
            yield from check(held, f"{at}.{locale}")

    return look


def _options(value: Any, at: str) -> Found:
    yield from several(_option, OPTIONS)(value, at)
    names: list[str] = []
    optional = False
    for option in value:
        names.append(option.get("name"))
        if option.get("required") and optional:
            yield f"{at}: one that is needed after one that is not"
        optional = optional or not option.get("required")
    if len(set(names)) < len(names):
        yield f"{at}: a name twice"
    for locale in LOCALES:
        called = [
            (option.get("name_localizations") or {}).get(locale) or option.get("name") for option in value
        ]
        if len(set(called)) < len(called):
            yield f"{at}: a name twice in {locale}"


def _option(value: Any, at: str) -> Found:
    yield from Form(
        {
            "type": one_of(3, 4, 5, 6, 11),
            "name": command_name,
            "name_localizations": _localised(command_name),
            "description": text(100, 1),
            "description_localizations": _localised(text(100, 1)),
            "required": flag,
            "autocomplete": flag,
            "choices": several(
                Form(
                    {
                        "name": text(100, 1),
                        "name_localizations": _localised(text(100, 1)),
                        "value": text(100, 1),
                    },
                    ("name", "value"),
                ),
                25,
            ),
            "min_length": number(0, 6000),
            "max_length": number(1, 6000),
            "min_value": number(-(2**53), 2**53),
            "max_value": number(-(2**53), 2**53),
        },
        ("type", "name", "description"),
    )(value, at)
    if value.get("autocomplete") and value.get("choices"):
        yield f"{at}: either choices or autocomplete"
    if value.get("autocomplete") and value.get("type") not in (3, 4):
        yield f"{at}: only text and numbers complete themselves"


def _command(value: Any, at: str) -> Found:
    menu = value.get("type") in (2, 3)
    name = text(32, 1) if menu else command_name
    yield from Form(
        {
            "type": one_of(1, 2),
            "name": name,
            "name_localizations": _localised(name),
            "description": text(0) if menu else text(100, 1),
            "description_localizations": _localised(text(100, 1)),
            "options": _options,
            "default_member_permissions": _permissions,
            "contexts": several(one_of(0, 1, 2), 3, 1, unique=True),
            "integration_types": several(one_of(0, 1), 2, 1, unique=True),
            "nsfw": flag,
        },
        ("name",) if menu else ("name", "description"),
    )(value, at)
    if (total := _counted(value)) > COMMAND_SUM:
        yield f"{at}: {total} characters in all"


def _permissions(value: Any, at: str) -> Found:
    if not str(value).isdigit() or int(value) >= 2**54:
        yield f"{at}: {value!r} is no set of permissions"


def _counted(value: Mapping[str, Any]) -> int:
    """Characters of a command that count: of each text the longest of its languages."""
    total = 0
    for key in ("name", "description"):
        texts = [value.get(key) or "", *(value.get(f"{key}_localizations") or {}).values()]
        total += max(map(len, texts))
    for each in (*(value.get("options") or ()), *(value.get("choices") or ())):
        total += _counted(each) + len(str(each.get("value", "")))
    return total


def commands(value: Any, at: str) -> Found:
    typed = [each for each in value if each.get("type", 1) == 1]
    menus = [each for each in value if each.get("type", 1) != 1]
    if len(typed) > COMMANDS or len(menus) > COMMANDS_FOR_USERS:
        yield f"{at}: too many"
    for of_kind in (typed, menus):
        for locale in LOCALES:
            called = [(each.get("name_localizations") or {}).get(locale) or each["name"] for each in of_kind]
            if len(set(called)) < len(called):
                yield f"{at}: two commands of one name in {locale}"
    for each in value:
        yield from _command(each, f"{at}[{each.get('name')}]")
