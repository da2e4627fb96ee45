"""What a command is called, what it takes and who may use it; platforms register it and help cards list it from this.

Its words are in the catalogues: `bot.slash.<command>.name` is its name where names are localised (lower case, one word),
`bot.slash.<command>.what` says what it does in at most 100 characters, `bot.help.<command>` is its help page. Each
argument has the same two under `bot.slash.arg.<argument>`, each word of a choice its label (`Argument.label`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final

from bot.desk.arguments import Argument, ArgumentType
from bot.i18n import LANGUAGES
from bot.i18n import words as words_for
from bot.quotas import COMMANDS, Rate


class Access(StrEnum):
    """Who may use a command."""

    EVERYONE = "everyone"
    ADMINS = "admins"


class HelpTopic(StrEnum):
    """The page of `/help` that lists a command, by its key: `bot.help.topic.<topic>` is its title."""

    BASICS = "basics"
    INVITATIONS = "invitations"
    MATCH = "match"
    REVIEW = "review"
    TOGETHER = "together"
    OPTIONS = "options"


@dataclass(frozen=True, slots=True, eq=False)  # each is declared once, and looked up for every line
class CommandSpec:
    """A command as it is declared.

    Attributes:
        name: Lower-case letters, without the slash.
        topic: Where the help lists it.
        arguments: In the order in which menus offer them.
        access: Who may use it.
        aliases: Other names that are typed for it; menus do not offer them.
        cost: The quota that each use counts for, beside that of all commands; None: it is never dropped.
        finishing: Whether a player whom the admins keep out of a chat needs it there to finish a match, or to get out of
            an invitation; None: not decided yet, so that it is refused.
    """

    name: str
    topic: HelpTopic
    arguments: tuple[Argument, ...] = ()
    access: Access = Access.EVERYONE
    aliases: tuple[str, ...] = ()
    cost: Rate | None = COMMANDS
    finishing: bool | None = None

    @property
    def keys(self) -> Iterator[str]:
        """The keys of its words in the catalogue of slash commands."""
        yield from (f"bot.slash.{self.name}.name", f"bot.slash.{self.name}.what")
        for argument in self.arguments:
            yield from (f"bot.slash.arg.{argument.name}.name", argument.what)
            if argument.type is ArgumentType.CHOICE:
                yield from map(argument.label, argument.words)


@dataclass(frozen=True, slots=True)
class ButtonSpec:
    """A button as it is declared; see `CommandSpec`."""

    cost: Rate | None = COMMANDS
    access: Access = Access.EVERYONE
    finishing: bool | None = None


def argument_names(spec: CommandSpec) -> Mapping[str, str]:
    """Return the names of a command's named arguments by what is typed for them in each language."""
    return {
        name: argument.name
        for argument in spec.arguments
        if argument.named
        for name in (argument.name, *in_all_languages(f"bot.slash.arg.{argument.name}.name"))
    }


def in_all_languages(key: str) -> list[str]:
    """Return what a key says in each language that has it."""
    return [words(key) for words in map(words_for, LANGUAGES) if words.has(key)]


@lru_cache(maxsize=4)
def names_of(specs: tuple[CommandSpec, ...]) -> Mapping[str, CommandSpec]:
    """Return commands by all that is typed for them: names, aliases, and the names in each language."""
    called = {name: spec for spec in specs for name in (spec.name, *spec.aliases)}
    for spec in specs:
        for name in in_all_languages(f"bot.slash.{spec.name}.name"):
            called.setdefault(name.casefold(), spec)
    return called


@dataclass(frozen=True, slots=True)
class HelpPage:
    """A page that is about no single command.

    Attributes:
        topic: The topic that leads to it.
        called: What can be typed for it.
        about: The commands whose own pages lead to it.
    """

    topic: HelpTopic
    called: frozenset[str]
    about: frozenset[str] = frozenset()


PAGES: Final[Mapping[str, HelpPage]] = {
    "clock": HelpPage(
        HelpTopic.MATCH,
        frozenset({"clock", "clocks", "time", "годинник", "час", "контроль", "часы", "время"}),
        frozenset({"challenge", "new", "claim", "pause", "vacation"}),
    ),
    "plan": HelpPage(
        HelpTopic.MATCH, frozenset({"plan", "plans", "if", "план", "плани", "планы", "якщо", "если"})
    ),
    "engines": HelpPage(
        HelpTopic.INVITATIONS,
        frozenset(
            {
                *("engines", "engine", "bots", "bot", "level", "levels"),
                *("рушії", "рушій", "боти", "бот", "рівні"),
                *("движки", "движок", "боты", "уровни"),
            }
        ),
        frozenset({"challenge", "new", "seat", "substitute"}),
    ),
}
"""The pages by their keys: `bot.help.page.<page>` is the text, `bot.help.label.<page>` the label of its button."""
