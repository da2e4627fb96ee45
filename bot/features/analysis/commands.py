"""/hint during a match, first the idea of the best turn, then the turn; and /analyse once it is over."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Hashable, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import Any, Final, TypeVar

from bot.chat import arguments, taps
from bot.chat.arguments import HelpTopic
from bot.chat.callback_data import CallbackData, Verb
from bot.chat.context import Context
from bot.chat.errors import CommandError, in_match, no_such_word
from bot.chat.grammar import number_in
from bot.chat.i18n import Words
from bot.chat.match_lookup import AmongFinished, Retry
from bot.chat.presenting.boards import show, want_hints
from bot.chat.presenting.captions import alt_text, marked
from bot.chat.presenting.naming import Presentation, button, line_played, variation_text
from bot.chat.quotas import SEARCHES
from bot.chat.registry import Registry
from bot.chat.thinking import SharedProgress, Thinker
from bot.chat.thinking.jobs import JobClass, Variation, job_for
from bot.chat.view import Button, Message, View, ViewKind
from bot.features.analysis import cards
from bot.features.analysis.explaining import value_text
from bot.features.analysis.judging import (
    ANALYSED,
    Alternative,
    Judged,
    Search,
    alternative,
    analysed,
    first_step,
    idea_of,
    judged_turn,
    kept,
    read_turn,
)
from bot.features.matches.engine_opponents import best_turns, engines
from engine.core import Idea
from play.match import Match, Phase
from play.replay import Course, PlayedTurn, turn_numbered, turns_of
from play.request import check_fresh, playing_seat
from rules.core import AmbiguousMove, Diagram, Highlights, Reason, Sign
from storage.ports import FullStore


def idea(presentation: Presentation, line: Variation, found: Idea | None) -> View:
    """Return the idea of the best turn, shown on the board, and a button that shows the turn."""
    names, words = presentation.names, presentation.words
    diagram: Diagram | None
    if found is None:
        lost = line.plies is not None and line.value < 0
        said, position = words("bot.hint.lost" if lost else "bot.hint.begin"), presentation.course.position
        picked = first_step(presentation.game, position, line.turn[0])
        diagram = presentation.game.draw(position, Highlights(picked=picked))
        marks = [mark for mark in diagram.marks if mark.sign is Sign.PICKED]
    else:
        said, diagram = names.phrase(found.phrase), show(presentation).diagram
        marks = list(found.marks)
        if diagram is not None:
            diagram = replace(diagram, marks=found.marks, arrows=())
    lines = (words("bot.hint.idea", idea=said), value_text(line, presentation.course.position, words))
    shows_turn = button(presentation, Verb.HINT, "move", label=words("bot.button.hint-move"))
    return _hint_view(presentation, lines, diagram, (shows_turn,), alt=marked(marks, words))


def turn(presentation: Presentation, line: Variation) -> View:
    """Return the best turn, its line, and a button that plays it."""
    game, match = presentation.game, presentation.match
    course, words = presentation.course, presentation.words
    moves, here = line_played(game, course.position, line.turn)
    text = " ".join(line.turn)
    play = CallbackData(Verb.MOVE, match.id, match.revision, text)
    buttons = (Button(words("bot.button.hint-play", move=text), play, style="good"),) if play.fits else ()
    lines = [words("bot.hint.move", move=text), value_text(line, course.position, words)]
    if len(line.line) > len(line.turn):
        lines.append(words("bot.hint.line", moves=variation_text(game, course.position, line.line)))
    diagram = game.draw(here, Highlights(last=moves, planned=True, before=course.position))
    return _hint_view(presentation, lines, diagram, buttons)


def _hint_view(
    presentation: Presentation,
    lines: Sequence[str],
    diagram: Diagram | None,
    buttons: tuple[Button, ...],
    *,
    alt: Iterable[str] = (),
) -> View:
    said = alt_text(presentation, (*lines, *alt), diagram=diagram)
    view = replace(show(presentation), lines=(presentation.names.title, *lines), alt=said, diagram=diagram)
    return replace(view, buttons=buttons, controls=(), ping=())


EVERY: Final = 3.0
"""Seconds until the bar is shown, and at least between two edits: an edit costs a request to the platform."""

_CELLS: Final = 12
_log: Final = logging.getLogger(__name__)


@asynccontextmanager
async def shown(context: Context, progress: SharedProgress) -> AsyncIterator[None]:
    """Show the visitor how far an analysis is, while the context lasts, where their platform has a place for it."""
    show = context.visitor.progress
    if show is None:
        yield
        return
    over = asyncio.Event()

    async def edit() -> None:
        seen = None
        while not over.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(over.wait(), EVERY)
            if not over.is_set() and progress.done not in (seen, progress.parts):
                seen = progress.done
                await show(context.private(View(lines=(bar(progress, context.words),))))

    showing = asyncio.create_task(edit())
    try:
        yield
    finally:
        over.set()
        await asyncio.wait([showing])  # what is being sent has to be known, to be replaced
        if error := showing.exception():  # the answer comes all the same
            _log.error("a progress bar could not be shown", exc_info=error)


def bar(progress: SharedProgress, words: Words) -> str:
    """Return the bar as a line."""
    filled = _CELLS * progress.done // progress.parts
    cells = "▓" * filled + "░" * (_CELLS - filled)
    return words("bot.analysis.bar", bar=cells, percent=100 * progress.done // progress.parts)


registry: Final = Registry()

T = TypeVar("T")


class AnalysisRefusal(Reason):
    """Why a hint or an analysis is refused."""

    NOT_OVER_YET = "bot.command.not-over-yet"
    NO_HINTS = "bot.command.no-hints"
    NO_HINTS_WANTED = "bot.command.no-hints-wanted"
    NO_HINTS_RATED = "bot.command.no-hints-rated"
    NOT_YOUR_TURN = "bot.command.not-your-turn"
    NO_TURNS = "bot.analysis.nothing"


_SECONDS: Final = 1.2  # seconds of search for a hint
_MOVE: Final = "move"


@registry.command("hint", arguments.MATCH, topic=HelpTopic.REVIEW, cost=SEARCHES, finishing=False)
async def hint(context: Context) -> Sequence[Message]:
    """Show the player on turn the idea of the best turn; a button shows the turn itself."""
    context.no_words()
    finder = context.finder
    # Of several matches only those are asked about in which there are hints.
    asks_which = context.services.thinker is not None and context.command.code is None
    fit = await finder.with_hints(await finder.within_reach()) if asks_which else ()
    can = {match.id for match in fit}
    mine = (finder.my_turn, finder.mine)
    match = await context.in_play(
        lambda match: match.id in can, otherwise=mine, retry=Retry(Verb.HINT), reads=True
    )
    return await _hint(context, match)


@registry.button(Verb.HINT, cost=SEARCHES, finishing=False, kind=ViewKind.PAGE)
async def _hint_pressed(context: Context, button: CallbackData) -> Sequence[Message]:
    match = await context.table.get(button.match)
    whole = button.argument == _MOVE
    if whole:
        with in_match(match):
            check_fresh(match, context.request(), match.position_since)
    return await _hint(context, match, whole=whole)


async def _hint(context: Context, match: Match, *, whole: bool = False) -> Sequence[Message]:
    await _check_allowed(context, match)
    game, course = context.game(match), context.course(match)
    reply = await best_turns(context, job_for(game, course.options, course.position, seconds=_SECONDS))
    best = reply.lines[0]
    presentation = context.present(match)
    if whole:
        view = turn(presentation, best)
    else:
        view = idea(presentation, best, idea_of(game, course.position, best))
    return [context.private(view)]


@registry.command(
    "analyse",
    arguments.MATCH,
    arguments.text("turn"),
    arguments.text("move"),
    topic=HelpTopic.REVIEW,
    aliases=("analyze",),
    finishing=False,
)
async def analyse(context: Context) -> Sequence[Message]:
    """`/analyse` of a finished match, `/analyse 12` of a turn, `/analyse 12 b2-b3` of another move in that turn."""
    number, _, text = context.command.rest.partition(" ")
    number = number.removesuffix(".")
    asked = number_in(number)
    if number and asked is None:
        raise no_such_word(context.command.rest)
    finder = context.finder
    match = await context.match(
        AmongFinished(finder.was_mine), AmongFinished(finder.finished), finder.mine, reads=True
    )
    if asked is None:
        return await _analysed(context, match)
    turn = _turn(context, match, asked)
    if not text.strip():
        return await _analysed(context, match, number)
    return await _refuted(context, match, turn, text)


@registry.button(Verb.WHY, finishing=False, kind=ViewKind.PAGE)
async def _why_pressed(context: Context, button: CallbackData) -> Sequence[Message]:
    match = await context.table.get(button.match)
    turn = _turn(context, match, button.seen)
    start = context.course(match).positions[turn.first]
    found = await taps.picked(context, button, context.game(match), start)
    if found is None:
        return []
    partial, _ = found
    if partial.whole:
        return await _refuted(context, match, turn, partial.selection.moves)
    return [context.private(cards.asked(context.present(match), turn, partial), ViewKind.PAGE)]


@registry.button(Verb.REFUTE, finishing=False, kind=ViewKind.PAGE)
async def _refute_pressed(context: Context, button: CallbackData) -> Sequence[Message]:
    match = await context.table.get(button.match)
    text = button.argument.removeprefix(cards.END)
    turn = _turn(context, match, button.seen)
    return await _refuted(context, match, turn, text, to_the_end=button.argument.startswith(cards.END))


def _turn(context: Context, match: Match, number: int) -> PlayedTurn:
    _check_over(match)
    turns = turns_of(context.course(match))
    if not turns:
        raise CommandError(AnalysisRefusal.NO_TURNS)
    return turn_numbered(turns, number)


def _check_over(match: Match) -> None:
    if match.phase is not Phase.OVER:
        raise CommandError(AnalysisRefusal.NOT_OVER_YET)


async def _refuted(
    context: Context, match: Match, turn: PlayedTurn, text: str, *, to_the_end: bool = False
) -> Sequence[Message]:
    presentation = context.present(match)
    course = presentation.course
    try:
        moves, _ = read_turn(course.game, course.positions[turn.first], text)
    except AmbiguousMove as several:
        view = cards.ambiguous(presentation, turn, several)
        return [context.private(view, ViewKind.NOTE, refused=True)]
    plies = tuple(map(course.game.notation.format, moves))
    key = match.id, match.revision, turn.number, plies

    async def compare(ask: Search) -> Alternative:
        judged = await judged_turn(match, course, turn, lambda job: kept(context.store.notes, job, ask))
        return await alternative(course, judged, " ".join(plies), ask)

    found = await _shared(context, key, compare, JobClass.ADVICE)
    return [context.private(cards.answer(presentation, found, to_the_end=to_the_end))]


@registry.button(Verb.ANALYSE, finishing=False, kind=ViewKind.CARD)
async def _analyse_pressed(context: Context, button: CallbackData) -> Sequence[Message]:
    return await _analysed(context, await context.table.get(button.match), button.argument)


async def _analysed(context: Context, match: Match, argument: str = "") -> Sequence[Message]:
    _check_over(match)
    presentation = context.present(match)
    turns = await judgement(context, match, presentation.course)
    typed, _, board = argument.partition(" ")
    if not turns or (number := number_in(typed)) is None:
        view = cards.overview(presentation, turns)
    else:
        view = cards.page(presentation, turns, number, played=board == cards.PLAYED)
    return [context.private(view, ViewKind.PAGE if argument else None)]


async def judgement(context: Context, match: Match, course: Course) -> tuple[Judged, ...]:
    """Return the judged turns of a finished match to a visitor, who sees how far that is."""
    with engines(context) as thinker:
        key = match.id, match.revision
        judge = partial(judged_turns, thinker, context.store, match, course)
        async with shown(context, thinker.progress(key)):
            return await _shared(context, key, judge, JobClass.ANALYSIS)


async def judged_turns(
    thinker: Thinker, store: FullStore, match: Match, course: Course, ask: Search
) -> tuple[Judged, ...]:
    """Return the judged turns of a finished match, and call what features do with them; for `Thinker.shared`."""
    progress = thinker.progress((match.id, match.revision))
    turns = await analysed(match, course, lambda job: kept(store.notes, job, ask), progress)
    await ANALYSED.all(thinker, store, match, course, turns)
    return turns


async def _shared(
    context: Context,
    key: Hashable,
    make: Callable[[Search], Coroutine[Any, Any, T]],
    job_class: JobClass,
) -> T:
    """Return what is made of searches of a class, once for all visitors, as one question of the first of them."""
    asker, place = str(context.visitor.account), str(context.visitor.place)
    with engines(context) as thinker:
        if not thinker.shares(key):  # to turn a page costs no search
            await context.take(SEARCHES)

        async def searched() -> T:
            with thinker.question(asker, place):
                return await make(lambda job: thinker.search(job, asker, job_class))

        return await thinker.shared(key, searched)


async def _check_allowed(context: Context, match: Match) -> None:
    with in_match(match):
        seat = playing_seat(match, context.course(match), context.request())
    # A place without hints has none in its matches, wherever the visitor uses the command.
    own, *places = await context.store.settings.get_many(context.visitor.account, *match.addresses)
    if not want_hints(places):
        raise CommandError(AnalysisRefusal.NO_HINTS)
    if not want_hints([own]):
        raise CommandError(AnalysisRefusal.NO_HINTS_WANTED)
    if match.rated:
        raise CommandError(AnalysisRefusal.NO_HINTS_RATED)
    if context.course(match).position.to_move != seat:
        raise CommandError(AnalysisRefusal.NOT_YOUR_TURN)
