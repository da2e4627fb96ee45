"""A coach for a person's first game against the computer: an idea before a move, and a question after a serious mistake.

`/coach` turns it on and off for a game, the end of a match turns it off; it never speaks in rated matches or in those between people.
What it says follows from the log, so that nothing is remembered between a move and the question.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, Final

from bot.chat.arguments import MATCH, HelpTopic
from bot.chat.callback_data import Verb
from bot.chat.context import Context
from bot.chat.match_lookup import Retry
from bot.chat.presenting.boards import person_on_turn, want_hints
from bot.chat.presenting.captions import marked, squares_text
from bot.chat.presenting.naming import Presentation, button
from bot.chat.registry import Registry
from bot.chat.sending.composer import Chosen
from bot.chat.services import Services
from bot.chat.thinking import Busy, NoAnswer, Thinker
from bot.chat.thinking.jobs import Reply, job_for
from bot.chat.view import Message, View
from bot.features.analysis.explaining import compared_values, explained_reply
from bot.features.analysis.judging import idea_of, judged
from bot.features.coaching.asking import can_be_coached, is_coached, not_here, turn
from engine.core import Idea
from play.people import Account, Address
from play.replay import turns_of
from rules.core import Phrase, Position

registry: Final = Registry()

_SECONDS: Final = 0.4  # of search for a position
_PATIENCE: Final = 2.0  # seconds that a board waits for what the coach says


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
    await turn(context.store, context.visitor.account, match.game, on=on)
    presentation = context.present(match)
    words, game = context.words, presentation.words(f"{match.game}.name")
    if not on:
        return [context.private(presentation.note(words("bot.coach.off", game=game)))]
    view = presentation.note(words("bot.coach.on", game=game))
    return [context.private(await _coached(context.services.thinker, view, presentation))]


async def advised(services: Services, view: View, presentation: Presentation, chosen: Chosen) -> View:
    """Return a board with what the coach says to the person on turn, where they have one; a first board offers the coach.

    The last board ends the coach: the next match is coached on asking.
    """
    match, thinker = presentation.match, services.thinker
    for one, own in chosen.items():
        if not match.live and isinstance(one, Account) and is_coached(match, own, ()):
            await turn(services.store, one, match.game, on=False)
    player = person_on_turn(match, presentation.course)
    if player is None or thinker is None:
        return view
    places = [settings for one, settings in chosen.items() if isinstance(one, Address)]
    if is_coached(match, chosen[player.account], places):
        return await _coached(thinker, view, presentation)
    if match.log or not view.controls or not can_be_coached(match) or not want_hints(places):
        return view
    *controls, last = view.controls
    return replace(view, controls=(*controls, button(presentation, Verb.COACH), last))


async def _coached(thinker: Thinker | None, view: View, presentation: Presentation) -> View:
    """Return a view with the question after a mistake, or with an idea; as it was, where there is neither, or no person on turn."""
    match, course = presentation.match, presentation.course
    player = person_on_turn(match, course)
    if player is None or match.paused or match.offer or thinker is None:
        return view

    async def search(position: Position[Any]) -> Reply:
        job = job_for(course.game, course.options, position, seconds=_SECONDS)
        return await thinker.advice(job, str(player.account), match.id)

    idea = None
    with suppress(Busy, NoAnswer, TimeoutError):
        async with asyncio.timeout(_PATIENCE):
            if said := await _mistake(presentation, search):
                label = presentation.words("bot.coach.take-back")
                back = button(presentation, Verb.TAKEBACK, label=label)
                return replace(view, lines=(*view.lines, *said), buttons=(*view.buttons, back))
            idea = idea_of(course.game, course.position, (await search(course.position)).lines[0])
    return _with_idea(view, presentation, idea or _captures(presentation))


async def _mistake(
    presentation: Presentation, search: Callable[[Position[Any]], Awaitable[Reply]]
) -> tuple[str, ...]:
    """Return the question after a turn that was a serious mistake, with the reason; nothing once the next turn is begun.

    Between two sides the reply shows what was given away; among more, what came of the turn once all others had moved.
    """
    course, words = presentation.course, presentation.words
    seat, turns = course.position.to_move, turns_of(course)
    last = next((each for each in reversed(turns) if each.seat == seat and each.plies), None)
    if last is None or last is turns[-1]:
        return ()
    start, after = course.positions[last.first], course.positions[last.end]
    answered = len(course.sides) == 2 and after.to_move not in course.side_of(seat)
    later = last.end if answered else len(course.log)
    found = judged(course, last, {at: await search(course.positions[at]) for at in (last.first, later)})
    if not found.turning or found.after.value is None:
        return ()
    asked = words("bot.coach.mistake", move=" ".join(last.plies))
    if not answered or found.reply is None:
        before, now = compared_values(found.best, found.after, start, words)
        return (asked, words("bot.coach.fell", before=before, now=now))
    why = explained_reply(course.game, after, found.reply, words, presentation.names.phrase)
    if turns[-1].plies != found.reply.turn:  # what the best reply does is not what the board shows
        return (asked, why.lines[0])
    return (asked, *why.lines, *marked(why.marks, words))


def _with_idea(view: View, presentation: Presentation, idea: Idea | None) -> View:
    if idea is None:
        return view
    words = presentation.words
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


registry.composing["coach"] = lambda services: partial(advised, services)
