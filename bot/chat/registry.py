"""Registry of commands and buttons: each is declared once, with a decorator on its handler; and of what runs beside the sender."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from typing import Any, Concatenate, Final, Generic, Literal, ParamSpec, TypeAlias, TypeVar

from bot.chat.arguments import Access, Argument, ArgumentType, ButtonSpec, CommandSpec, HelpTopic, names_of
from bot.chat.callback_data import CallbackData, Verb
from bot.chat.context import Context
from bot.chat.grammar import NO, YES, Command, like_a_move, name_in, read, split
from bot.chat.i18n import Words
from bot.chat.presenting.captions import OwnerNames
from bot.chat.presenting.naming import Presentation
from bot.chat.quotas import COMMANDS, FREE, Quota
from bot.chat.sending.delivery import Delivery
from bot.chat.sending.ports import Courier
from bot.chat.sending.sender import DeliveryHook, FactHook
from bot.chat.services import Services
from bot.chat.view import Button, Message, View, ViewKind
from play.facts import Fact
from play.match import Match
from play.people import Account, Address
from play.replay import Course
from play.settings import Settings
from play.table import Table
from rules.core import AnyGame, Diagram
from storage.ports import FullStore

CommandHandler: TypeAlias = Callable[[Context], Awaitable[Sequence[Message]]]
"""Carries out a command and returns the answers."""

ButtonHandler: TypeAlias = Callable[[Context, CallbackData], Awaitable[Sequence[Message]]]
"""Carries out a press and returns the answers."""

PeriodicStep: TypeAlias = Callable[[Services, Delivery, Mapping[str, Courier]], Awaitable[object]]
"""A step that a process with a sender takes again and again; it may deliver messages of its own by the couriers of the platforms."""


_C = TypeVar("_C", bound=CommandHandler)
_B = TypeVar("_B", bound=ButtonHandler)
_S = TypeVar("_S", bound=PeriodicStep)
P = ParamSpec("P")
R = TypeVar("R")
_BLANK: Final = " "


class Registry:
    """Commands and buttons with their handlers.

    A module of handlers has one named `registry` and decorates its handlers with it; `bot.features.commands` finds and joins them.

    Attributes:
        specs: The commands by name, in the order of menus and help pages.
        handlers: Those of commands by name and by alias.
        pressed: The names of the commands that buttons run, by their verbs.
        hooks: What makes the hooks of the sender on facts and deliveries.
        periodic: What is done beside the sender: names, seconds between two steps, and the steps.
        composing: What makes what the composer asks features, by the names of its parameters.
    """

    def __init__(self, parts: Sequence[Registry] = (), order: Sequence[str] = ()) -> None:
        """Join registries, in the `order` of the names of their commands; those without a command in it stand last."""
        self.specs: dict[str, CommandSpec] = {}
        self.buttons: dict[Verb, ButtonHandler] = {}
        self.pressed: dict[Verb, str] = {}
        self.button_specs: dict[Verb, ButtonSpec] = {}
        self.handlers: dict[str, CommandHandler] = {}
        self.hooks: list[Callable[[Services], FactHook | DeliveryHook]] = []
        self.periodic: list[tuple[str, float, PeriodicStep]] = []
        self.composing: dict[str, Callable[[Services], Any]] = {}

        def place(part: Registry) -> int:
            return min((order.index(name) for name in part.specs if name in order), default=len(order))

        for part in sorted(parts, key=place):
            for spec in part.specs.values():
                self._add(spec, part.handlers[spec.name])
            for verb, handler in part.buttons.items():
                self._add_button(verb, handler, part.button_specs[verb])
            self.pressed |= part.pressed
            self.hooks += part.hooks
            self.periodic += part.periodic
            self.composing |= part.composing

    def command(
        self,
        name: str,
        *arguments: Argument,
        topic: HelpTopic,
        access: Access = Access.EVERYONE,
        aliases: tuple[str, ...] = (),
        button: Verb | None = None,
        cost: Quota | None = COMMANDS,
        finishing: bool | None = None,
        kind: ViewKind = ViewKind.NOTE,
    ) -> Callable[[_C], _C]:
        """Return a decorator that declares its function as the handler of a command; see `CommandSpec`.

        A press of its `button` runs the command with the code of the button's match, and with the argument as what is typed
        after it.
        """
        spec = CommandSpec(name, topic, arguments, access, aliases, cost, finishing)

        def declare(handler: _C) -> _C:
            self._add(spec, _metered(handler, cost))
            if button is not None:
                self.pressed[button] = name
                pressed = ButtonSpec(cost, access, finishing, kind)
                self._add_button(button, _metered(lambda context, _button: handler(context), cost), pressed)
            return handler

        return declare

    def button(
        self,
        *verbs: Verb,
        cost: Quota | None = COMMANDS,
        finishing: bool | None = None,
        kind: ViewKind = ViewKind.NOTE,
    ) -> Callable[[_B], _B]:
        """Return a decorator that declares its function as the handler of buttons with some verbs; see `CommandSpec`."""
        spec = ButtonSpec(cost, finishing=finishing, kind=kind)

        def declare(handler: _B) -> _B:
            for verb in verbs:
                self._add_button(verb, _metered(handler, cost), spec)
            return handler

        return declare

    def periodically(self, name: str, pause: float) -> Callable[[_S], _S]:
        """Return a decorator that has its function called beside the sender, with so many seconds between."""

        def declare(step: _S) -> _S:
            self.periodic.append((name, pause, step))
            return step

        return declare

    def find(self, name: str) -> CommandSpec | None:
        """Return the command of a typed name, in any of the languages."""
        return names_of(tuple(self.specs.values())).get(name)

    def counts_for(self, asked: str | CallbackData) -> Quota | None:
        """Return the quota that a line or a press counts for before it is handled."""
        if isinstance(asked, CallbackData):
            return FREE if self.button_specs[asked.verb].cost is FREE else COMMANDS
        name = name_in(asked)
        if name is None:
            return FREE if like_a_move(asked) or asked.strip().casefold() in YES | NO else COMMANDS
        spec = self.find(name)
        return FREE if spec is not None and spec.cost is FREE else COMMANDS

    def command_of(self, button: CallbackData) -> Command:
        """Return the command that a press runs; one without a name, where it runs none."""
        name, text = self.pressed.get(button.verb, ""), button.argument
        return Command(name, button.code, text, *split(text)) if name else Command.of("")

    def typed(self, name: str, values: Mapping[str, str]) -> Command:
        """Return the command that a menu's arguments make, as if it had been typed; an unknown name is refused later.

        A switch is yes unless its text is empty.

        Raises:
            CommandError: it is longer than a command may be.
        """
        spec = self.specs.get(name)
        code, parts = "", []
        for argument in spec.arguments if spec else ():
            value = values.get(argument.name, "").strip()
            if not value:
                continue
            if argument.type is ArgumentType.FILE:
                return Command.of(name, text=value)
            value = _BLANK.join(value.split())
            if argument.type is ArgumentType.SWITCH:
                value = argument.words[0]
            if argument.type is ArgumentType.MATCH:
                code = value
            elif argument.named:
                parts.append(f'{argument.name}:"{value}"' if _BLANK in value else f"{argument.name}:{value}")
            else:
                parts.append(value)
        command = read(_BLANK.join((f"/{name}", *parts)))
        if command is None:
            return Command.of(name)
        if code:
            code = code.removeprefix("#").lower()
            command = Command(name, code, command.rest, command.words, command.options, command.twice)
        return command

    def _add(self, spec: CommandSpec, handler: CommandHandler) -> None:
        for name in (spec.name, *spec.aliases):
            if name in self.handlers:
                raise ValueError(f"the command /{name} is declared twice")
            self.handlers[name] = handler
        self.specs[spec.name] = spec

    def _add_button(self, verb: Verb, handler: ButtonHandler, spec: ButtonSpec) -> None:
        if verb in self.buttons:
            raise ValueError(f"the button {verb.name} is declared twice")
        self.buttons[verb] = handler
        self.button_specs[verb] = spec


def _metered(
    handler: Callable[Concatenate[Context, P], Awaitable[Sequence[Message]]], cost: Quota | None
) -> Callable[Concatenate[Context, P], Awaitable[Sequence[Message]]]:
    """Return a handler that first takes its cost; that of all commands was taken before (`bot.chat.receiving.lanes`)."""
    if cost is FREE or cost is COMMANDS:
        return handler

    @wraps(handler)
    async def handle(context: Context, /, *args: P.args, **kwargs: P.kwargs) -> Sequence[Message]:
        await context.take(cost)
        return await handler(context, *args, **kwargs)

    return handle


class Hook(Generic[P, R]):
    """Functions that features have called at one moment, one after the other, and that may each return something."""

    def __init__(self) -> None:
        self._called: list[Callable[P, Awaitable[R | None]]] = []

    def __call__(self, function: Callable[P, Awaitable[R | None]]) -> Callable[P, Awaitable[R | None]]:
        """Register a function; as a decorator."""
        self._called.append(function)
        return function

    async def all(self, *args: P.args, **kwargs: P.kwargs) -> list[R]:
        """Return what the registered functions return, in the order of their registration."""
        found = [await function(*args, **kwargs) for function in self._called]
        return [each for each in found if each is not None]


@dataclass(frozen=True, slots=True)
class InlineCard:
    """A card that a person can send by way of the bot into a chat without it: its name there, and what it shows."""

    id: str
    label: str
    view: View


@dataclass(frozen=True, slots=True)
class TurningPoint:
    """A turn where a match turned: its number, how many entries the log had after it, whether it lost for sure, and a better one."""

    number: int
    end: int
    sure: bool
    better: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Offered:
    """Something that a person can do beside their matches, for a client that lists it all: words, and a board if it has one.

    Attributes:
        id: Names it among all that is offered, a match or an event by its code.
        press: What opens it; None: its buttons do.
        names: What the owners of pieces on the board are called.
    """

    id: str
    kind: Literal["puzzle", "lesson", "seek", "event"]
    title: str
    state: str = ""
    about: str = ""
    press: CallbackData | None = None
    buttons: Sequence[Button] = ()
    diagram: Diagram | None = None
    names: OwnerNames | None = None
    flipped: bool = False


@dataclass(frozen=True, slots=True)
class Offering:
    """What a feature has for people to do beside their matches.

    Attributes:
        marks: For each person, what is another thing whenever what the feature has for them changes. It is asked for every few
            seconds, and costs one or two round trips for all.
    """

    offered: Callable[[Services, Account, Words], Awaitable[Sequence[Offered]]]
    marks: Callable[[Services, Sequence[Account]], Awaitable[Sequence[object]]]


MATCH_OVER: Final = Hook[[Table, FullStore, Fact], None]()
"""Something has happened in a match that is over then, its end among that; each fact comes at least once."""

OFFERINGS: Final = list[Offering]()
"""Those of all features, which each adds its own."""

SPEAKING: Final = Hook[[Context, str, Exception | None], Context]()
"""A command or a press, by its name or verb, was refused to a visitor who may ask in the name of the place, or names it: as that."""

BOARDS: Final = Hook[[Context, Presentation, View], View]()
"""A board under way is shown to a person: with what they can do there in the name of the place."""

MENUS: Final = Hook[[Context, Presentation], Sequence[Button]]()
"""What can be done in a match besides moving is shown: further buttons of a person who does not play it."""

FORGOTTEN: Final = Hook[[FullStore, Account, Collection[str]], None]()
"""An account with these names is about to be forgotten: delete what `FullStore.forget` does not find."""

POSTS_CHOSEN: Final = Hook[[FullStore, Address, Settings, datetime], None]()
"""What comes to a place by itself, the hour of that or its time zone has been chosen."""

INLINE: Final = Hook[[FullStore, Sequence[AnyGame], Words, datetime], InlineCard]()
"""A person looks for a card to send into a chat without the bot."""

PROFILED: Final = Hook[[FullStore, Account, Words, datetime], str]()
"""A person's profile is shown: a line about them, or None. It comes below their ratings and records."""

STORIES: Final = Hook[[FullStore, Presentation], View]()
"""A match that is over is shown to a person who can ask for nothing: its story, or None where no analysis of it is kept."""

TURNING_POINTS: Final = Hook[[FullStore, Match, Course], Sequence[TurningPoint]]()
"""The moves of a match that is over are shown: its turning points, or None where no analysis of it is kept."""
