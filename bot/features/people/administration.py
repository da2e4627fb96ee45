"""/config, for the admins of a place, and /end, for them and for players."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from bot.chat.arguments import MATCH, VOTE, Access, HelpTopic
from bot.chat.callback_data import Verb
from bot.chat.context import Context
from bot.chat.errors import BadCommand, CommandError
from bot.chat.grammar import NO, YES, switch
from bot.chat.i18n import words as words_for
from bot.chat.match_lookup import Retry
from bot.chat.quotas import FREE
from bot.chat.registry import POSTS_CHOSEN, Registry
from bot.chat.view import Message
from bot.features.matches.playing import answer
from bot.features.people.panels import CONFIG, asked_setting
from play.actions.agreeing import Propose
from play.actions.leaving import End
from play.match import Ask, Match
from play.time.timers import untimed

registry: Final = Registry()

_REMOVE: Final = frozenset({"remove", "вилучити", "исключить"})


@registry.command(
    "config",
    *(each.argument for each in CONFIG.settings),
    topic=HelpTopic.OPTIONS,
    access=Access.ADMINS,
    button=Verb.CONFIG,
    finishing=False,
)
async def config(context: Context) -> Sequence[Message]:
    """`/config games:lgame,breakthrough most:5 threads:on quiet:23-8 end:admins hints:off puzzle:9`; alone, what is chosen."""
    await context.admins_only()
    typed, place = CONFIG.named(context.command.chosen()), context.visitor.place
    asked = asked_setting(context)
    if context.services.config.page_url is None and (asked == "page" or "page" in typed):
        raise CommandError(BadCommand.NO_PAGE)
    if not context.visitor.threads and "threads" in typed and switch(typed["threads"]):
        raise CommandError(BadCommand.NO_THREADS)
    new = await context.store.settings.change(place, lambda now: CONFIG.changed(context, now, typed))
    if not typed.keys().isdisjoint(("puzzle", "zone", "digest")):
        await POSTS_CHOSEN.all(context.store, place, new, context.at)
    if "language" in typed and new.language:
        context = replace(context, words=words_for(new.language))
    return [context.private(CONFIG.view(context, new, asked, {}))]


@registry.command("end", VOTE, MATCH, topic=HelpTopic.OPTIONS, button=Verb.END, cost=FREE, finishing=True)
async def end(context: Context) -> Sequence[Message]:
    """`/end #k7q2mz`: by an admin, a match of this place; by its players, one without a clock. There is no winner.

    `/end remove` is to remove the player on turn; with yes or no it answers either question.
    """
    word, code, finder = context.command.rest.casefold(), context.command.code, context.finder
    if word in YES | NO:
        asks = [finder.asked(Ask.REMOVE), *([finder.asked(Ask.REMOVE, own=True)] if word in NO else [])]
        near = [match for match in await finder.within_reach() if match.id.startswith(code or "")]
        removing = any(asked(match) for match in near for asked in asks)
        return await answer(context, Ask.REMOVE if removing else Ask.END, yes=word in YES)
    if word not in _REMOVE:
        context.no_words()

    def votes(match: Match) -> bool:
        return finder.mine(match) and untimed(match)

    ask = Ask.REMOVE if word else Ask.END
    named = await finder.named(code) if code else None
    admin = not word and context.place.ends and await context.visitor.is_admin()
    if not admin and (votes(named) if named else await finder.fitting(votes)):
        return await context.act(await context.match(votes, retry=Retry(Verb.VOTE, ask.value)), Propose(ask))
    await context.admins_only()
    if not context.place.ends:
        raise CommandError(BadCommand.ENDS_OFF)
    match = named
    if match is None:
        match = await context.match(lambda match: _made_here(context, match), retry=Retry(Verb.END))
    if not _made_here(context, match):
        raise CommandError(BadCommand.MADE_ELSEWHERE)
    return await context.act(match, End())


def _made_here(context: Context, match: Match) -> bool:
    return match.addresses[:1] == (context.visitor.place,)
