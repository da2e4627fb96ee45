"""A coach for a person's first games against the computer: an idea before a move, and a question before a serious mistake.

`/coach` turns it on and off for a game; it never speaks in rated matches or in those between people.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Final

from bot.chat.arguments import MATCH, HelpTopic
from bot.chat.callback_data import Verb
from bot.chat.context import Context
from bot.chat.errors import CommandError
from bot.chat.match_lookup import Retry
from bot.chat.presenting.boards import person_on_turn, want_hints
from bot.chat.presenting.captions import marked, squares_text
from bot.chat.presenting.naming import Presentation, button
from bot.chat.quotas import SEARCHES
from bot.chat.registry import Registry
from bot.chat.sending.composer import Chosen
from bot.chat.thinking import Busy, NoAnswer, Thinker
from bot.chat.thinking.jobs import job_for
from bot.chat.view import Message, View
from bot.features.analysis.explaining import explained_reply
from bot.features.analysis.judging import Judged, PlayedTurn, Worth, idea_of, no_better
from bot.features.coaching.asking import OBJECTIONS, can_be_coached, is_coached, not_here, turn
from bot.features.matches.engine_opponents import best_turns
from engine.core import Idea
from play.match import Match
from play.people import Address
from rules.core import Phrase

registry: Final = Registry()

_SECONDS: Final = 0.4  # of search, before a move and after it
_PATIENCE: Final = 2.0  # seconds that a board waits for its idea, and a move for what the coach says


@registry.command("coach", MATCH, topic=HelpTopic.REVIEW, button=Verb.COACH, finishing=False)
async def coach(context: Context) -> Sequence[Message]:
    """Turn the coach on or off in the visitor's matches of a game against the computer."""
    context.no_words()
    mine = context.finder.mine
    match = await context.in_play(
        lambda match: mine(match) and can_be_coached(match), otherwise=(mine,), retry=Retry(Verb.COACH)
    )
    if not (mine(match) and can_be_coached(match)):
        raise not_here(match.game)
    on = match.game not in context.own.coached
    await turn(context, match.game, on=on)
    presentation = context.present(match)
    words, game = context.words, presentation.words(f"{match.game}.name")
    if not on:
        return [context.private(presentation.note(words("bot.coach.off", game=game)))]
    view = presentation.note(words("bot.coach.on", game=game))
    return [context.private(await _with_idea(context.services.thinker, view, presentation))]


async def advised(thinker: Thinker | None, view: View, presentation: Presentation, chosen: Chosen) -> View:
    """Return a board with the idea of the best turn, for a person on turn whom the coach is with; a first board offers the coach."""
    match = presentation.match
    player = person_on_turn(match, presentation.course)
    if player is None or thinker is None:
        return view
    places = [settings for one, settings in chosen.items() if isinstance(one, Address)]
    if is_coached(match, chosen[player.account], places):
        return await _with_idea(thinker, view, presentation)
    if match.log or not view.controls or not can_be_coached(match) or not want_hints(places):
        return view
    *controls, last = view.controls
    return replace(view, controls=(*controls, button(presentation, Verb.COACH), last))


async def _with_idea(thinker: Thinker | None, view: View, presentation: Presentation) -> View:
    """Return a view with the idea; as it was, where no person is on turn, or there is none to say."""
    match, course, words = presentation.match, presentation.course, presentation.words
    player = person_on_turn(match, course)
    if player is None or match.paused or thinker is None:
        return view
    job = job_for(course.game, course.options, course.position, seconds=_SECONDS)
    reply = None
    with suppress(Busy, NoAnswer, TimeoutError):
        async with asyncio.timeout(_PATIENCE):
            reply = await thinker.advice(job, str(player.account), match.id)
    idea = idea_of(course.game, course.position, reply.lines[0]) if reply else None
    idea = idea or _captures(presentation)
    if idea is None:
        return view
    said = words("bot.coach.idea", idea=presentation.names.phrase(idea.phrase))
    view = replace(view, lines=(*view.lines, " ".join((said, *marked(idea.marks, words)))))
    if view.diagram is None:
        return view
    there = {(mark.sign, mark.square) for mark in view.diagram.marks}
    further = (mark for mark in idea.marks if (mark.sign, mark.square) not in there)
    return replace(view, diagram=replace(view.diagram, marks=(*view.diagram.marks, *further)))


def _captures(presentation: Presentation) -> Idea | None:
    """What can be captured, first by the player on turn, then of theirs; None: nothing, or there are more than two sides."""
    mover = presentation.course.position.to_move
    if len(presentation.course.sides) > 2:
        return None
    threats = presentation.game.threats(presentation.course.position)
    for key, found in (
        ("bot.coach.take", {each.target for each in threats if each.by == mover}),
        ("bot.coach.beware", {each.target for each in threats if each.by != mover}),
    ):
        if found:
            return Idea(Phrase(key, {"squares": squares_text(tuple(sorted(found)))}))
    return None


registry.coach = lambda services: partial(advised, services.thinker)


@OBJECTIONS
async def objection(context: Context, match: Match, text: str) -> tuple[str, ...] | None:
    """Return what the coach says of a turn that is a serious mistake, with the best reply to it; None of any other."""
    course, game = context.course(match), context.game(match)
    start = here = course.position
    moves = game.notation.parse(text, start)
    for move in moves:
        here = here.play(move)
    if here.outcome or here.to_move == start.to_move or len(course.sides) > 2:
        return None
    before, after = (job_for(game, course.options, each, seconds=_SECONDS) for each in (start, here))
    try:
        await context.take(SEARCHES)
        async with asyncio.timeout(_PATIENCE):
            (best, *_), (reply, *_) = [(await best_turns(context, job)).lines for job in (before, after)]
    except (CommandError, TimeoutError):
        return None  # a search that fails must not keep anyone from moving
    played = PlayedTurn(0, start.to_move, 0, 0, tuple(map(game.notation.format, moves)))
    worth = no_better(Worth(-reply.value, reply.plies), best)
    if not Judged(played, best, None, worth, reply).turning:
        return None
    why = explained_reply(game, here, reply, context.words, context.names(match).phrase)
    return (context.words("bot.coach.mistake"), *why.lines, *marked(why.marks, context.words))
