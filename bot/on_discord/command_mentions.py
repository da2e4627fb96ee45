"""Commands in messages, as the reader's client has them: mentions to click, with localised names beside."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from bot.commands import REGISTRY
from bot.desk.arguments import Argument, ArgumentType
from bot.desk.command_spec import CommandSpec
from bot.i18n import Words
from bot.i18n import words as words_for
from bot.on_discord.registration import LOCALES
from rules import GAMES

_COMMAND: Final = re.compile(
    rf"(?<![\w/:.<\\-])/({'|'.join(REGISTRY.specs)})(?![\w/-])((?: (?:#|\\?@)?\w(?:[\w:,|+/-]*\w)?)*)"
)
"""A command, and the words after it, which may be its arguments or may go on with the sentence."""

_MOVE: Final = re.compile(r"L|n|x?[a-z][0-9]{1,2}(?:-[a-z][0-9]{1,2})*", re.ASCII)
_CODE: Final = re.compile(r"#[a-z0-9]{6}", re.ASCII)
_LENGTH: Final = re.compile(r"off|[0-9]+d", re.ASCII)
_BEFORE: Final = ("\n", " · ")
_ENTRY: Final = " —"
"""What stands before and after a command that a list is about."""


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
    """Return the arguments of an example by name, as a menu has them filled in, and what follows them."""
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
    """Return an argument's name and value where a word is one: of a choice its label, of a switch a truth value."""
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
