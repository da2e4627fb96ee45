"""Looking: /games, /watch, /rules, /help, /language, /export, /import."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from bot.callback_data import CallbackData, Verb
from bot.desk import arguments, help_pages
from bot.desk.command_spec import Access
from bot.desk.context import Context, language_of
from bot.desk.errors import BadCommand, CommandError, no_such_word, shown
from bot.desk.game_words import find_game, read_words, which_game
from bot.desk.grammar import HERE, OFF, Command
from bot.desk.match_lookup import AmongFinished, Retry, sound
from bot.desk.match_setup import check_place
from bot.desk.registry import Registry
from bot.i18n import LANGUAGES, pick, read_language
from bot.i18n import words as words_for
from bot.presenter import cards, greeting
from bot.view import Message, View
from play.actions.watching import Watch
from play.errors import Refused, Unavailable, WrongPhase
from play.files import matchfile
from play.files.importing import Import
from play.listing import waiting
from play.match import Match
from play.people import Account, Address
from rules.core import AnyGame

registry: Final = Registry()


@registry.command("games")
async def games(context: Context) -> Sequence[Message]:
    """Every match of the visitor, in all chats."""
    context.no_words()
    mine = [
        match
        for match in await context.store.matches.of(context.visitor.account)
        if sound(context.table, match)
    ]
    courses = [(match, context.course(match)) for match in mine]
    entries = waiting(context.visitor.account, courses, context.now)
    listed = [(context.present(entry.match), entry.waits) for entry in entries]
    view = cards.my_matches(listed, context.visitor.place, context.words, played=bool(mine))
    return [context.private(replace(view, links=await _links(context, [entry.match for entry in entries])))]


async def _links(context: Context, matches: Sequence[Match]) -> tuple[tuple[str, str], ...]:
    """Where matches are shown, as far as the platform has links there."""
    link = context.visitor.link
    if link is None:
        return ()
    platform, outgoing = context.visitor.place.platform, context.store.outgoing()
    wanted = [
        (match.id, place) for match in matches for place in match.addresses if place.platform == platform
    ]
    try:
        shown = await asyncio.gather(*(outgoing.shown(code, place) for code, place in wanted))
    except Unavailable:
        return ()
    found: dict[str, str] = {}
    for (code, place), message in zip(wanted, shown, strict=True):
        url = link(place, message) if message else None
        if url is not None:
            found.setdefault(code, url)
    return tuple(found.items())


@registry.command("watch", arguments.MATCH, arguments.switch("stop", "off"))
async def watch(context: Context) -> Sequence[Message]:
    """`/watch #k7q2mz` shows a match here too; `/watch off` ends that."""
    off = context.command.rest.casefold() in OFF
    here = context.visitor.place

    def watched(match: Match) -> bool:
        return here in match.addresses[1:]

    if context.command.rest and not off:
        raise no_such_word(context.command.rest)
    if off:
        if not (context.command.code or await context.finder.fitting(watched, AmongFinished(watched))):
            raise WrongPhase(Refused.NOT_WATCHING)
        match = await context.match(watched, AmongFinished(watched), retry=Retry(Verb.UNWATCH))
    elif context.command.code:
        match = await context.finder.named(context.command.code)
    else:
        raise CommandError(BadCommand.WHICH_CODE)
    return await context.announce(
        await context.table.act(match.id, Watch(here, on=not off), context.request())
    )


@registry.command("rules", arguments.GAME, arguments.OPTIONS)
async def rules(context: Context) -> Sequence[Message]:
    """`/rules`, `/rules lgame scoring`; without a game, of the match that is played here."""
    game: AnyGame | None = None
    chosen = context.command.chosen()
    words = [*filter(None, [chosen.pop("game", "")]), *context.command.words]
    if words:
        game = find_game(context.table.games, words[0])
        if game is None:
            raise which_game(context, words[0])
        chosen, left = read_words(game, words[1:], chosen)
        if left:
            raise no_such_word(left[0])
    if game is None and not chosen:
        return [context.private(await _rules_here(context))]
    if game is None:
        raise which_game(context)
    described = game.describe(game.choose(chosen)) if chosen else {}
    view = cards.rules(game, described, context.words)
    if context.visitor.dialogues:
        view = replace(view, buttons=greeting.variants_of(game, context.words))
    return [context.private(view)]


async def _rules_here(context: Context) -> View:
    """The rules of the match that is named or under way, and where there is none, which games there are."""
    finder = context.finder
    if context.command.code:
        match = await finder.named(context.command.code)
    elif found := await finder.fitting(finder.mine, finder.entered):
        match = found[0]
    else:
        games = list(context.table.games.values())
        view = cards.games(games, context.words)
        return (
            replace(view, buttons=greeting.rules_of(games, context.words))
            if context.visitor.dialogues
            else view
        )
    return cards.rules(context.game(match), dict(match.options), context.words)


@registry.command(
    "language",
    arguments.choice("language", *LANGUAGES, named=False),
    arguments.HERE,
    access=Access.ADMINS_FOR_PLACE,
)
async def language(context: Context) -> Sequence[Message]:
    """`/language uk` for oneself, `/language uk here` for the place."""
    words = list(context.command.words)
    here = any(word.casefold() in HERE for word in words)
    named = [word for word in words if word.casefold() not in HERE]
    if not named:
        return [context.private(cards.languages(context.words))]
    chosen = read_language(" ".join(named))
    if chosen is None:
        raise CommandError(BadCommand.BAD_LANGUAGE, text=shown(" ".join(named)), languages=cards.spoken())
    if here:
        context.for_all()
        await _speak(context, context.visitor.place, chosen)
        return [Message(context.visitor.place, cards.language(words_for(chosen), here=True))]
    await _speak(context, context.visitor.account, chosen)
    there = pick(await language_of(context.store, context.visitor.place), context.resources.language)
    return [context.private(cards.language(words_for(chosen), here=False, spoken_here=there == chosen))]


async def _speak(context: Context, whose: Account | Address, language: str) -> None:
    await context.store.settings.change(whose, lambda now: replace(now, language=language))


@registry.command("export", arguments.MATCH)
async def export(context: Context) -> Sequence[Message]:
    """A match as a file."""
    context.no_words()
    finder = context.finder
    match = await context.latest(
        finder.mine, AmongFinished(finder.was_mine), AmongFinished(finder.finished), finder.entered
    )
    return await _export(context, match)


async def _export(context: Context, match: Match) -> Sequence[Message]:
    text = matchfile.export(match)
    view = cards.file(context.names(match), text)
    return [context.private(view)]


@registry.command("import", arguments.FILE)
async def import_(context: Context) -> Sequence[Message]:
    """A match from a file's text."""
    if not context.command.rest.strip():
        raise CommandError(BadCommand.NO_FILE)
    game = context.table.games.get(matchfile.read(context.command.rest).game)
    if game is not None:  # else it is refused
        await check_place(context, game)
    fact = await context.table.open(Import(context.command.rest, context.visitor.place), context.request())
    return await context.announce(fact)


@registry.button(Verb.EXPORT, Verb.WATCH, Verb.UNWATCH)
async def _pressed(context: Context, button: CallbackData) -> Sequence[Message]:
    match = await context.table.get(button.match)
    if button.verb is Verb.EXPORT:
        return await _export(context, match)
    on = button.verb is Verb.WATCH
    return await context.announce(
        await context.table.act(match.id, Watch(context.visitor.place, on), context.request())
    )


@registry.button(Verb.RULES, Verb.HELP)
async def _explain(context: Context, button: CallbackData) -> Sequence[Message]:
    """Rules or help, as if they had been asked for in words."""
    if button.verb is Verb.HELP:
        return await help_pages.help_(replace(context, command=Command.of("help")))
    words = tuple(filter(None, button.argument.split("/")))[:2]
    options = {"preset": words[1]} if len(words) > 1 else {}
    return await rules(replace(context, command=Command.of("rules", *words[:1], options=options)))
