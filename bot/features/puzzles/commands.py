"""/puzzle: positions to solve by moving; and the buttons of puzzles, that of the day included."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from bot.chat import arguments
from bot.chat.arguments import HelpTopic
from bot.chat.callback_data import CallbackData, PuzzleStep, Verb
from bot.chat.context import Context
from bot.chat.errors import CommandError, no_such_word, shown
from bot.chat.game_words import find_game
from bot.chat.quotas import PICTURES
from bot.chat.registry import Registry
from bot.chat.view import Message, ViewKind
from bot.features.matches.engine_opponents import best_turns
from bot.features.puzzles import cards, daily_play, selection
from bot.features.puzzles.cards import Verdict, judged, mark_of
from bot.features.puzzles.library import Library, Posed
from bot.features.puzzles.selection import Attempt, solution_of
from rules.core import AnyGame, Position, Reason

registry: Final = Registry(place=11)


class PuzzleRefusal(Reason):
    """Why a puzzle command is refused."""

    NO_PUZZLES = "bot.command.no-puzzles"
    NO_PUZZLE_BEGUN = "bot.command.no-puzzle-begun"
    NO_SUCH_PUZZLES = "bot.command.no-such-puzzles"  # text, known
    PUZZLE_ALONE = "bot.command.puzzle-alone"  # word
    PUZZLE_GONE_ON = "bot.command.puzzle-gone-on"


_SOLUTION: Final = frozenset({"solution", "розв’язок", "розв'язок", "решение", "show", "відповідь", "ответ"})


@registry.command(
    "puzzle",
    arguments.GAME,
    arguments.choice("which", "easy", "hard", "solution", named=False),
    arguments.text("move"),
    topic=HelpTopic.REVIEW,
    cost=PICTURES,
    finishing=False,
)
async def puzzle(context: Context) -> Sequence[Message]:
    """`/puzzle`, `/puzzle lgame hard`, `/puzzle solution`; `/puzzle b2-b3` plays a turn of it."""
    text = context.command.rest.strip()
    if code := context.command.code:  # a link leads here
        if await daily_play.is_daily(context, code, over=True):
            return await daily_play.begun(context, code)
        return await _begun(context, (await _attempt_at(context, code)).posed)
    words = text.split()
    alone = next((word for word in words if word.casefold() in _SOLUTION), None)
    if alone is not None and len(words) > 1:
        raise CommandError(PuzzleRefusal.PUZZLE_ALONE, word=shown(alone))
    if alone is not None:
        return await _solution(context, await _at(context))
    wish, named = selection.wish_in(text)
    game = find_game(context.table.games, named) if named else None
    if game or not named:
        return await _next(context, game, wish)
    if wish or find_game(context.table.games, words[0]) or not any(map(str.isdigit, text)):
        known = ", ".join(context.table.games)  # in a move there are cells, which have numbers
        raise CommandError(PuzzleRefusal.NO_SUCH_PUZZLES, text=shown(named), known=known)
    attempt = await _at(context)
    return await cards.typed(context, *_card(context, attempt), partial(_tried, context, attempt))


async def _next(
    context: Context, game: AnyGame | None, wish: selection.Wish | None = None
) -> Sequence[Message]:
    keys = [game.key] if game else list(context.table.games)
    posed = await selection.chosen(context.store, context.visitor.account, keys, wish, context.at)
    if posed is None:
        raise CommandError(PuzzleRefusal.NO_PUZZLES)
    return await _begun(context, posed)


async def _begun(context: Context, posed: Posed) -> Sequence[Message]:
    attempt = Attempt.of(posed)
    await selection.note(context, attempt)
    card, position = _card(context, attempt)
    return [context.private(card.asked(position, *await _done(context, card)))]


async def _done(context: Context, card: cards.PuzzleCard) -> Sequence[str]:
    count = await selection.done(context.store, context.visitor.account, card.posed)
    if count is None:
        return ()
    done, total = count
    name = context.words(f"{card.game.key}.name")
    return (context.words("bot.puzzle.done", game=name, done=done, total=total),)


async def _at(context: Context) -> Attempt:
    if attempt := await selection.current(context):
        return attempt
    raise CommandError(PuzzleRefusal.NO_PUZZLE_BEGUN)


async def _attempt_at(context: Context, puzzle_id: str) -> Attempt:
    """Return the visitor's attempt at a puzzle; a new one, if they are at another."""
    mine = await selection.current(context)
    if mine and mine.posed.id == puzzle_id:
        return mine
    found = await Library(context.store).find(puzzle_id, tuple(context.table.games))
    if found is None:
        raise CommandError(PuzzleRefusal.NO_PUZZLE_BEGUN)
    return Attempt.of(found)


async def _tried(context: Context, attempt: Attempt, text: str) -> Sequence[Message]:
    card, position = _card(context, attempt)
    turn = await judged(context, card.game, attempt.posed, position, text)
    if turn.verdict is Verdict.WRONG:
        return [context.private(card.failed(position, turn))]
    if turn.verdict is Verdict.SOLVED:
        await selection.solved(context.store, context.visitor.account, attempt.posed)
        return [context.private(card.solved(position, turn, *await _done(context, card)))]
    here = card.game.notation.format_position(turn.here)
    await selection.note(context, replace(attempt, position=here))
    shown = card.answered(turn) if turn.verdict is Verdict.RIGHT else card.goes_on(position, turn)
    return [context.private(shown)]


async def _retried(context: Context, attempt: Attempt) -> Sequence[Message]:
    card, position = _card(context, attempt)
    return [context.private(card.retried(position))]


async def _solution(context: Context, attempt: Attempt) -> Sequence[Message]:
    if await daily_play.is_daily(context, attempt.posed.id):
        raise CommandError(daily_play.DailyRefusal.FIRST_FINISH)
    card, position = _card(context, attempt)
    best, moves = await solution_of(card.game, card.options, position, partial(best_turns, context))
    await selection.solution_shown(context.store, context.visitor.account, attempt.posed)
    return [context.private(card.solution(position, best, moves))]


def _card(context: Context, attempt: Attempt) -> tuple[cards.PuzzleCard, Position[Any]]:
    game = context.table.games[attempt.posed.game]
    card = cards.PuzzleCard(game, attempt.posed, context.words, confirms=context.visitor.buttons)
    return cards.at_position(context, card, attempt.position)


@registry.button(Verb.PICK, Verb.TRY, cost=None, finishing=False, kind=ViewKind.PAGE)
async def _pick(context: Context, button: CallbackData) -> Sequence[Message]:
    if (daily := await daily_play.open_attempt(context, button.match)) is not None:
        return await daily_play.picked(context, daily, button)
    attempt = await _attempt_at(context, button.match)
    for where in (attempt, Attempt.of(attempt.posed)):
        if mark_of(where.position) == button.seen:
            tries = partial(_tried, context, where)
            return await cards.picked(context, *_card(context, where), button, tries)
    raise CommandError(PuzzleRefusal.PUZZLE_GONE_ON)


@registry.button(Verb.PUZZLE, cost=PICTURES, finishing=False, kind=ViewKind.PAGE)
async def _puzzle(context: Context, button: CallbackData) -> Sequence[Message]:
    step = button.argument
    match step:
        case PuzzleStep.NEXT:
            before = await _attempt_at(context, button.match)
            return await _next(context, context.table.games.get(before.posed.game))
        case PuzzleStep.SOLVE | PuzzleStep.AGAIN:
            if await daily_play.is_daily(context, button.match, over=step == PuzzleStep.SOLVE):
                return await daily_play.begun(context, button.match)
            return await _begun(context, (await _attempt_at(context, button.match)).posed)
        case PuzzleStep.SOLUTION | PuzzleStep.RETRY:
            attempt = await _attempt_at(context, button.match)
            return await (_solution if step == PuzzleStep.SOLUTION else _retried)(context, attempt)
        case PuzzleStep.HINT:
            return await daily_play.hint(context, button.match)
        case PuzzleStep.TABLE:
            return await daily_play.table(context)
        case unknown:
            raise no_such_word(unknown)
