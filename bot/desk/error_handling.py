"""Error handling: a refusal by the rules, the table, the store or the desk becomes one private message."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from bot.callback_data import CallbackData, Verb
from bot.desk.context import Context
from bot.desk.errors import BadCommand, CommandError, InMatch
from bot.desk.match_lookup import Retry, SeveralFit
from bot.presenter import boards, refusals
from bot.view import Message, View
from play.errors import PlayError
from play.match import Match, Phase
from rules.core import AmbiguousMove, RulesError, quoted
from storage import StorageError

_LONGEST: Final = 200  # characters of a field, such as a list of everything there is to choose from


async def guarded(
    context: Context, handled: Awaitable[Sequence[Message]], pressed: CallbackData | None = None
) -> Sequence[Message]:
    """Return the messages of a handler at work, or of its refusal; that of a pressed button shows the match as it is."""
    try:
        return await handled
    except InMatch as raised:
        try:
            view = _in_match(context, raised.match, raised.refusal)
        except (RulesError, PlayError):  # a match that cannot be replayed has no board to explain with
            view = _plainly(context, raised.refusal)
    except SeveralFit as several:
        view = _several(context, several)
    except (RulesError, PlayError, CommandError, StorageError) as refusal:
        view = _plainly(context, refusal)
    if pressed and not view.buttons:
        view = await _as_it_stands(context, pressed.match, view)
    return [context.private(view)]


def _plainly(context: Context, refusal: RulesError | PlayError | CommandError | StorageError) -> View:
    fields = seen(refusal.fields)
    if refusal.reason is BadCommand.UNKNOWN_WORD:
        name = context.command.name
        fields["page"] = f"/help {name}" if name in context.commands else "/help"
    return View(lines=(context.words(refusal.reason, **fields),))


def _in_match(context: Context, match: Match, refusal: RulesError | PlayError) -> View:
    if isinstance(refusal, AmbiguousMove):
        presentation = replace(context.present(match), now=context.table.as_of(match))
        return refusals.candidates(presentation, refusal)
    game, course = context.game(match), context.course(match)
    said = context.words(refusal.reason, **seen(context.names(match).named(refusal.fields)))
    if isinstance(refusal, RulesError):
        return refusals.in_match(context.words, said, game, course.position)
    return View(lines=(said,))


def seen(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return fields without invisible characters: some quote what was typed."""
    return {
        name: quoted(value, _LONGEST) if isinstance(value, str) else value for name, value in fields.items()
    }


def _several(context: Context, several: SeveralFit) -> View:
    offered = []
    for match in several.matches:
        argument = spelled(context, match, several.retry)
        data = CallbackData(several.retry.verb, match.id, match.revision, argument)
        offered.append((context.names(match), data))
    typed = context.visitor.alone and context.command.name
    example = context.with_code(several.matches[0]) if typed else ""
    return refusals.several(offered, context.words, example=example)


def spelled(context: Context, match: Match, retry: Retry) -> str:
    """Return the argument of a button for one of several matches: a typed move in the game's own notation, which is ASCII."""
    if retry.verb is not Verb.MOVE or not retry.argument:
        return retry.argument
    notation = context.game(match).notation
    try:
        moves = notation.parse(retry.argument, context.course(match).position)
    except RulesError:
        return retry.argument
    return " ".join(map(notation.format, moves))


def _can(context: Context, match: Match, verb: Verb) -> bool:
    """Whether the visitor can use a button of an invitation."""
    finder = context.finder
    match verb:
        case Verb.ACCEPT | Verb.DECLINE:
            return finder.for_me(match)
        case Verb.JOIN:
            return finder.joinable(match)
        case Verb.START:
            return finder.hosted(match)
        case Verb.LEAVE:
            return finder.hosted(match) or finder.entered(match)
        case _:
            return True


async def _as_it_stands(context: Context, code: str, refused: View) -> View:
    try:
        match = await context.table.get(code)
        board = boards.show(context.present(match))
    except (PlayError, RulesError, StorageError):
        return refused  # there is no such match, or it cannot be read
    buttons = [
        each for each in board.buttons if match.phase is Phase.OPEN and _can(context, match, each.data.verb)
    ]
    lines = (*refused.lines, *board.lines)
    board = boards.for_one(board, match, context.asker, context.visitor.account)
    return replace(board, lines=lines, buttons=tuple(buttons))
