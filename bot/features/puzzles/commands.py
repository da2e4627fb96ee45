"""/puzzle: positions to solve by moving; /daily: the puzzle of the day, the same for everyone, with a card for the place.

Both are solved by pressing and by typing in one way; at the puzzle of the day a person has three tries.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from typing import Any, Final

from bot.chat import arguments, taps
from bot.chat.arguments import HelpTopic
from bot.chat.callback_data import CallbackData, PuzzleStep, Verb
from bot.chat.context import Context
from bot.chat.error_handling import saying
from bot.chat.errors import CommandError, no_such_word, shown
from bot.chat.game_words import find_game
from bot.chat.i18n import Words
from bot.chat.presenting.selection import Selection, follow
from bot.chat.quotas import FREE, PICTURES
from bot.chat.registry import INLINE, OFFERINGS, PROFILED, InlineCard, Offered, Offering, Registry
from bot.chat.services import Services
from bot.chat.view import Message, View, ViewKind
from bot.features.analysis.judging import first_step
from bot.features.exercises import JudgedTurn, Verdict, reading_of
from bot.features.matches.engine_opponents import best_turns
from bot.features.puzzles import selection
from bot.features.puzzles.attempts import (
    Attempt,
    DailyAttempt,
    DailyResults,
    attempt_marks,
    attempts,
    attempts_near,
    practice_of,
    store_attempt,
)
from bot.features.puzzles.cards import PlaceDay, PuzzleCard, mark_of, place_card, results
from bot.features.puzzles.daily import DailyPlaces, PostedPuzzle, place_day, schedule_of
from bot.features.puzzles.library import Library, Posed
from bot.features.puzzles.solving import best_of, judged, solution_of
from play.people import Account
from play.settings import Settings
from play.time.week import zone_of
from rules.core import AnyGame, Position, Reason, Seat
from storage.ports import FullStore

registry: Final = Registry()


class PuzzleRefusal(Reason):
    """Why a puzzle command is refused."""

    NO_PUZZLES = "bot.command.no-puzzles"
    NO_PUZZLE_BEGUN = "bot.command.no-puzzle-begun"
    NO_SUCH_PUZZLES = "bot.command.no-such-puzzles"  # text, known
    PUZZLE_ALONE = "bot.command.puzzle-alone"  # word
    PUZZLE_GONE_ON = "bot.command.puzzle-gone-on"
    NO_DAILY = "bot.command.no-daily"
    FIRST_FINISH = "bot.command.daily-first-finish"
    NOT_BEGUN = "bot.command.daily-not-begun"
    DAY_OVER = "bot.command.daily-over"
    NONE_YET = "bot.command.daily-none-yet"
    GONE_ON = "bot.command.daily-gone-on"


_SOLUTION: Final = frozenset({"solution", "розв’язок", "розв'язок", "решение", "show", "відповідь", "ответ"})
_DAY: Final = timedelta(days=1)


@registry.command("daily", arguments.text("move"), topic=HelpTopic.TOGETHER, cost=PICTURES, finishing=False)
async def daily(context: Context) -> Sequence[Message]:
    """`/daily` shows the card of the place, then one's own board; `/daily b2-b3` plays a turn of it."""
    if context.command.rest.strip():
        attempt = await _open(context)
        if attempt is None:
            raise CommandError(PuzzleRefusal.NOT_BEGUN)
        return await _typed(context, attempt)
    day, posed = await _today(context)
    if not context.visitor.alone and await _shows(context, day):
        return [Message(context.visitor.place, await _place_view(context, posed, day))]
    return await _daily_begun(context, await _of_day(context))


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
        return await _begun_of(context, code, over=True)
    words = text.split()
    alone = next((word for word in words if word.casefold() in _SOLUTION), None)
    if alone is not None and len(words) > 1:
        raise CommandError(PuzzleRefusal.PUZZLE_ALONE, word=shown(alone))
    if alone is not None:
        return await _solution(context, await _practice(context))
    wish, named = selection.wish_in(text)
    game = find_game(context.table.games, named) if named else None
    if game or not named:
        return await _next(context, game, wish)
    if wish or find_game(context.table.games, words[0]) or not any(map(str.isdigit, text)):
        known = ", ".join(context.table.games)  # in a move there are cells, which have numbers
        raise CommandError(PuzzleRefusal.NO_SUCH_PUZZLES, text=shown(named), known=known)
    return await _typed(context, await _practice(context))


@registry.button(Verb.PICK, Verb.TRY, cost=FREE, finishing=False, kind=ViewKind.PAGE)
async def _pick(context: Context, button: CallbackData) -> Sequence[Message]:
    attempt = await _seen_at(context, button)
    if button.verb is Verb.TRY:
        return await _tried(context, attempt, button.argument)
    card, position = _card(context, attempt)
    found = await taps.picked(context, button, card.game, position)
    if found is None:
        return []
    turn, _ = found
    if turn.moves and not card.confirms:
        return await _tried(context, attempt, turn.selection.moves)
    return [context.private(card.picked(turn))]


@registry.button(Verb.PUZZLE, cost=PICTURES, finishing=False, kind=ViewKind.PAGE)
async def _puzzle(context: Context, button: CallbackData) -> Sequence[Message]:
    step = button.argument
    match step:
        case PuzzleStep.NEXT:
            before = await _practice(context, button.match)
            return await _next(context, context.table.games.get(before.posed.game))
        case PuzzleStep.SOLVE | PuzzleStep.AGAIN:
            return await _begun_of(context, button.match, over=step == PuzzleStep.SOLVE)
        case PuzzleStep.SOLUTION:
            return await _solution(context, await _practice(context, button.match))
        case PuzzleStep.RETRY:
            card, position = _card(context, await _practice(context, button.match))
            return [context.private(card.retried(position))]
        case PuzzleStep.HINT:
            return await _hint(context, button.match)
        case PuzzleStep.TABLE:
            return await _table(context)
        case unknown:
            raise no_such_word(unknown)


async def _seen_at(context: Context, button: CallbackData) -> Attempt:
    """Return the visitor's attempt at the position that a button shows; in practice also at the beginning of the puzzle."""
    daily = await _open(context, button.match)
    if daily is not None:
        if mark_of(daily.position) != button.seen:
            raise CommandError(PuzzleRefusal.GONE_ON)
        return daily
    mine = await _practice(context, button.match)
    for attempt in (mine, Attempt.of(mine.posed)):
        if mark_of(attempt.position) == button.seen:
            return attempt
    raise CommandError(PuzzleRefusal.PUZZLE_GONE_ON)


def _card(context: Context, attempt: Attempt) -> tuple[PuzzleCard, Position[Any]]:
    game, posed = context.table.games[attempt.posed.game], attempt.posed
    position = game.notation.parse_position(attempt.position, posed.options(game))
    flipped = context.flip and position.to_move is Seat.S2
    of_day = attempt if isinstance(attempt, DailyAttempt) else None
    return PuzzleCard(game, posed, context.words, context.visitor.buttons, flipped, of_day), position


async def _typed(context: Context, attempt: Attempt) -> Sequence[Message]:
    card, position = _card(context, attempt)
    reading = await reading_of(context, card.game, position, context.command.rest.strip())
    return [reading] if isinstance(reading, Message) else await _tried(context, attempt, reading)


async def _tried(context: Context, attempt: Attempt, text: str) -> Sequence[Message]:
    store, account = context.store, context.visitor.account
    card, position = _card(context, attempt)
    turn = await judged(card.game, attempt.posed, position, text, partial(best_turns, context))
    here = card.game.notation.format_position(turn.here)
    if isinstance(attempt, DailyAttempt):
        attempt = attempt.after(turn.verdict, here, context.at)
        await store_attempt(store, account, attempt)
        if attempt.over:
            return await _daily_ended(context, attempt, (position, turn))
    elif turn.verdict is Verdict.SOLVED:
        await selection.solved(store, account, attempt.posed)
        view = card.solved(position, turn, *await _done(context, card))
        return [context.private(await _played_from(context, view, card, position))]
    elif turn.verdict is not Verdict.WRONG:
        await store_attempt(store, account, replace(attempt, position=here))
    card, now = _card(context, attempt)
    match turn.verdict:
        case Verdict.WRONG:
            view = card.failed(now, turn)
            if card.attempt is None:
                view = await _played_from(context, view, card, now)
        case Verdict.RIGHT:
            view = card.answered(turn)
        case _:
            view = card.goes_on(position, turn)
    return [context.private(view)]


async def _begun_of(context: Context, puzzle_id: str, *, over: bool) -> Sequence[Message]:
    if (of_day := await _if_daily(context, puzzle_id, over=over)) is not None:
        return await _daily_begun(context, of_day)
    return await _begun(context, (await _practice(context, puzzle_id)).posed)


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
    await store_attempt(context.store, context.visitor.account, attempt)
    card, position = _card(context, attempt)
    return [context.private(card.asked(position, *await _done(context, card)))]


async def _done(context: Context, card: PuzzleCard) -> Sequence[str]:
    count = await selection.done(context.store, context.visitor.account, card.posed)
    if count is None:
        return ()
    done, total = count
    name = context.words(f"{card.game.key}.name")
    return (context.words("bot.puzzle.done", game=name, done=done, total=total),)


async def _practice(context: Context, puzzle_id: str = "") -> Attempt:
    """Return the visitor's attempt at a puzzle, of an id or the one they are at; of another, a new one."""
    games = context.table.games
    mine = await practice_of(context.store, context.visitor.account)
    if mine is not None and mine.posed.game in games and puzzle_id in ("", mine.posed.id):
        return mine
    found = await Library(context.store).find(puzzle_id, tuple(games)) if puzzle_id else None
    if found is None:
        raise CommandError(PuzzleRefusal.NO_PUZZLE_BEGUN)
    return Attempt.of(found)


async def _solution(context: Context, attempt: Attempt) -> Sequence[Message]:
    if await _if_daily(context, attempt.posed.id) is not None:
        raise CommandError(PuzzleRefusal.FIRST_FINISH)
    card, position = _card(context, attempt)
    best, moves = await solution_of(card.game, attempt.posed, position, partial(best_turns, context))
    await selection.solution_shown(context.store, context.visitor.account, attempt.posed)
    view = card.solution(position, best, moves)
    return [context.private(await _played_from(context, view, card, position))]


async def _played_from(context: Context, view: View, card: PuzzleCard, position: Position[Any]) -> View:
    """Return a view with a key that begins a match from a position of the puzzle."""
    options = " ".join(f"{key}:{value}" for key, value in card.posed.puzzle.options)
    where = card.game.notation.format_position(position)
    line = f'/challenge {card.game.key} {options} from:"{where}"'
    return replace(
        view, buttons=(*view.buttons, await saying(context, line, context.words("bot.button.from")))
    )


async def _shows(context: Context, day: date) -> bool:
    """Whether the card of a place is shown: once a day, unless it is printed: then it is not edited."""
    place, schedule = context.visitor.place, schedule_of(context.store)
    if context.visitor.plain:
        return True
    if not await schedule.begin(place, day):
        return False
    await schedule.done(place, day)
    return True


async def _today(context: Context) -> tuple[date, Posed]:
    day = _local(context).date()
    posed = await Library(context.store).of_day(day, tuple(context.table.games))
    if posed is None:
        raise CommandError(PuzzleRefusal.NO_DAILY)
    return day, posed


def _local(context: Context) -> datetime:
    """Return the time of the request where the visitor is: by the zone of the place, in private by their own."""
    own = context.own.own_zone if context.visitor.alone else None
    return context.at.astimezone(zone_of(own or context.place.place_zone))


async def _open(context: Context, puzzle_id: str = "") -> DailyAttempt | None:
    for attempt in await attempts_near(context.store, context.visitor.account, context.at):
        if not attempt.over and context.at < attempt.until and puzzle_id in ("", attempt.posed.id):
            return attempt
    return None


async def _of_day(context: Context, puzzle_id: str = "") -> DailyAttempt:
    """Return the visitor's attempt that goes on; else the one at today's puzzle, perhaps a new one."""
    if (attempt := await _open(context, puzzle_id)) is not None:
        return attempt
    day, posed = await _today(context)
    (mine,) = await attempts(context.store, day, context.visitor.account)
    midnight = datetime.combine(day + _DAY, time(), tzinfo=_local(context).tzinfo)
    return mine or DailyAttempt.start(day, posed, context.at, midnight.astimezone(UTC))


async def _if_daily(context: Context, puzzle_id: str, *, over: bool = False) -> DailyAttempt | None:
    """Return the visitor's attempt at a puzzle that is today's or of these days; with `over` also one that they have finished."""
    with suppress(CommandError):
        attempt = await _of_day(context, puzzle_id)
        if attempt.posed.id == puzzle_id and (over or not attempt.over):
            return attempt
    return None


async def _daily_begun(context: Context, attempt: DailyAttempt) -> Sequence[Message]:
    listed = attempt if context.visitor.alone else attempt.at(context.visitor.place)
    await store_attempt(context.store, context.visitor.account, listed)
    await _seen(context, attempt.day)
    if attempt.over:
        return await _daily_ended(context, listed, None)
    card, position = _card(context, listed)
    return [context.private(card.asked(position))]


async def _daily_ended(
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
            await DailyPlaces(context.store).changed(place, day, context.at)
    card, _ = _card(context, attempt)
    streak = await table.streak(context.visitor.account, day)
    here = context.visitor.place
    listed_at = here if here in attempt.places else next(iter(attempt.places), None)
    finished = await table.table(listed_at, day) if listed_at is not None else ()
    view = card.finished(attempt, last, streak, finished)
    view = await _played_from(context, view, card, card.start)
    return [context.private(view), *messages]


async def _hint(context: Context, puzzle_id: str) -> Sequence[Message]:
    attempt = await _open(context, puzzle_id)
    if attempt is None:
        raise CommandError(PuzzleRefusal.DAY_OVER)
    hinted = replace(attempt, hinted=True)
    card, position = _card(context, hinted)
    best = await best_of(card.game, attempt.posed, position, partial(best_turns, context))
    await store_attempt(context.store, context.visitor.account, hinted)
    token = next(iter(first_step(card.game, position, best.turn[0])), best.turn[0])
    begun = follow(card.game, position, Selection())
    if any(each.token == token for each in begun.steps):
        begun = follow(card.game, position, begun.selection.step(token))
    return [context.private(card.hinted(begun, token))]


async def _table(context: Context) -> Sequence[Message]:
    day, posed = await _today(context)
    await _seen(context, day)
    (mine,) = await attempts(context.store, day, context.visitor.account)
    if mine is None or not mine.over:
        raise CommandError(PuzzleRefusal.FIRST_FINISH)
    finished = await DailyResults(context.store).table(context.visitor.place, day)
    if not finished:
        raise CommandError(PuzzleRefusal.NONE_YET)
    card = PuzzleCard(context.table.games[posed.game], posed, context.words)
    return [context.private(View(lines=(card.title(day), *results(finished, context.words))), ViewKind.NOTE)]


async def _seen(context: Context, day: date) -> None:
    visitor, places = context.visitor, DailyPlaces(context.store)
    if visitor.message is not None and not visitor.alone and not await places.card(visitor.place, day):
        await places.posted(PostedPuzzle(visitor.place, day, visitor.message))
        await places.changed(visitor.place, day, context.at)


async def _place_view(context: Context, posed: Posed, day: date) -> View:
    card = PuzzleCard(context.table.games[posed.game], posed, context.place_words)
    here = await place_day(context.store, context.visitor.place, day)
    return replace(place_card(card, here), theme=context.place_theme)


@INLINE
async def offer(store: FullStore, games: Sequence[AnyGame], words: Words, at: datetime) -> InlineCard | None:
    """Offer the card of today's puzzle, for a chat without the bot."""
    day = at.date()
    known = {game.key: game for game in games}
    posed = await Library(store).of_day(day, tuple(known))
    if posed is None:
        return None
    view = place_card(PuzzleCard(known[posed.game], posed, words), PlaceDay(day))
    return InlineCard(f"daily:{day}", words("bot.daily.inline"), replace(view, buttons=view.buttons[:1]))


@PROFILED
async def streak_of(store: FullStore, account: Account, words: Words, at: datetime) -> str | None:
    """Return the streak of a person, if it goes on, and the longest one."""
    streak = await DailyResults(store).streak_of(account)
    days = streak.standing(at.date(), forgiving=True)
    return words.count("bot.daily.profile", days, best=streak.best) if days else None


async def _marks(services: Services, accounts: Sequence[Account]) -> Sequence[object]:
    """Return the day of each person, and a mark of their attempt at its puzzle."""
    chosen = await services.store.settings.get_many(*accounts)
    days = [_day(services, own) for own in chosen]
    tried = await attempt_marks(services.store, list(zip(accounts, days, strict=True)))
    return list(zip(days, tried, strict=True))


def _day(services: Services, own: Settings) -> date:
    return services.now().astimezone(zone_of(own.own_zone or "UTC")).date()


async def _offered(services: Services, account: Account, words: Words) -> Sequence[Offered]:
    """Offer today's puzzle, by the time zone of the person, and the next one of its game."""
    store, games = services.store, services.table.games
    day = _day(services, await store.settings.get(account))
    posed = await Library(store).of_day(day, tuple(games))
    if posed is None:
        return ()
    (mine,) = await attempts(store, day, account)
    card = PuzzleCard(games[posed.game], posed, words)
    start, state = card.start, words(f"{posed.game}.name")
    if mine is not None and mine.over:
        state = words("bot.daily.solved" if mine.solved else "bot.daily.failed")
    solve, further = map(card.button, (PuzzleStep.SOLVE, PuzzleStep.NEXT))
    drawn, flipped = card.game.draw(start), start.to_move is Seat.S2
    title = words("bot.daily.inline")
    return [
        Offered("puzzle", "puzzle", title, state, "", solve.data, (further,), drawn, card.exercise, flipped)
    ]


OFFERINGS.append(Offering(_offered, _marks))
