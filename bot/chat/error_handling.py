"""Error handling: a refusal becomes one private message; where another command was probably meant, with a button that runs it."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final

from bot.chat.arguments import PAGES, ArgumentType, argument_names, in_all_languages, names_of
from bot.chat.callback_data import CallbackData, Verb
from bot.chat.context import Context
from bot.chat.errors import BadCommand, CommandError, InMatch, SeveralReadings, in_match
from bot.chat.game_words import find_game, game_names, option_names, value_names
from bot.chat.match_lookup import Retry, SeveralFit, every_meaning, legal_readings
from bot.chat.people import nearest
from bot.chat.presenting import boards, picking
from bot.chat.presenting.picking import MAX_CANDIDATES
from bot.chat.quotas import FREE
from bot.chat.registry import Registry
from bot.chat.view import Button, Message, View, ViewKind
from play.errors import BadMoveList, PlayError, Refused
from play.match import Match, Phase
from play.people import Account, Player, clean
from rules.core import AmbiguousMove, BadNotation, OptionReason, Reason, RulesError, quoted
from storage import StorageError

registry: Final = Registry()

KEPT: Final = timedelta(days=1)  # how long a line that a button says is stored
_LONGEST: Final = 300  # characters of such a line
_LABEL: Final = 60  # characters of its button
_READINGS: Final = 8  # readings that are asked back, at most
_PEOPLE: Final = 16  # people named in it

_FORMS: Final = ("challenge", "new", "seek")  # commands whose questions are of the place

_TYPED: Final[Mapping[Reason, str]] = {
    BadCommand.UNKNOWN: "command",
    **dict.fromkeys((BadCommand.UNKNOWN_WORD, BadCommand.NEITHER), "word"),
    **dict.fromkeys((BadCommand.NO_SUCH_PAGE, BadCommand.NO_SUCH_GAME_HERE, BadCommand.BAD_THEME), "text"),
    **dict.fromkeys((BadCommand.BAD_LANGUAGE, BadCommand.BAD_SWITCH), "text"),
    BadCommand.NO_SUCH_OPTION: "option",
    BadCommand.NO_SUCH_PERSON: "name",
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
    view = View(lines=(*refused, *asked), buttons=tuple(buttons))
    kind = ViewKind.FORM if context.command.name in _FORMS else ViewKind.CHOICE
    return context.private(view, kind if buttons else None, refused=True)


@registry.button(Verb.SAY, cost=FREE, finishing=True, kind=ViewKind.CARD)
async def _say(context: Context, button: CallbackData) -> Sequence[Message]:
    (text,) = await context.store.notes.read(_note(button.argument))
    if text is None:
        raise CommandError(BadCommand.ORDER_FORGOTTEN)
    held = json.loads(text)
    people = {word: Player(Account(platform, uid), name) for word, (platform, uid, name) in held[1].items()}
    asker, found = Player(context.asker, context.visitor.player.name), context.visitor.find
    visitor = replace(context.visitor, player=asker, find=lambda name: people.get(name) or found(name))
    return await context.answer(visitor, held[0])


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
    names = {f"@{name}": player.name for name, player in people.items()}
    label = label or re.sub(r"@\d+", lambda found: names.get(found[0], found[0]), line)
    return Button(quoted(clean(label, _LONGEST), _LABEL), CallbackData.without_match(Verb.SAY, key))


def _note(key: str) -> str:
    return f"line:{key[:16]}"


def _with(line: str, typed: str, meant: str) -> str | None:
    pattern = r"\s+".join(map(re.escape, typed.split()))
    found = re.search(rf"(?<!\w){pattern}(?!\w)", line.partition(" ")[2], re.IGNORECASE)
    if not typed or not found or found[0].casefold() == meant.casefold():
        return None
    at = len(line.partition(" ")[0]) + 1
    return line[: at + found.start()] + meant + line[at + found.end() :]


async def _forms(context: Context, refusal: CommandError | RulesError | PlayError) -> Forms:
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
    matches = [*await context.here.matches(), *await context.here.own()]
    players, platform = (
        (player for match in matches for player in match.players()),
        context.visitor.place.platform,
    )
    return {player.name: player for player in players if player.account.platform == platform}


_LONGEST_FIELD: Final = 200  # characters of a field, such as a list of everything there is to choose from

REFUSALS: Final = (InMatch, SeveralFit, RulesError, PlayError, CommandError, StorageError)
"""What a handler raises to refuse a request."""


async def refused(context: Context, refusal: Exception, pressed: CallbackData | None = None) -> Message:
    """Return the message of one of the `REFUSALS`; that of a pressed button shows the match as it is."""
    secret = False
    if isinstance(refusal, InMatch):
        try:
            view = _in_match(context, refusal.match, refusal.refusal)
        except (RulesError, PlayError):  # a match that cannot be replayed has no board to explain with
            view = _plainly(context, refusal.refusal)
    elif isinstance(refusal, SeveralFit):
        view = _several(context, refusal)
    else:
        assert isinstance(refusal, (RulesError, PlayError, CommandError, StorageError))  # noqa: S101 - the rest of them
        view = _plainly(context, refusal)
        with suppress(PlayError, StorageError):  # no correction while the store is out of reach
            if not isinstance(refusal, StorageError) and (lines := await corrected(context, refusal)):
                return await question(context, lines, *view.lines)
        secret = refusal.reason is BadCommand.PLAYED_ELSEWHERE
    if pressed and not view.buttons:
        view = await _as_it_stands(context, pressed.match, view)
    return context.private(view, refused=True, secret=secret)


def _plainly(context: Context, refusal: RulesError | PlayError | CommandError | StorageError) -> View:
    fields = seen(refusal.fields)
    if refusal.reason is BadCommand.UNKNOWN_WORD:
        name = context.command.name
        fields["page"] = f"/help {name}" if name in context.commands else "/help"
    lines = [context.words(refusal.reason, **fields)]
    if isinstance(refusal, BadNotation):
        lines += (context.words(other.reason, **seen(other.fields)) for other in refusal.also)
    if isinstance(refusal, BadMoveList) and refusal.because:
        lines.append(context.words(refusal.because.reason, **seen(refusal.because.fields)))
    return View(lines=tuple(lines))


def _in_match(context: Context, match: Match, refusal: RulesError | PlayError) -> View:
    if isinstance(refusal, AmbiguousMove):
        return picking.candidates(context.present(match), refusal)
    game, course = context.game(match), context.course(match)
    said = context.words(refusal.reason, **seen(context.names(match).named(refusal.fields)))
    if isinstance(refusal, RulesError):
        return picking.refused_move(context.words, said, game, course.position)
    return View(lines=(said,))


def seen(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return fields without invisible characters: some quote what was typed."""
    texts = {name: quoted(value, _LONGEST_FIELD) for name, value in fields.items() if isinstance(value, str)}
    return {**fields, **texts}


def _several(context: Context, several: SeveralFit) -> View:
    verb, offered = several.retry.verb, []
    for match in several.matches:
        argument = spelled(context, match, several.retry)
        offered.append((context.names(match), CallbackData(verb, match.id, match.revision, argument)))
    typed = context.visitor.alone and context.command.name
    example = context.with_code(several.matches[0]) if typed else ""
    return picking.several(offered, context.words, example=example)


def spelled(context: Context, match: Match, retry: Retry) -> str:
    """Return the argument of a button: a typed move in the game's notation, which is ASCII; nothing where it is ambiguous."""
    if retry.verb is not Verb.MOVE or not retry.argument:
        return retry.argument
    if others := legal_readings(context.game(match), context.course(match).position, retry.argument):
        return others[0] if len(others) == 1 else ""
    notation = context.game(match).notation
    try:
        moves = notation.parse(retry.argument, context.course(match).position)
    except RulesError:
        return retry.argument
    return " ".join(map(notation.format, moves))


async def _as_it_stands(context: Context, code: str, refused: View) -> View:
    try:
        match = await context.table.get(code)
        presentation = context.present(match)
        board = boards.show(presentation)
    except (PlayError, RulesError, StorageError):
        return refused  # there is no such match, or it cannot be read
    board = boards.for_one(board, presentation, context.asker, context.visitor.account)
    buttons = board.buttons if match.phase is Phase.OPEN else ()
    return replace(board, lines=(*refused.lines, *board.lines), buttons=buttons)


async def offer_move(context: Context, text: str) -> Sequence[Message]:
    """Return buttons that play a move typed without its command, in the matches here where it is legal.

    Of a move that is legal in none, why not; nothing where none waits for a move of that notation.
    """
    found = await context.finder.fitting(context.finder.reads(text))
    offered = [
        (context.names(match), CallbackData(Verb.MOVE, match.id, match.revision, move))
        for match in found
        for move in every_meaning(context.game(match), context.course(match).position, text)
    ][:MAX_CANDIDATES]
    if found and not offered:
        with in_match(found[0]):
            context.game(found[0]).notation.parse(text, context.course(found[0]).position)
    if not offered:
        return []
    return [context.private(picking.without_command(offered, text, context.words), refused=True)]
