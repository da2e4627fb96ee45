"""Error handling: a refusal by the rules, the table, the store or the desk becomes one private message."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from bot.callback_data import CallbackData, Verb
from bot.desk import corrections
from bot.desk.context import Context
from bot.desk.errors import BadCommand, CommandError, InMatch, in_match
from bot.desk.match_lookup import Retry, SeveralFit
from bot.desk.spelling import every_meaning, legal_readings
from bot.presenter import boards, picking, refusals
from bot.presenter.refusals import MAX_CANDIDATES
from bot.view import Message, View
from play.errors import BadMoveList, PlayError, Unavailable
from play.match import Match, Phase
from rules.core import AmbiguousMove, RulesError, quoted
from storage import StorageError

_LONGEST: Final = 200  # characters of a field, such as a list of everything there is to choose from


async def guarded(
    context: Context, handled: Awaitable[Sequence[Message]], pressed: CallbackData | None = None
) -> Sequence[Message]:
    """Return the messages of a handler at work, or of its refusal; that of a pressed button shows the match as it is.

    Raises:
        Unavailable: the store does not answer, and the request is handled again.
    """
    secret = False
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
        if context.visitor.retried and isinstance(refusal, Unavailable):
            raise
        view = _plainly(context, refusal)
        if meant := await _meant(context, refusal):
            return [await corrections.question(context, meant, *view.lines)]
        secret = refusal.reason is BadCommand.PLAYED_ELSEWHERE
    if pressed and not view.buttons:
        view = await _as_it_stands(context, pressed.match, view)
    return [context.private(view, refused=True, secret=secret)]


async def _meant(
    context: Context, refusal: RulesError | PlayError | CommandError | StorageError
) -> Sequence[str]:
    """Return the lines that were probably meant; none while the store is out of reach."""
    with suppress(PlayError, StorageError):
        if not isinstance(refusal, StorageError):
            return await corrections.corrected(context, refusal)
    return ()


def _plainly(context: Context, refusal: RulesError | PlayError | CommandError | StorageError) -> View:
    fields = seen(refusal.fields)
    if refusal.reason is BadCommand.UNKNOWN_WORD:
        name = context.command.name
        fields["page"] = f"/help {name}" if name in context.commands else "/help"
    lines = [context.words(refusal.reason, **fields)]
    if isinstance(refusal, BadMoveList) and refusal.because:
        lines.append(context.words(refusal.because.reason, **seen(refusal.because.fields)))
    return View(lines=tuple(lines))


def _in_match(context: Context, match: Match, refusal: RulesError | PlayError) -> View:
    if isinstance(refusal, AmbiguousMove):
        return refusals.candidates(context.present(match), refusal)
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
    """Return the argument of a button for one of several matches: a typed move in the game's own notation, which is ASCII.

    Of a move that can be read in several ways, nothing: it is picked step by step.
    """
    if retry.verb is not Verb.MOVE or not retry.argument:
        return retry.argument
    if others := other_readings(context, match, retry.argument):
        return others[0] if len(others) == 1 else ""
    notation = context.game(match).notation
    try:
        moves = notation.parse(retry.argument, context.course(match).position)
    except RulesError:
        return retry.argument
    return " ".join(map(notation.format, moves))


def other_readings(context: Context, match: Match, text: str) -> Sequence[str]:
    """Return the legal moves that a text with Cyrillic letters may stand for, if it does not plainly say one."""
    return legal_readings(context.game(match), context.course(match).position, text)


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

    Raises:
        InMatch: the move is not legal.
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
    return [context.private(picking.untold(offered, text, context.words), refused=True)]
