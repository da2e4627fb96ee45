"""/daily: the puzzle of the day, the same for everyone; a card for the place, and a board for each person."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from typing import Any, Final

from bot.chat import arguments
from bot.chat.arguments import HelpTopic
from bot.chat.callback_data import CallbackData
from bot.chat.context import Context
from bot.chat.errors import CommandError
from bot.chat.i18n import Words
from bot.chat.quotas import PICTURES
from bot.chat.registry import INLINE, PROFILED, InlineCard, Registry
from bot.chat.view import Message, View, ViewKind
from bot.features.analysis.judging import first_step
from bot.features.puzzles import cards, selection
from bot.features.puzzles.cards import JudgedTurn, PuzzleCard, Verdict, best_of, judged, mark_of
from bot.features.puzzles.daily import DailyMessages, DailySchedule, PostedPuzzle, place_day
from bot.features.puzzles.daily_attempts import (
    DailyAttempt,
    DailyResults,
    attempts,
    attempts_near,
    store_attempt,
)
from bot.features.puzzles.daily_cards import DailyCard, PlaceDay, place_card, results
from bot.features.puzzles.library import Library, Posed
from play.people import Account
from play.time.timers import zone_of
from rules.core import AnyGame, Position, Reason
from storage.ports import FullStore

registry: Final = Registry(place=10)

_DAY: Final = timedelta(days=1)


class DailyRefusal(Reason):
    """Why something about the puzzle of the day is refused."""

    NO_DAILY = "bot.command.no-daily"
    FIRST_FINISH = "bot.command.daily-first-finish"
    NOT_BEGUN = "bot.command.daily-not-begun"
    DAY_OVER = "bot.command.daily-over"
    NONE_YET = "bot.command.daily-none-yet"
    GONE_ON = "bot.command.daily-gone-on"


@registry.command("daily", arguments.text("move"), topic=HelpTopic.TOGETHER, cost=PICTURES, finishing=False)
async def daily(context: Context) -> Sequence[Message]:
    """`/daily` shows the card of the place, then one's own board; `/daily b2-b3` plays a turn of it."""
    if context.command.rest.strip():
        attempt = await open_attempt(context)
        if attempt is None:
            raise CommandError(DailyRefusal.NOT_BEGUN)
        return await cards.typed(context, *_card(context, attempt), partial(_tried, context, attempt))
    day, posed = await today(context)
    if not context.visitor.alone and await _shows(context, day):
        return [Message(context.visitor.place, await _place_view(context, posed, day))]
    return await begun(context)


async def _shows(context: Context, day: date) -> bool:
    place, schedule = context.visitor.place, DailySchedule(context.store)
    if context.visitor.plain:
        return True  # printed lines are not edited
    if not await schedule.begin(place, day):
        return False
    await schedule.done(place, day)
    return True


async def today(context: Context) -> tuple[date, Posed]:
    """Return the date where the visitor is, and the puzzle of that day.

    Raises:
        CommandError: there are no puzzles.
    """
    day = _local(context).date()
    posed = await Library(context.store).of_day(day, tuple(context.table.games))
    if posed is None or posed.game not in context.table.games:
        raise CommandError(DailyRefusal.NO_DAILY)
    return day, posed


def _local(context: Context) -> datetime:
    """Return the time of the request where the visitor is: by the zone of the place, in private by their own."""
    own = context.own.own_zone if context.visitor.alone else None
    return context.at.astimezone(zone_of(own or context.place.place_zone))


async def open_attempt(context: Context, puzzle_id: str = "") -> DailyAttempt | None:
    """Return the visitor's attempt that goes on, at the puzzle of an id or at any of these days."""
    for attempt in await attempts_near(context.store, context.visitor.account, context.at):
        if not attempt.over and context.at < attempt.until and puzzle_id in ("", attempt.posed.id):
            return attempt
    return None


async def is_daily(context: Context, puzzle_id: str, *, over: bool = False) -> bool:
    """Whether a puzzle is today's, or the visitor's attempt of these days; with `over` also one that they have finished."""
    if await open_attempt(context, puzzle_id) is not None:
        return True
    with suppress(CommandError):
        day, posed = await today(context)
        if posed.id == puzzle_id:
            (mine,) = await attempts(context.store, day, context.visitor.account)
            return over or mine is None or not mine.over
    return False


async def begun(context: Context, puzzle_id: str = "") -> Sequence[Message]:
    """Show the visitor their board, at its beginning or where they are; or how it ended."""
    store, account = context.store, context.visitor.account
    attempt = await open_attempt(context, puzzle_id)
    if attempt is None:
        day, posed = await today(context)
        (attempt,) = await attempts(store, day, account)
        if attempt is None:
            midnight = datetime.combine(day + _DAY, time(), tzinfo=_local(context).tzinfo)
            attempt = DailyAttempt.start(day, posed, context.at, midnight.astimezone(UTC))
    listed = attempt if context.visitor.alone else attempt.at(context.visitor.place)
    await store_attempt(store, account, listed)
    await _seen(context, attempt.day)
    if attempt.over:
        return await _ended(context, listed, None)
    card, position = _card(context, listed)
    return [context.private(card.pose(position))]


async def picked(context: Context, attempt: DailyAttempt, button: CallbackData) -> Sequence[Message]:
    """Show a half-made turn that is picked; try a whole one."""
    if mark_of(attempt.position) != button.seen:
        raise CommandError(DailyRefusal.GONE_ON)
    return await cards.picked(context, *_card(context, attempt), button, partial(_tried, context, attempt))


async def _tried(context: Context, attempt: DailyAttempt, text: str) -> Sequence[Message]:
    card, position = _card(context, attempt)
    turn = await judged(context, card.game, attempt.posed, position, text)
    put = card.game.notation.format_position
    match turn.verdict:
        case Verdict.PART:
            after = replace(attempt, position=put(turn.after))
        case Verdict.WRONG:
            after = attempt.missed(put(turn.after), context.at)
        case Verdict.RIGHT:
            after = attempt.found(put(turn.here), context.at)
        case _:
            after = attempt.found(None, context.at)
    await store_attempt(context.store, context.visitor.account, after)
    if after.over:
        return await _ended(context, after, (position, turn))
    card, here = _card(context, after)
    if turn.verdict is Verdict.WRONG:
        return [context.private(card.wrong(here, turn))]
    shown = card.answered(turn) if turn.verdict is Verdict.RIGHT else card.goes_on(position, turn)
    return [context.private(shown)]


async def _ended(
    context: Context, attempt: DailyAttempt, last: tuple[Position[Any], JudgedTurn] | None
) -> Sequence[Message]:
    """List a finished attempt wherever it was begun, and show how it ended; once more, where that was done before."""
    table, day = DailyResults(context.store), attempt.day
    await table.finished(context.visitor.player, attempt)
    if attempt.solved and last is not None:
        await selection.solved(context.store, context.visitor.account, attempt.posed)
    messages: list[Message] = []
    for place in attempt.places:
        if context.visitor.plain and last is not None:  # printed lines are not edited
            messages.append(Message(place, await _place_view(context, attempt.posed, day)))
        else:
            await DailyMessages(context.store).changed(place, day, context.at)
    card, _ = _card(context, attempt)
    streak = await table.streak(context.visitor.account, day)
    here = context.visitor.place
    listed_at = here if here in attempt.places else next(iter(attempt.places), None)
    finished = await table.table(listed_at, day) if listed_at is not None else ()
    position, turn = last or (card.start, None)
    return [context.private(card.finished(position, turn, streak, finished)), *messages]


async def hint(context: Context, puzzle_id: str) -> Sequence[Message]:
    """Pick the first step of the best turn; the turn's square turns yellow."""
    attempt = await open_attempt(context, puzzle_id)
    if attempt is None:
        raise CommandError(DailyRefusal.DAY_OVER)
    card, position = _card(context, attempt)
    best = await best_of(context, card.game, attempt.posed, position)
    attempt = replace(attempt, hinted=True)
    await store_attempt(context.store, context.visitor.account, attempt)
    card, _ = _card(context, attempt)
    token = next(iter(first_step(card.game, position, best.turn[0])), best.turn[0])
    partial = card.partial(position)
    step = next((each for each in partial.steps if each.token == token), None)
    if step is not None:
        partial = card.partial(position, str(partial.selection.step(token)))
    return [context.private(card.hinted(partial, token))]


async def table(context: Context) -> Sequence[Message]:
    """Show who has finished today's puzzle here, and in which time, to a person who has finished it."""
    day, posed = await today(context)
    await _seen(context, day)
    (mine,) = await attempts(context.store, day, context.visitor.account)
    if mine is None or not mine.over:
        raise CommandError(DailyRefusal.FIRST_FINISH)
    finished = await DailyResults(context.store).table(context.visitor.place, day)
    if not finished:
        raise CommandError(DailyRefusal.NONE_YET)
    card = DailyCard(context.table.games[posed.game], posed, context.words, attempt=mine)
    return [context.private(View(lines=(card.title, *results(finished, context.words))), ViewKind.NOTE)]


async def _seen(context: Context, day: date) -> None:
    visitor, messages = context.visitor, DailyMessages(context.store)
    if visitor.message is not None and not visitor.alone and not await messages.known(visitor.place, day):
        await messages.posted(PostedPuzzle(visitor.place, day, visitor.message))
        await messages.changed(visitor.place, day, context.at)


async def _place_view(context: Context, posed: Posed, day: date) -> View:
    card = PuzzleCard(context.table.games[posed.game], posed, context.place_words)
    here = await place_day(context.store, context.visitor.place, day)
    return replace(place_card(card, here), theme=context.place_theme)


def _card(context: Context, attempt: DailyAttempt) -> tuple[DailyCard, Position[Any]]:
    game, posed = context.table.games[attempt.posed.game], attempt.posed
    card = DailyCard(game, posed, context.words, confirms=context.visitor.buttons, attempt=attempt)
    return cards.at_position(context, card, attempt.position)


@INLINE
async def offer(store: FullStore, games: Sequence[AnyGame], words: Words, at: datetime) -> InlineCard | None:
    """Offer the card of today's puzzle, for a chat without the bot."""
    day = at.date()
    known = {game.key: game for game in games}
    posed = await Library(store).of_day(day, tuple(known))
    if posed is None or posed.game not in known:
        return None
    view = place_card(PuzzleCard(known[posed.game], posed, words), PlaceDay(day))
    return InlineCard(f"daily:{day}", words("bot.daily.inline"), replace(view, buttons=view.buttons[:1]))


@PROFILED
async def streak_of(store: FullStore, account: Account, words: Words, at: datetime) -> str | None:
    """Return the streak of a person, if it goes on, and the longest one."""
    streak = await DailyResults(store).streak_of(account)
    days = streak.standing(at.date(), forgiving=True)
    return words.count("bot.daily.profile", days, best=streak.best) if days else None
