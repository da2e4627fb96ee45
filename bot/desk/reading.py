"""Looking: /games, /watch, /rules, /help, /language, /export, /import."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from bot.actions import Action, Verb
from bot.desk import helping
from bot.desk.errand import Errand, Handler, Pressed, language_of, no_such_word, shown
from bot.desk.grammar import HERE, OFF, BadCommand, CommandError
from bot.desk.invitations import check_place
from bot.desk.naming import find_game, which_game
from bot.desk.variants import read_words
from bot.desk.which import Again, Over, sound
from bot.i18n import pick, read_language
from bot.i18n import words as words_for
from bot.presenter import cards, greeting
from bot.view import Message, View
from play import matchfile
from play.errors import Refused, Unavailable, WrongPhase
from play.games import games as waiting
from play.match import Match
from play.people import Account, Address
from rules.core import AnyGame


async def games(errand: Errand) -> Sequence[Message]:
    """Every match of the visitor, in all chats."""
    errand.no_words()
    mine = [match for match in await errand.store.of(errand.visitor.account) if sound(errand.table, match)]
    courses = [(match, errand.course(match)) for match in mine]
    entries = waiting(errand.visitor.account, courses, errand.at, errand.table.outages)
    listed = [(errand.game(entry.match), entry, errand.course(entry.match)) for entry in entries]
    view = cards.my_matches(
        listed,
        errand.visitor.place,
        errand.words,
        at=errand.at,
        outages=errand.table.outages,
        played=bool(mine),
    )
    return [errand.private(replace(view, links=await _links(errand, [entry.match for entry in entries])))]


async def _links(errand: Errand, matches: Sequence[Match]) -> tuple[tuple[str, str], ...]:
    """Where matches are shown, as far as the platform has links there."""
    link = errand.visitor.link
    if link is None:
        return ()
    platform, outgoing = errand.visitor.place.platform, errand.store.outgoing()
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


async def watch(errand: Errand) -> Sequence[Message]:
    """`/watch #k7q2mz` shows a match here too; `/watch off` ends that."""
    off = errand.command.rest.casefold() in OFF
    here = errand.visitor.place

    def watched(match: Match) -> bool:
        return here in match.addresses[1:]

    if errand.command.rest and not off:
        raise no_such_word(errand.command.rest)
    if off:
        if not (errand.command.code or await errand.finder.fitting(watched, Over(watched))):
            raise WrongPhase(Refused.NOT_WATCHING)
        match = await errand.match(watched, Over(watched), again=Again(Verb.UNWATCH))
    elif errand.command.code:
        match = await errand.finder.named(errand.command.code)
    else:
        raise CommandError(BadCommand.WHICH_CODE)
    return await errand.announce(
        await errand.table.watch(match.id, here, on=not off, operation=errand.operation)
    )


async def rules(errand: Errand) -> Sequence[Message]:
    """`/rules`, `/rules lgame scoring`; without a game, of the match that is played here."""
    game: AnyGame | None = None
    chosen = errand.command.chosen()
    words = [*filter(None, [chosen.pop("game", "")]), *errand.command.words]
    if words:
        game = find_game(errand.table.games, words[0])
        if game is None:
            raise which_game(errand, words[0])
        chosen, left = read_words(game, words[1:], chosen)
        if left:
            raise no_such_word(left[0])
    if game is None and not chosen:
        return [errand.private(await _rules_here(errand))]
    if game is None:
        raise which_game(errand)
    described = game.describe(game.choose(chosen)) if chosen else {}
    view = cards.rules(game, described, errand.words)
    if errand.visitor.dialogues:
        view = replace(view, buttons=greeting.variants_of(game, errand.words))
    return [errand.private(view)]


async def _rules_here(errand: Errand) -> View:
    """The rules of the match that is named or under way, and where there is none, which games there are."""
    finder = errand.finder
    if errand.command.code:
        match = await finder.named(errand.command.code)
    elif found := await finder.fitting(finder.mine, finder.entered):
        match = found[0]
    else:
        games = list(errand.table.games.values())
        view = cards.games(games, errand.words)
        return (
            replace(view, buttons=greeting.rules_of(games, errand.words))
            if errand.visitor.dialogues
            else view
        )
    return cards.rules(errand.game(match), dict(match.options), errand.words)


async def language(errand: Errand) -> Sequence[Message]:
    """`/language uk` for oneself, `/language uk here` for the place."""
    words = list(errand.command.words)
    here = any(word.casefold() in HERE for word in words)
    named = [word for word in words if word.casefold() not in HERE]
    if not named:
        return [errand.private(cards.languages(errand.words))]
    chosen = read_language(" ".join(named))
    if chosen is None:
        raise CommandError(BadCommand.BAD_LANGUAGE, text=shown(" ".join(named)), languages=cards.spoken())
    if here:
        errand.for_all()
        await _speak(errand, errand.visitor.place, chosen)
        return [Message(errand.visitor.place, cards.language(words_for(chosen), here=True))]
    await _speak(errand, errand.visitor.account, chosen)
    there = pick(await language_of(errand.store, errand.visitor.place), errand.default_language)
    return [errand.private(cards.language(words_for(chosen), here=False, spoken_here=there == chosen))]


async def _speak(errand: Errand, whose: Account | Address, language: str) -> None:
    await errand.store.change_settings(whose, lambda now: replace(now, language=language))


async def export(errand: Errand) -> Sequence[Message]:
    """A match as a file."""
    errand.no_words()
    finder = errand.finder
    match = await errand.latest(finder.mine, Over(finder.was_mine), Over(finder.finished), finder.entered)
    return await _export(errand, match)


async def _export(errand: Errand, match: Match) -> Sequence[Message]:
    text = await errand.table.export(match.id)
    view = cards.file(errand.game(match), match, text, errand.words)
    return [errand.private(view)]


async def import_(errand: Errand) -> Sequence[Message]:
    """A match from a file's text."""
    if not errand.command.rest.strip():
        raise CommandError(BadCommand.NO_FILE)
    game = errand.table.games.get(matchfile.read(errand.command.rest).game)
    if game is not None:  # else it is refused
        await check_place(errand, game)
    fact = await errand.table.import_file(
        errand.command.rest,
        errand.visitor.player,
        errand.visitor.place,
        at=errand.at,
        operation=errand.operation,
    )
    return await errand.announce(fact)


async def _pressed(errand: Errand, button: Action) -> Sequence[Message]:
    match = await errand.table.get(button.match)
    if button.verb is Verb.EXPORT:
        return await _export(errand, match)
    on = button.verb is Verb.WATCH
    return await errand.announce(
        await errand.table.watch(match.id, errand.visitor.place, on=on, operation=errand.operation)
    )


COMMANDS: Final[Mapping[str, Handler]] = {
    "games": games,
    "watch": watch,
    "rules": rules,
    "help": helping.help_,
    "language": language,
    "export": export,
    "import": import_,
}

PRESSES: Final[Mapping[Verb, Pressed]] = dict.fromkeys((Verb.EXPORT, Verb.WATCH, Verb.UNWATCH), _pressed)
