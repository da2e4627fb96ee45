"""/hint during a match, and /analyse once it is over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bot.analysis import cards as analyses
from bot.analysis import hints
from bot.analysis.ideas import idea_of
from bot.analysis.judging import ANALYSED, Judged, analysed
from bot.callback_data import CallbackData, Verb
from bot.desk import arguments
from bot.desk.advice import best_turns, engines
from bot.desk.command_spec import HelpTopic
from bot.desk.context import Context
from bot.desk.errors import CommandError, in_match
from bot.desk.match_lookup import AmongFinished, Retry
from bot.desk.registry import Registry
from bot.presenter.controls import want_hints
from bot.quotas import SEARCHES
from bot.thinking.jobs import job_for
from bot.view import Message
from play.checks import check_fresh, playing_seat
from play.match import Match, Phase
from play.replay import Course
from rules.core import Reason

registry: Final = Registry()


class AnalysisRefusal(Reason):
    """Why a hint or an analysis is refused."""

    NOT_OVER_YET = "bot.command.not-over-yet"
    NO_HINTS = "bot.command.no-hints"
    NO_HINTS_WANTED = "bot.command.no-hints-wanted"
    NO_HINTS_RATED = "bot.command.no-hints-rated"
    NOT_YOUR_TURN = "bot.command.not-your-turn"


SECONDS: Final = 1.2
"""Seconds of search for a hint."""

_MOVE: Final = "move"


@registry.command("hint", arguments.MATCH, topic=HelpTopic.REVIEW, cost=SEARCHES)
async def hint(context: Context) -> Sequence[Message]:
    """Show the player on turn the idea of the best turn; a button shows the turn itself."""
    context.no_words()
    finder = context.finder
    # Of several matches only those are asked about in which there are hints.
    asks_which = context.resources.thinker is not None and context.command.code is None
    fit = await finder.with_hints(await finder.within_reach()) if asks_which else ()
    can = {match.id for match in fit}
    match = await context.fit_for(
        lambda match: match.id in can, finder.my_turn, finder.mine, retry=Retry(Verb.HINT)
    )
    return await _hint(context, match)


@registry.button(Verb.HINT, cost=SEARCHES)
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
    reply = await best_turns(context, job_for(game, course.options, course.position, seconds=SECONDS))
    best = reply.lines[0]
    presentation = context.present(match)
    if whole:
        view = hints.turn(presentation, best)
    else:
        view = hints.idea(presentation, best, idea_of(game, course.position, best))
    return [context.private(view)]


@registry.command("analyse", arguments.MATCH, topic=HelpTopic.REVIEW)
async def analyse(context: Context) -> Sequence[Message]:
    """Show the analysis of a finished match."""
    context.no_words()
    finder = context.finder
    match = await context.latest(AmongFinished(finder.was_mine), AmongFinished(finder.finished), finder.mine)
    return await _analysed(context, match)


@registry.button(Verb.ANALYSE)
async def _analyse_pressed(context: Context, button: CallbackData) -> Sequence[Message]:
    return await _analysed(context, await context.table.get(button.match), button.argument)


async def _analysed(context: Context, match: Match, argument: str = "") -> Sequence[Message]:
    if match.phase is not Phase.OVER:
        raise CommandError(AnalysisRefusal.NOT_OVER_YET)
    presentation = context.present(match)
    turns = await _judged(context, match, presentation.course)
    number, _, board = argument.partition(" ")
    if not turns or not (number.isascii() and number.isdigit() and len(number) < 6):
        view = analyses.overview(presentation, turns)
    else:
        view = analyses.page(presentation, turns, int(number), played=board == analyses.PLAYED)
    return [context.private(view)]


async def _judged(context: Context, match: Match, course: Course) -> tuple[Judged, ...]:
    """Return the judged turns of a match, analysed once for all visitors.

    Raises:
        CommandError: there are no engines, they have no time, or it would be one search too many.
    """
    key = match.id, match.revision
    asker, place, store = str(context.visitor.account), str(context.visitor.place), context.store
    with engines(context) as thinker:
        if not thinker.shares(key):  # to turn a page costs no search
            await context.take(SEARCHES)

        async def judge() -> tuple[Judged, ...]:
            with thinker.question(asker, place):
                turns = await analysed(match, course, lambda job: thinker.search(job, asker))
            await ANALYSED.fire(thinker, store, match, course, turns)
            return turns

        return await thinker.shared(key, judge)


async def _check_allowed(context: Context, match: Match) -> None:
    """Check that the visitor may have a hint now."""
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
