"""/puzzle: positions to solve by moving."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import partial
from typing import Any, Final

from bot.callback_data import CallbackData, PuzzleStep, Verb
from bot.desk import arguments, corrections
from bot.desk.advice import best_turns
from bot.desk.command_spec import HelpTopic
from bot.desk.context import Context
from bot.desk.errors import CommandError, no_such_word, shown
from bot.desk.game_words import find_game
from bot.desk.registry import Registry
from bot.desk.spelling import legal_readings
from bot.presenter.selection import Selection, follow
from bot.presenter.variations import played
from bot.puzzles import cards, progress, selection
from bot.puzzles.cards import mark_of
from bot.puzzles.daily import Solvers
from bot.puzzles.daily_messages import DailyMessages
from bot.puzzles.library import Library, Posed, day_at
from bot.puzzles.progress import Attempt
from bot.puzzles.solution import solution_of
from bot.quotas import PICTURES
from bot.thinking.jobs import Variation, job_for
from bot.view import Message
from engine.core import Task
from play.people import Address
from rules.core import AnyGame, IllegalMove, Legality, Position, Reason, Seat

registry: Final = Registry()


class PuzzleRefusal(Reason):
    """Why a puzzle command is refused."""

    NO_PUZZLES = "bot.command.no-puzzles"
    NO_PUZZLE_BEGUN = "bot.command.no-puzzle-begun"
    NO_SUCH_PUZZLES = "bot.command.no-such-puzzles"  # text, known
    PUZZLE_ALONE = "bot.command.puzzle-alone"  # word
    PUZZLE_GONE_ON = "bot.command.puzzle-gone-on"


SECONDS: Final = 1.5
"""Seconds of search for the answer to a turn."""

_READINGS: Final = 5  # most readings of a typed turn that are offered

_TODAY: Final = frozenset({"daily", "today", "day", "сьогодні", "день", "дня", "сегодня"})
_SOLUTION: Final = frozenset({"solution", "розв’язок", "розв'язок", "решение", "show", "відповідь", "ответ"})


@registry.command(
    "puzzle",
    arguments.GAME,
    arguments.choice("which", "daily", "easy", "hard", "solution", named=False),
    arguments.text("move"),
    topic=HelpTopic.REVIEW,
    cost=PICTURES,
)
async def puzzle(context: Context) -> Sequence[Message]:
    """`/puzzle`, `/puzzle lgame hard`, `/puzzle daily`, `/puzzle solution`; `/puzzle b2-b3` plays a turn of it."""
    text = context.command.rest.strip()
    if context.command.code:  # a link leads here
        return await _begun(context, await _found(context, context.command.code))
    words = text.split()
    alone = next((word for word in words if word.casefold() in _TODAY | _SOLUTION), None)
    if alone is not None and len(words) > 1:
        raise CommandError(PuzzleRefusal.PUZZLE_ALONE, word=shown(alone))
    if alone is not None:
        return await (
            _daily(context) if alone.casefold() in _TODAY else _solution(context, await _at(context))
        )
    wish, named = selection.wish_in(text)
    game = find_game(context.table.games, named) if named else None
    if game or not named:
        return await _next(context, game, wish)
    if wish or find_game(context.table.games, words[0]) or not any(map(str.isdigit, text)):
        known = ", ".join(context.table.games)  # in a move there are cells, which have numbers
        raise CommandError(PuzzleRefusal.NO_SUCH_PUZZLES, text=shown(named), known=known)
    attempt = await _at(context)
    card, position = _card(context, attempt)
    if meant := legal_readings(card.game, position, text):
        return [await corrections.question(context, [f"/puzzle {move}" for move in meant[:_READINGS]])]
    return await _tried(context, attempt, text)


async def _next(
    context: Context, game: AnyGame | None, wish: selection.Wish | None = None
) -> Sequence[Message]:
    """Pose a puzzle that is new to the visitor; the easier ones first."""
    keys = [game.key] if game else list(context.table.games)
    posed = await selection.chosen(context.store, context.visitor.account, keys, wish)
    if posed is None:
        raise CommandError(PuzzleRefusal.NO_PUZZLES)
    return await _begun(context, posed)


async def _daily(context: Context) -> Sequence[Message]:
    """Show the daily puzzle to the whole place; each person solves it alone."""
    posed = await _of_day(context)
    if posed is None:
        raise CommandError(PuzzleRefusal.NO_PUZZLES)
    attempt = await progress.begun(context, posed)
    await progress.note(context, attempt)
    card, position = _card(context, attempt)
    if not context.visitor.alone:  # the whole place sees it: in its language, not the visitor's
        words = context.place_words
        card = replace(card, words=words, flipped=False)
    view = replace(card.invitation(position), theme=context.place_theme)
    return [Message(context.visitor.place, view)]


async def _of_day(context: Context) -> Posed | None:
    place = context.place
    return await Library(context.store).of_day(
        context.visitor.place, day_at(place, context.at), place.games or tuple(context.table.games)
    )


async def _begun(context: Context, posed: Posed) -> Sequence[Message]:
    attempt = await progress.begun(context, posed)
    await progress.note(context, attempt)
    card, position = _card(context, attempt)
    return [context.private(card.asked(position))]


async def _at(context: Context) -> Attempt:
    """Return the visitor's attempt; else one at the daily puzzle here.

    Raises:
        CommandError: there is none.
    """
    if attempt := await progress.current(context):
        return attempt
    if posed := await _of_day(context):
        return await progress.begun(context, posed)
    raise CommandError(PuzzleRefusal.NO_PUZZLE_BEGUN)


async def _found(context: Context, puzzle_id: str) -> Posed:
    """Return the puzzle of an id.

    Raises:
        CommandError: there is none any more.
    """
    mine = await progress.current(context)
    if mine and mine.posed.id == puzzle_id:
        return mine.posed
    found = await Library(context.store).find(puzzle_id, tuple(context.table.games))
    posed = found or await _of_day(context)  # perhaps that has made room for others since the morning
    if posed is None or posed.id != puzzle_id:
        raise CommandError(PuzzleRefusal.NO_PUZZLE_BEGUN)
    return posed


async def _pressed_at(context: Context, button: CallbackData) -> Attempt:
    """Return the visitor's attempt at the puzzle of a button; a new one, if they are at another.

    Raises:
        CommandError: there is no such puzzle any more.
    """
    mine = await progress.current(context)
    if mine and mine.posed.id == button.match:
        return mine
    return await progress.begun(context, await _found(context, button.match))


async def _picking_at(context: Context, button: CallbackData) -> Attempt:
    """Return the attempt at the position for which a button was made.

    Raises:
        CommandError: there is no such puzzle any more, or the visitor is elsewhere in it.
    """
    attempt = await _pressed_at(context, button)
    for where in (attempt, attempt.start):
        if mark_of(where.position) == button.seen:
            return where
    raise CommandError(PuzzleRefusal.PUZZLE_GONE_ON)


async def _picked(context: Context, attempt: Attempt, text: str) -> Sequence[Message]:
    """Show a half-made turn; try a whole one, or show it first where it is to be confirmed."""
    card, position = _card(context, attempt)
    turn = follow(card.game, position, Selection.read(text))
    if turn.moves and not card.confirms:
        return await _tried(context, attempt, turn.selection.moves)
    return [context.private(card.picked(turn, mark_of(attempt.position)))]


async def _tried(context: Context, attempt: Attempt, text: str) -> Sequence[Message]:
    """Say whether a turn is right or wrong, and why."""
    card, position = _card(context, attempt)
    game, task = card.game, attempt.posed.puzzle.task
    moves, after = _tried_moves(game, position, text)
    if after.outcome is not None and position.to_move not in after.outcome.winners:
        return [context.private(card.failed(position, moves, after, None))]
    if after.outcome is None:
        if after.to_move == position.to_move:  # the turn goes on
            await progress.note(context, replace(attempt, position=game.notation.format_position(after)))
            return [context.private(card.goes_on(position, moves, after))]
        reply = await _best(context, card, after)
        if not _holds(task, reply) and not await _is_best(context, card, position, moves):
            return [context.private(card.failed(position, moves, after, reply))]
        if task is Task.WIN:
            _, here = played(game, after, reply.turn)
            if here.outcome is None and here.to_move == position.to_move:
                await progress.note(context, replace(attempt, position=game.notation.format_position(here)))
                return [context.private(card.answered(after, reply, here))]
    await selection.solved(context.store, context.visitor.account, attempt.posed)
    return [context.private(card.solved(position, moves, after, await _solvers(context, attempt)))]


async def _solvers(context: Context, attempt: Attempt) -> int:
    """Count the visitor among the solvers of the daily puzzle and return their number; 0 for another puzzle."""
    place = attempt.place
    day = None if place is None else await _day_of(context, place, attempt.posed)
    if place is None or day is None:
        return 0
    solvers = Solvers(context.store)
    anew = await solvers.add(place, attempt.posed.id, context.visitor.account)
    if anew and not context.visitor.plain:  # a room would print the puzzle again
        await DailyMessages(context.store).recount(place, day, context.at)
    return await solvers.count(place, attempt.posed.id)


async def _day_of(context: Context, place: Address, posed: Posed) -> date | None:
    """Return the day whose puzzle it is at a place: today, or yesterday, since people go on solving that."""
    chosen = context.place if place == context.visitor.place else await context.store.settings.get(place)
    today, library = day_at(chosen, context.at), Library(context.store)
    for day in (today, today - timedelta(days=1)):
        known = await library.known_of_day(place, day)
        if known and known.id == posed.id:
            return day
    return None


async def _solution(context: Context, attempt: Attempt) -> Sequence[Message]:
    """Show how a puzzle goes from the visitor's position."""
    card, position = _card(context, attempt)
    best, moves = await solution_of(card.game, card.options, position, partial(best_turns, context))
    await selection.told(context.store, context.visitor.account, attempt.posed)
    if attempt.place is not None:
        await Solvers(context.store).tell(attempt.place, attempt.posed.id, context.visitor.account)
    return [context.private(card.solution(position, best, moves))]


def _holds(task: Task, reply: Variation) -> bool:
    """Whether a turn keeps the win or the draw, as the other side's best reply shows."""
    if task is Task.WIN:
        return reply.plies is not None and reply.value < 0
    return not (reply.plies is not None and reply.value > 0)


async def _is_best(context: Context, card: cards.Card, position: Position[Any], moves: Sequence[Any]) -> bool:
    """Whether a turn of which the answer says too little is the engine's own all the same.

    A win may be proved from one end only; and the one move that the others were compared with may lose after all, later.
    """
    best = await _best(context, card, position)
    if sorted(best.turn) != sorted(map(card.game.notation.format, moves)):
        return False
    return card.posed.puzzle.task is Task.SAVE or (best.plies is not None and best.value > 0)


async def _best(context: Context, card: cards.Card, position: Position[Any]) -> Variation:
    job = job_for(card.game, card.options, position, seconds=SECONDS)
    return (await best_turns(context, job)).lines[0]


def _card(context: Context, attempt: Attempt) -> tuple[cards.Card, Position[Any]]:
    """Return the card of an attempt, and its position."""
    game = context.table.games[attempt.posed.game]
    card = cards.Card(game, attempt.posed, context.words, confirms=context.visitor.buttons)
    position = game.notation.parse_position(attempt.position, card.options)
    return replace(card, flipped=context.flip and position.to_move is Seat.S2), position


def _tried_moves(game: AnyGame, position: Position[Any], text: str) -> tuple[tuple[Any, ...], Position[Any]]:
    """Return the moves of a turn, or of a part of one, and the position after them.

    Raises:
        RulesError: the text is neither.
    """
    moves = game.notation.parse(text, position)
    here = position
    for move in moves:
        if here.outcome is not None:
            raise IllegalMove(Legality.GAME_OVER)
        if here.to_move != position.to_move:
            raise IllegalMove(Legality.NO_SUCH_STEP, step=game.notation.format(move))
        here = here.play(move)
    return moves, here


@registry.button(Verb.PICK, cost=None)
async def _pick(context: Context, button: CallbackData) -> Sequence[Message]:
    return await _picked(context, await _picking_at(context, button), button.argument)


@registry.button(Verb.TRY, cost=None)
async def _try(context: Context, button: CallbackData) -> Sequence[Message]:
    return await _tried(context, await _picking_at(context, button), button.argument)


@registry.button(Verb.PUZZLE, cost=PICTURES)
async def _puzzle(context: Context, button: CallbackData) -> Sequence[Message]:
    match button.argument:
        case PuzzleStep.NEXT:
            return await _next(context, context.table.games.get((await _found(context, button.match)).game))
        case PuzzleStep.SOLVE | PuzzleStep.AGAIN:
            return await _begun(context, await _found(context, button.match))
        case PuzzleStep.SOLUTION:
            return await _solution(context, await _pressed_at(context, button))
        case unknown:
            raise no_such_word(unknown)
