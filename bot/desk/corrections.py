"""After a refusal, the command that was probably meant: a question with a button that runs it, never a guess that acts."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final

from bot.callback_data import CallbackData, Verb
from bot.desk.arguments import ArgumentType
from bot.desk.command_spec import PAGES, argument_names, in_all_languages, names_of
from bot.desk.context import Context
from bot.desk.errors import BadCommand, CommandError, SeveralReadings
from bot.desk.game_words import find_game, game_names, option_names, value_names
from bot.desk.nearest import nearest
from bot.desk.registry import Registry
from bot.view import Button, Message, View
from play.errors import PlayError, Refused
from play.people import Account, Player, clean
from rules.core import OptionReason, RulesError, quoted

registry: Final = Registry()

KEPT: Final = timedelta(days=1)
"""How long a line that a button says is stored."""

_LONGEST: Final = 300  # characters of such a line
_LABEL: Final = 60  # characters of its button
_READINGS: Final = 8  # readings that are asked back, at most
_PEOPLE: Final = 16  # people named in it

_TYPED: Final = {
    BadCommand.UNKNOWN: "command",
    BadCommand.UNKNOWN_WORD: "word",
    BadCommand.NO_SUCH_PAGE: "text",
    BadCommand.NO_SUCH_OPTION: "option",
    BadCommand.NO_SUCH_PERSON: "name",
    BadCommand.NEITHER: "word",
    BadCommand.NO_SUCH_GAME_HERE: "text",
    BadCommand.BAD_THEME: "text",
    BadCommand.BAD_LANGUAGE: "text",
    BadCommand.BAD_SWITCH: "text",
    Refused.NO_SUCH_GAME: "game",
    Refused.BAD_SIDE: "side",
    OptionReason.NOT_OFFERED: "value",
    OptionReason.UNKNOWN_PRESET: "preset",
}
"""The field of a refusal that repeats the word that was not understood."""

Forms = Mapping[str, str]
"""What can be typed, and what stands for it in a corrected line."""


async def corrected(context: Context, refusal: CommandError | RulesError | PlayError) -> list[str]:
    """Return the lines that were probably meant by the context's command, the likeliest first."""
    command, reason = context.command, refusal.reason
    if not command.name:
        return []
    if isinstance(refusal, SeveralReadings):
        lines = [_with(command.line, refusal.typed, reading) for reading in refusal.readings[:_READINGS]]
        return [line for line in lines if line]
    if reason is BadCommand.UNKNOWN:
        names = nearest(command.name, names_of(tuple(context.commands.values())), 2)
        code = f"#{command.code} " if command.code else ""
        return [f"/{name} {code}{command.rest}".strip() for name in names]
    typed: Sequence[str] = [word for word in command.words if not word.startswith("@")]
    if reason in _TYPED:
        typed = (str(refusal.fields.get(_TYPED[reason], "")),)
    elif reason is not BadCommand.WHICH_GAME:
        return []
    forms = await _forms(context, refusal)
    for word in typed:
        for found in nearest(word.removeprefix("@"), forms):
            form = forms[found]
            if line := _with(command.line, word, f'"{form}"' if " " in form else form):
                return [line]
    return []


async def question(context: Context, lines: Sequence[str], *refused: str) -> Message:
    """Return a question whether lines were meant, with buttons that say them; after the words of a refusal."""
    fitting = [line for line in lines if len(line) <= _LONGEST and line.isprintable()]
    buttons = await asyncio.gather(*(saying(context, line) for line in fitting))
    asked = (context.words("bot.did-you-mean"),) if buttons else ()
    return context.private(View(lines=(*refused, *asked), buttons=tuple(buttons)), refused=True)


@registry.button(Verb.SAY, cost=None, finishing=True)
async def _say(context: Context, button: CallbackData) -> Sequence[Message]:
    """Hear a stored line as if the visitor had typed it."""
    (text,) = await context.store.notes.read(_note(button.argument))
    if text is None or context.hear is None:
        raise CommandError(BadCommand.ORDER_FORGOTTEN)
    held = json.loads(text)
    people = {word: Player(Account(platform, uid), name) for word, (platform, uid, name) in held[1].items()}
    found = context.visitor.find
    visitor = replace(
        context.visitor,
        player=Player(context.asker, context.visitor.player.name),
        find=lambda name: people.get(name) or found(name),
    )
    return await context.hear(visitor, held[0])


async def saying(context: Context, line: str, label: str = "") -> Button:
    """Return a button that says a line, which is stored with the people whom it names: a press names none."""
    people: dict[str, Player] = {}
    for word in line.split()[1 : _PEOPLE + 1]:
        name = word.removeprefix("@")
        if player := context.visitor.find(name) or (await _known_people(context)).get(name):
            people[name] = player
    named = {name: (each.account.platform, each.account.uid, each.name) for name, each in people.items()}
    text = json.dumps([line, named], ensure_ascii=False)
    key = hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
    await context.store.notes.write(_note(key), text, keep=KEPT)
    label = label or re.sub(
        r"@(\d+)", lambda found: people[found[1]].name if found[1] in people else found[0], line
    )
    return Button(quoted(clean(label, _LONGEST), _LABEL), CallbackData.without_match(Verb.SAY, key))


def _note(key: str) -> str:
    return f"line:{key[:16]}"


def _with(line: str, typed: str, meant: str) -> str | None:
    """Return a line with typed text replaced; None if that changes nothing."""
    pattern = r"\s+".join(map(re.escape, typed.split()))
    found = re.search(rf"(?<!\w){pattern}(?!\w)", line.partition(" ")[2], re.IGNORECASE)
    if not typed or not found or found[0].casefold() == meant.casefold():
        return None
    at = len(line.partition(" ")[0]) + 1
    return line[: at + found.start()] + meant + line[at + found.end() :]


async def _forms(context: Context, refusal: CommandError | RulesError | PlayError) -> Forms:
    """Return what could have been meant by a word that was not understood."""
    games = context.table.games
    named = [game for word in context.command.words if (game := find_game(games, word))]
    match refusal.reason:
        case BadCommand.NO_SUCH_PAGE:
            return _same(*PAGES, *names_of(tuple(context.commands.values())))
        case BadCommand.WHICH_GAME | BadCommand.NO_SUCH_GAME_HERE | Refused.NO_SUCH_GAME:
            return game_names(games)
        case BadCommand.NO_SUCH_OPTION:
            return {**_arguments(context), **option_names(named or games.values())}
        case BadCommand.NO_SUCH_PERSON | BadCommand.NEITHER:
            people = _same(*await _known_people(context))
            return {**value_names(named or games.values()), **game_names(games), **people}
        case OptionReason.NOT_OFFERED | OptionReason.UNKNOWN_PRESET | Refused.BAD_SIDE:
            known = refusal.fields.get("offered") or refusal.fields.get("known")
            return {**value_names(named), **_same(*(known if isinstance(known, tuple) else ()))}
        case _:
            return {**_arguments(context), **value_names(named)}


def _same(*words: str) -> Forms:
    return {word: word for word in words}


def _arguments(context: Context) -> Forms:
    """Return the names of a command's arguments and the words of its choices, in all languages."""
    spec = context.commands.get(context.command.name)
    if spec is None:
        return {}
    forms = dict(argument_names(spec))
    for argument in spec.arguments:
        if argument.type in (ArgumentType.CHOICE, ArgumentType.SWITCH):
            for word in argument.words:
                forms |= dict.fromkeys((word, *in_all_languages(argument.label(word))), word)
    return forms


async def _known_people(context: Context) -> Mapping[str, Player]:
    """Return the people of the matches here and of the visitor's own, by name."""
    matches = [*await context.here.matches(), *await context.here.own()]
    return {
        player.name: player
        for match in matches
        for player in match.players()
        if player.account.platform == context.visitor.place.platform
    }
