"""Arguments of commands: what each stands for and how it is typed.

What a command is called, what it takes and who may use it; platforms register it and help cards list it from this.

Its words are in the catalogues: `bot.slash.<command>.name` is its name where names are localised (lower case, one word),
`bot.slash.<command>.what` says what it does in at most 100 characters, `bot.help.<command>` is its help page. Each
argument has the same two under `bot.slash.arg.<argument>`, each word of a choice its label (`Argument.label`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from typing import Final

from bot.chat.i18n import LANGUAGES
from bot.chat.i18n import words as words_for
from bot.chat.quotas import COMMANDS, Quota
from bot.chat.view import ViewKind


class ArgumentType(StrEnum):
    """What an argument stands for."""

    PERSON = "person"
    GAME = "game"
    OPTIONS = "options"  # any number of a game's options, as they are typed
    MATCH = "match"  # the code of a match, typed after a `#`
    MOVE = "move"
    CHOICE = "choice"  # one of a few words
    SWITCH = "switch"  # yes or no; yes is typed as its word
    CLOCK = "clock"
    ZONE = "zone"
    HELP_PAGE = "help page"
    TEXT = "text"
    FILE = "file"  # its text


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a command; its name is of lower-case letters."""

    name: str
    type: ArgumentType
    named: bool = False  # typed after its name and a colon
    words: tuple[str, ...] = ()  # of a choice, those to choose from; of a switch, the one for yes
    about: str = ""  # what it is explained as, where its name means something else in other commands

    @property
    def names(self) -> Sequence[str]:
        """All that is typed for it, in each language."""
        return (self.name, *in_all_languages(f"bot.slash.arg.{self.name}.name"))

    @property
    def what(self) -> str:
        """The catalogue key of its explanation."""
        return f"bot.slash.arg.{self.about or self.name}.what"

    @staticmethod
    def label(word: str) -> str:
        """Return the catalogue key of the label of a choice's word; a number is an engine's level."""
        return f"bot.order.level.{word}" if word.isdigit() else f"bot.slash.word.{word}"


def text(name: str, *, named: bool = False) -> Argument:
    """Return an argument of free text."""
    return Argument(name, ArgumentType.TEXT, named)


def choice(name: str, *words: str, named: bool = True) -> Argument:
    """Return an argument whose value is one of some words."""
    return Argument(name, ArgumentType.CHOICE, named, words)


def switch(name: str, word: str, *, named: bool = False) -> Argument:
    """Return an argument that is given or not; a word is typed for it."""
    return Argument(name, ArgumentType.SWITCH, named, (word,))


MATCH: Final = Argument("match", ArgumentType.MATCH)
GAME: Final = Argument("game", ArgumentType.GAME)
OPTIONS: Final = Argument("options", ArgumentType.OPTIONS)
PERSON: Final = Argument("person", ArgumentType.PERSON)
MOVE: Final = Argument("move", ArgumentType.MOVE)
FILE: Final = Argument("file", ArgumentType.FILE)
HELP_PAGE: Final = Argument("topic", ArgumentType.HELP_PAGE)
CLOCK: Final = Argument("clock", ArgumentType.CLOCK, named=True)
ZONE: Final = Argument("zone", ArgumentType.ZONE, named=True)
ANSWER: Final = choice("answer", "yes", "no", named=False)
VOTE: Final = choice("vote", "remove", "yes", "no", named=False)
RATED: Final = switch("rated", "yes", named=True)
ENGINE: Final = choice("engine", *"12345678")
CHANNEL: Final = choice("channel", "vote", "relay")
HERE: Final = switch("here", "here")
PAGE: Final = choice("page", "on", "off")
LINK: Final = "link"  # the word of `/board` for the board page


def without_page(argument: Argument) -> Argument | None:
    """Return an argument as it is offered where there is no board page; None: not at all."""
    if argument == PAGE:
        return None
    return replace(argument, words=tuple(word for word in argument.words if word != LINK))


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
    """A command as it is declared."""

    name: str  # lower-case letters, without the slash
    topic: HelpTopic
    arguments: tuple[Argument, ...] = ()  # in the order in which menus offer them
    access: Access = Access.EVERYONE
    aliases: tuple[str, ...] = ()  # other names that are typed for it; menus do not offer them
    cost: Quota | None = COMMANDS  # what each use counts for, beside all commands; None: it is never dropped
    # Whether a player whom the admins keep out of a chat needs it there to finish a match, or to get out of an
    # invitation; None: not decided yet, so that it is refused.
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
    """A button as it is declared; see `CommandSpec`. Its answers are of its kind, unless they are of another."""

    cost: Quota | None = COMMANDS
    access: Access = Access.EVERYONE
    finishing: bool | None = None
    kind: ViewKind = ViewKind.NOTE


def argument_names(spec: CommandSpec) -> Mapping[str, str]:
    """Return the names of a command's named arguments by what is typed for them in each language."""
    return {name: argument.name for argument in spec.arguments if argument.named for name in argument.names}


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
    """A page that is about no single command."""

    topic: HelpTopic  # leads to it
    called: Sequence[str]  # what can be typed for it
    about: Sequence[str] = ()  # the commands whose own pages lead to it


PAGES: Final[Mapping[str, HelpPage]] = {
    "clock": HelpPage(
        HelpTopic.MATCH,
        ("clock", "clocks", "time", "годинник", "час", "контроль", "часы", "время"),
        ("challenge", "new", "claim", "pause", "vacation"),
    ),
    "plan": HelpPage(HelpTopic.MATCH, ("plan", "plans", "if", "план", "плани", "планы", "якщо", "если")),
    "engines": HelpPage(
        HelpTopic.INVITATIONS,
        (
            *("engines", "engine", "bots", "bot", "level", "levels"),
            *("рушії", "рушій", "боти", "бот", "рівні", "движки", "движок", "боты", "уровни"),
        ),
        ("challenge", "new", "seat", "substitute"),
    ),
}
"""The pages by their keys: `bot.help.page.<page>` is the text, `bot.help.label.<page>` the label of its button."""
