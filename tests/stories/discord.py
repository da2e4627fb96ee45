"""Stories told on Discord: the same lines, typed and pressed as Discord lets people type and press.

What it does not allow is left out: text that is no command reaches no bot, and a client sends no
command that there is not. A platform that asks before it does something is answered yes.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from bot.chat.arguments import Argument, ArgumentType, CommandSpec
from bot.chat.callback_data import CallbackData, Verb
from bot.chat.errors import CommandError
from bot.chat.game_words import find_game
from bot.chat.grammar import Command, like_a_move, read
from bot.chat.i18n import read_language
from bot.chat.presenting.selection import Selection, follow
from bot.chat.thinking import Thinker
from bot.chat.view import Message, Person, View
from bot.features.commands import REGISTRY
from bot.features.matches.orders import seat_called
from bot.platforms.discord.rendering import paragraphs
from play.match import Match
from rules import GAMES
from tests.bot.chat.thinking.workers import Inline
from tests.platforms.discord.harness import DiscordHarness, Settled
from tests.platforms.discord.people import CannotDo
from tests.platforms.discord.server import Discord
from tests.platforms.discord.world import Channel, Guild
from tests.platforms.discord.world import Message as Shown
from tests.stories.console import BEGIN, MINUTE, Dealt, Evening, fired
from tests.stories.script import PARLOUR, EventCodes, Presses, Says, Step, Story, Waits
from tests.support.services import edited

LOCALES: Final = {"en": "en-US", "uk": "uk", "ru": "ru"}
ROOMS: Final = (PARLOUR, "hall", "yard", "attic", "cellar", "barn")
NAMES: Final = ("ann", "bob", "cem", "dan", "eve", "fay", "gus")
_ID: Final = re.compile(r"[0-9]{15,20}|(?<=#)[a-z0-9]{6}\b")
_PLAYS: Final = 3  # how the button looks that plays what was picked
ANYONE: Final = ("anyone", "anybody", "everyone")


@dataclass(slots=True)
class Told:
    """A step on the console: what was pressed, what was said because of it, and which matches it made."""

    step: Step
    pressed: CallbackData | None = None
    line: str | None = None
    said: list[Message] = field(default_factory=list)
    made: tuple[str, ...] = ()


class Recorded(Evening):
    """An evening on the console, with each of its steps kept."""

    def __init__(self, language: str) -> None:
        super().__init__(language)
        self.steps: list[Told] = []
        self._step: Told | None = None
        self._known: set[str] = set()

    async def play(self, story: Story) -> list[Told]:
        """Every step."""
        for step, _ in story.steps:
            self._step = Told(step)
            self.steps.append(self._step)
            if isinstance(step, Waits):
                await self._wait(self.now + step.time)
            else:
                self.now += MINUTE
                await self._do(step)
            self._step.made = tuple(code for code in self.store.matches.stored if code not in self._known)
            self._known |= set(self._step.made)
        return self.steps

    async def _do(self, step: Says | Presses) -> None:
        assert self._step is not None
        if isinstance(step, Presses):
            self._step.pressed = self.pressed(step)
            self._step.line = await self.line_said(self._step.pressed)
        await super()._do(step)

    def _note(self, said: Sequence[Message]) -> None:
        assert self._step is not None
        self._step.said += said
        super()._note(said)


@dataclass(slots=True)
class _Typed:
    """What stands after a command's name, as far as nothing has taken it yet."""

    words: list[str]
    options: dict[str, str]
    command: Command


def _labels(message: Shown) -> list[str]:
    """Return what can be pressed and chosen under a message."""
    options = (option["label"] for each in message.pressed() for option in each.get("options") or ())
    return [*(each.get("label") or each.get("placeholder") or "" for each in message.pressed()), *options]


class DiscordEvening:
    """The same evening on Discord."""

    def __init__(self, language: str, *, over_http: bool = False) -> None:
        self.language = language
        channels = [Channel(name=room) for room in ROOMS]
        self.discord = Discord(Guild("Evening", channels=channels))
        self.home = DiscordHarness(
            language,
            chance=Dealt(),
            discord=self.discord,
            clock=lambda: self.home.now,
            thinker=Thinker(Inline()),
            over_http=over_http,
            live=True,
        )
        self.home.now = BEGIN
        self.missing: list[tuple[Step, str]] = []  # said on the console, and not here
        self.labels: set[str] = (
            set()
        )  # of all buttons that could be pressed, and all entries that could be chosen
        self._file = ""
        self.codes: dict[str, str] = {}  # of the console's matches: which they are here
        self.events = EventCodes(self.home.store.events)

    async def tell(self, steps: Sequence[Told], after: Callable[[], Awaitable[None]] | None = None) -> None:
        """Do what is done, and look at what everybody sees; do something `after` each step."""
        async with self.discord, self.home:
            for index, told in enumerate(steps):
                step = told.step
                if isinstance(step, Waits):
                    async for _ in fired(self.home, self.home.now + step.time):
                        await self.home.settle()
                else:
                    self.home.now += MINUTE
                    following = steps[index + 1] if index + 1 < len(steps) else None
                    before = steps[index - 1] if index else None
                    try:
                        await self._do(told, before, following)
                    except CannotDo:  # impossible there: left out
                        continue
                self._meet(told.made)
                await edited(self.home.services, self.home.platform.courier)
                self._compare(told)
                if after is not None:
                    await after()

    def matches(self) -> Iterable[Match]:
        """Every match, the last one to change last."""
        return self.home.matches.values()

    def transcript(self) -> list[str]:
        """Return all that was written, edited and shown to one person, with ids and codes by the order in which they come."""
        named: dict[str, str] = {}
        said: list[str] = []
        for channel in self.discord.channels.values():
            said += (words for _, words in channel.history)
            said += (f"{each.words} {_labels(each)}" for each in channel.messages.values())
        return [_ID.sub(lambda found: named.setdefault(found[0], f"<{len(named)}>"), each) for each in said]

    def announced(self) -> str:
        """See `Reading.announced`."""
        shown = reversed(self.home.guild.channels[0].messages.values())
        last = next(each for each in shown if each.only is None and each.attachments)
        return "\n".join((last.words, *(file.get("description") or "" for file in last.attachments)))

    async def in_words(self, name: str) -> str:
        """See `Reading.in_words`."""
        who = self._person(name, PARLOUR)
        await who.types("board", how="words")
        return who.private()[-1].words

    def _meet(self, made: Sequence[str]) -> None:
        """A request that could come twice has a code of its own here: know the matches by their order."""
        new = [code for code in self.home.matches if code not in self.codes.values()]
        assert len(new) == len(made), (new, made)
        self.codes.update(zip(made, new, strict=True))

    def _here(self, text: str) -> str:
        """Text of the console with the codes as they are here; shortened ones in full."""

        def code(found: re.Match[str]) -> str:
            fits = [here for there, here in self.codes.items() if there.startswith(found[1])]
            return f"#{fits[0]}" if len(fits) == 1 else found[0]

        return re.sub(r"#([a-z0-9]{2,6})", code, self.events.here(text))

    def _renamed(self, data: CallbackData) -> CallbackData:
        return self.events.renamed(replace(data, match=self.codes.get(data.match, data.match)))

    async def _do(self, told: Told, before: Told | None, after: Told | None) -> None:
        step = told.step
        assert isinstance(step, Says | Presses)
        who = self._person(step.who, step.where)
        if told.line is not None:  # a client may have no use for the question
            await self._say(who, Says(step.who, step.where, told.line), after)
        elif isinstance(step, Presses):
            await self._press(who, told, before)
        else:
            await self._say(who, step, after)
        for shown in who.sees():
            for name, content in shown.files.items():
                if name.endswith(".txt"):
                    self._file = content.decode()

    async def _press(self, who: Settled, told: Told, before: Told | None) -> None:
        assert isinstance(told.step, Presses)
        if told.pressed is None:
            raise CannotDo("there is no such button")
        talk = before.step if before else None
        if isinstance(talk, Says) and not talk.text.startswith("/") and talk.who == who.user.name:
            pressed = self._renamed(told.pressed)
            await who.types("move", move=pressed.argument, match=pressed.match)
            return
        if (at_once := self._plays(who, self._renamed(told.pressed))) is not None:
            await who.presses(*at_once)
            return
        await self._tap(who, self._renamed(told.pressed).pack(), late=bool(told.step.back))
        sure = self._asked(who, told.pressed)
        if sure is not None:
            await who.presses(sure[0], sure[1])

    async def _tap(self, who: Settled, packed: str, *, late: bool) -> None:
        """Press a button, or choose the spec, wherever it is; one that is folded only if it is pressed `late`."""
        for shown in reversed(who.sees()):
            if packed in [each.get("custom_id") for each in shown.pressed() if not each.get("disabled")]:
                await who.presses(shown, packed)
                return
            selects = [each["options"] for each in shown.pressed() if each["type"] == 3]
            for number, options in enumerate(selects):
                if packed in [option["value"] for option in options]:
                    await who.chooses(shown, packed, number)
                    return
        assert late, f"no button claims {packed}"
        await who.presses(who.sees()[-1], packed, forged=True)

    def _asked(self, who: Settled, pressed: CallbackData) -> tuple[Shown, str] | None:
        """The picker, and the id of the button that plays what is picked, if a press has led to it."""
        if pressed.verb not in (Verb.STEP, Verb.MOVE):
            return None
        for shown in reversed(who.private()):
            for each in shown.pressed():
                try:
                    data = CallbackData.unpack(each.get("custom_id", ""))
                except ValueError:
                    continue
                match = self.home.matches.get(data.match)
                fresh = match is not None and match.live and data.seen == match.revision
                plays = data.verb is Verb.MOVE and data.argument and each["style"] == _PLAYS
                if (
                    match is not None
                    and fresh
                    and plays
                    and self._picks(pressed, match) in ("", data.argument)
                ):
                    return shown, each["custom_id"]
        return None

    def _plays(self, who: Settled, pressed: CallbackData) -> tuple[Shown, str] | None:
        """The button that plays at once what the room played when this was pressed."""
        match = self.home.matches.get(pressed.match)
        if match is None or pressed.verb is not Verb.STEP or pressed.seen != match.revision or not match.live:
            return None
        play = replace(pressed, verb=Verb.MOVE, argument=self._picks(pressed, match) or "-")
        ids = (
            (shown, each.get("custom_id")) for shown in reversed(who.private()) for each in shown.pressed()
        )
        return next(((shown, packed) for shown, packed in ids if packed == play.pack()), None)

    def _picks(self, pressed: CallbackData, match: Match) -> str | None:
        """What the room played when this was pressed: None if it only picked; nothing if it is no step."""
        if pressed.verb is not Verb.STEP:
            return ""
        start = self.home.services.table.position(match)
        return follow(GAMES[match.game], start, Selection.read(pressed.argument)).selection.moves or None

    async def _say(self, who: Settled, step: Says, after: Told | None) -> None:
        text = self._here(step.text).replace("{file}", self._file)
        if not text.startswith("/"):
            answered = after is not None and isinstance(after.step, Presses) and after.step.who == step.who
            if like_a_move(text) and answered:
                return  # the press that follows says it
            raise CannotDo("talk reaches no bot")
        if text.startswith("/if "):
            text = f"/plan {text[1:]}"
        try:
            command = read(text)
        except CommandError as error:
            raise CannotDo(str(error)) from None
        spec = REGISTRY.find(command.name) if command else None
        if command is None or spec is None:
            raise CannotDo(f"there is no command {text}")
        await who.types(spec.name, **self._options(spec, command))

    def _options(self, spec: CommandSpec, command: Command) -> dict[str, object]:
        """The arguments of a slash command that say what was typed."""
        if spec.name == "import":
            return {"file": ("match.txt", command.rest.encode())} if command.rest else {}
        typed = _Typed(list(command.words), dict(command.options), command)
        given = {argument.name: self._given(argument, typed) for argument in spec.arguments}
        if typed.words or typed.options:
            raise CannotDo(f"nothing takes {typed.words} {typed.options}")
        return {name: value for name, value in given.items() if value not in (None, "")}

    def _given(self, argument: Argument, typed: _Typed) -> object:
        """What one argument is given of what was typed; that is taken away."""
        if argument.type is ArgumentType.MATCH:
            return typed.command.code
        if argument.named:
            return _chosen(argument, typed.options.pop(argument.name, None))
        return {
            ArgumentType.PERSON: self._named_person,
            ArgumentType.GAME: _game,
            ArgumentType.SWITCH: _switch,
            ArgumentType.OPTIONS: self._all_options,
            ArgumentType.CHOICE: _choice,
        }.get(argument.type, _whole)(argument, typed)

    def _named_person(self, _argument: Argument, typed: _Typed) -> object:
        first = typed.words[0].removeprefix("@").casefold() if typed.words else ""
        if first in ANYONE:
            typed.words.pop(0)
        elif first == "klop":
            typed.words.pop(0)
            return self.discord.bot
        elif typed.words and typed.words[0] in NAMES:
            return self._person(typed.words.pop(0), PARLOUR).user
        return None

    def _all_options(self, _argument: Argument, typed: _Typed) -> object:
        pairs = [f'{key}:"{value}"' for key, value in typed.options.items()]
        said = [*map(self._mention, typed.words), *pairs]
        typed.options.clear()
        typed.words.clear()
        return " ".join(said)

    def _mention(self, word: str) -> str:
        return f"<@{self._person(word, PARLOUR).user.id}>" if word in NAMES else word

    def _person(self, name: str, room: str) -> Settled:
        channel = self.home.guild.channels[ROOMS.index(room)]
        user = self.discord.named(name, name, LOCALES[self.language])
        self.home.guild.admins.add(user.id)  # in the local room, too, everybody runs it
        return Settled(self.home, user, channel)

    def _compare(self, told: Told) -> None:
        """What everybody saw on the console, everybody sees here: the same words, in the same rooms."""
        every = [each for shown in self.discord.all_messages() for each in shown.pressed()]
        self.labels |= {each["label"] for each in every if each["type"] == 2 and not each.get("disabled")}
        self.labels |= {option["label"] for each in every for option in each.get("options", ())}
        public = [message for message in told.said if not isinstance(message.to, Person)]
        if isinstance(told.step, Waits):  # only the last of several changes of a card is certain to be seen
            public = [*{(message.to, message.view.lines[:1]): message for message in public}.values()]
        for message in public:
            assert not isinstance(message.to, Person)
            channel = self.home.guild.channels[ROOMS.index(message.to.place)]
            seen = "\n".join(_plain(shown.words) for shown in channel.messages.values() if shown.only is None)
            commands = self.home.platform.courier.commands_in(message.view, message.view.language)
            lines = self._here(_plain(commands(paragraphs(_lines(message.view))))).split("\n")
            self.missing += [(told.step, line) for line in lines if line not in seen]


def _game(_argument: Argument, typed: _Typed) -> object:
    for word in typed.words:
        if game := find_game(GAMES, word):
            typed.words.remove(word)
            return game.key
    return None


def _switch(argument: Argument, typed: _Typed) -> object:
    if argument.words[0] not in typed.words:
        return None
    typed.words.remove(argument.words[0])
    return True


def _choice(argument: Argument, typed: _Typed) -> object:
    if not typed.words:
        return None
    try:
        chosen = _chosen(argument, typed.words[0])
    except CannotDo:
        return None  # a text after it may take the word
    typed.words.pop(0)
    return chosen


def _whole(_argument: Argument, typed: _Typed) -> object:
    all_left = len(typed.words) == len(typed.command.words)
    said = typed.command.rest if all_left else " ".join(typed.words)
    typed.words.clear()
    typed.options.clear()
    return said


def _chosen(argument: Argument, value: str | None) -> str | None:
    """The word of a choice that is meant, where it was typed in another way."""
    if value is None or not argument.words or value in argument.words:
        return value
    seats = ("", "first", "second")
    for game in GAMES.values():
        seat = seat_called(game, value)
        if seat.isdecimal() and seats[1] in argument.words:
            return seats[int(seat)]
    if language := read_language(value):
        return language
    raise CannotDo(f"{value} is not offered")


def _plain(words: str) -> str:
    return words.replace("\\", "")


def _lines(view: View) -> list[str]:
    last = view.untimed if view.deadline is not None and view.untimed else view.after
    return [*view.lines, *(line.text for line in view.roster), *last]
