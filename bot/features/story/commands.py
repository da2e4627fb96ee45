"""/story: a match that is over, told by its beats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from bot.chat import arguments
from bot.chat.arguments import MATCH, HelpTopic
from bot.chat.callback_data import CallbackData, Verb
from bot.chat.context import Context
from bot.chat.errors import CommandError
from bot.chat.match_lookup import AmongFinished
from bot.chat.presenting.naming import Presentation
from bot.chat.quotas import ANIMATIONS, PICTURES
from bot.chat.registry import STORIES, Registry
from bot.chat.view import Message, View, ViewKind
from bot.features.analysis.commands import AnalysisRefusal, judgement
from bot.features.analysis.judging import kept_turns
from bot.features.matches import cards
from bot.features.story import drawing, openings
from bot.features.story.beats import Beat
from play.match import Match, Phase
from render.picture import RenderOptions
from rules.core import Reason
from storage.ports import FullStore

registry: Final = Registry()


class StoryRefusal(Reason):
    """Why there is no story."""

    NOT_OVER = "bot.story.not-over"


@registry.command(
    "story",
    MATCH,
    arguments.HERE,
    topic=HelpTopic.REVIEW,
    cost=PICTURES,
    finishing=False,
    kind=ViewKind.CARD,
)
async def story(context: Context) -> Sequence[Message]:
    """`/story` of the visitor's last match, else of the last one here, to them alone; `/story here` to the place."""
    here, finder = context.only_here(), context.finder
    match = await context.match(
        AmongFinished(finder.was_mine), AmongFinished(finder.finished), finder.mine, reads=True
    )
    if here:  # a bar would be private, and there is no private answer to take its place
        context = replace(context, visitor=replace(context.visitor, progress=None))
    view = drawing.story(context.present(match, here=here), await _beats(context, match))
    return [Message(context.visitor.place, view) if here else context.private(view)]


@registry.button(Verb.STORY, cost=PICTURES, finishing=False, kind=ViewKind.CARD)
async def _pressed(context: Context, button: CallbackData) -> Sequence[Message]:
    match = await context.table.get(button.match)
    if button.argument != drawing.FILM:
        return [context.private(drawing.story(context.present(match), await _beats(context, match)))]
    await context.take(ANIMATIONS)
    told = await _beats(context, match)
    # As of /replay: a film is kept for all who watch it.
    presentation = replace(context.present(match), now=context.table.as_of(match), zone=None)
    captions = drawing.captions(presentation, told)
    film = await context.services.pictures.film(
        (match.id, match.revision, presentation.words.language, tuple(captions.items())),
        partial(cards.frames, presentation, told=captions),
        RenderOptions(presentation.theme, presentation.flipped, scale=1),
    )
    return [context.private(drawing.film(presentation, told, film))]


async def _beats(context: Context, match: Match) -> Sequence[Beat]:
    if match.phase is not Phase.OVER:
        raise CommandError(StoryRefusal.NOT_OVER)
    course = context.course(match)
    if not course.moves:
        raise CommandError(AnalysisRefusal.NO_TURNS)
    return await openings.story(context.store, match, course, await judgement(context, match, course))


@STORIES
async def _kept(store: FullStore, presentation: Presentation) -> View | None:
    match, course = presentation.match, presentation.course
    turns = await kept_turns(store, match, course)
    if not turns:
        return None
    return drawing.story(presentation, await openings.story(store, match, course, turns))
