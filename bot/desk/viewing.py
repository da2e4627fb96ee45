"""/board, /replay, /games."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from bot.callback_data import CallbackData, Verb
from bot.desk import arguments
from bot.desk.context import Context
from bot.desk.errors import BadCommand, CommandError, no_such_word
from bot.desk.grammar import HERE
from bot.desk.match_lookup import AmongFinished, Retry, sound
from bot.desk.registry import Registry
from bot.desk.settings import switch
from bot.presenter import boards, cards, replays
from bot.presenter.boards import UNFLIPPED
from bot.view import Message
from play.errors import Unavailable
from play.listing import waiting
from play.match import Match, Phase
from play.ratings.counting import counted

registry: Final = Registry()

_WORDS: Final = frozenset({"words", "text", "словами", "текст", "текстом"})
_FLIP: Final = frozenset({"flip", "flipped", "side", "розворот", "розвернути", "разворот", "развернуть"})

_IN_WORDS: Final = "words"
_FLIPPED: Final = "flip"


@registry.command("board", arguments.MATCH, arguments.choice("how", "words", "flip", named=False))
async def board(context: Context) -> Sequence[Message]:
    """Show a match to the visitor alone; `/board words` in words, `/board flip` from the other side.

    Their own that waits for them; else another of theirs, else any that is played here, else the last one.
    """
    ways = _ways(context)
    finder = context.finder
    if context.command.code or await finder.fitting(finder.my_turn):
        match = await context.match(finder.my_turn, retry=Retry(Verb.BOARD, " ".join(ways)))
    else:
        match = await context.latest(finder.mine, lambda match: match.live, AmongFinished(finder.finished))
    return await _board(context, match, ways)


@registry.button(Verb.BOARD)
async def _board_pressed(context: Context, button: CallbackData) -> Sequence[Message]:
    return await _board(context, await context.table.get(button.match), button.argument.split())


def _ways(context: Context) -> tuple[str, ...]:
    """Return how to show the board: `words`, `flip`, also with a yes or no after a colon."""
    wanted = {}
    for word in context.command.words:
        wanted[_way(word)] = True
    for key, value in context.command.chosen().items():
        wanted[_way(key)] = switch(value)
    return tuple(way for way, on in wanted.items() if on)


def _way(word: str) -> str:
    if word.casefold() in _WORDS:
        return _IN_WORDS
    if word.casefold() in _FLIP:
        return _FLIPPED
    raise no_such_word(word)


async def _board(context: Context, match: Match, ways: Iterable[str]) -> Sequence[Message]:
    if _IN_WORDS in ways and match.phase in (Phase.PLAYING, Phase.OVER):
        return [context.private(boards.in_words(context.present(match)))]
    flipped = context.flipped(match) is not (_FLIPPED in ways)
    return await _shown(context, match, flipped=flipped, text=False)


@registry.button(Verb.FLIP, Verb.TEXT)
async def _flip_or_text(context: Context, button: CallbackData) -> Sequence[Message]:
    match = await context.table.get(button.match)
    text = button.verb is Verb.TEXT
    # Under the shared board: flipped, independently of the visitor's side; as text, from their own side.
    flipped = context.flipped(match) if text else True
    if button.argument:
        flipped = button.argument != UNFLIPPED
    return await _shown(context, match, flipped=flipped, text=text)


async def _shown(context: Context, match: Match, *, flipped: bool, text: bool) -> Sequence[Message]:
    changes = await counted(context.table, match)
    presentation = replace(context.present(match, changes), flipped=flipped)
    view = boards.looked_at(boards.show(presentation), presentation, text=text)
    view = await context.hinted(view, presentation)
    return [context.private(boards.for_one(view, match, context.asker, context.visitor.account))]


@registry.command("replay", arguments.MATCH, arguments.HERE, button=Verb.REPLAY)
async def replay(context: Context) -> Sequence[Message]:
    """Show a match as an animation: `/replay` to the visitor alone, `/replay here` to the place.

    Their own that is under way; else their last, else any here.
    """
    for word in context.command.words:
        if word.casefold() not in HERE:
            raise no_such_word(word)
    for key in context.command.options:
        raise no_such_word(key)
    finder = context.finder
    match = await context.latest(
        finder.mine,
        AmongFinished(finder.was_mine),
        lambda match: match.phase is Phase.PLAYING,
        AmongFinished(finder.finished),
    )
    if not match.log or match.phase is Phase.OPEN:
        raise CommandError(BadCommand.NOTHING_PLAYED)
    # A film is kept for all who watch it, so its clocks show the time of the last change.
    presentation = replace(context.present(match), now=context.table.as_of(match))
    here = bool(context.command.words)
    if here:
        words = context.place_words
        presentation = replace(presentation, words=words, theme=context.place_theme, flipped=False)
    film = await context.resources.pictures.film(
        (match.id, match.revision, presentation.words.language),
        partial(replays.frames, presentation),
        theme=presentation.theme,
        flipped=presentation.flipped,
    )
    view = replays.replay(presentation, film)
    return [Message(context.visitor.place, view) if here else context.private(view)]


@registry.command("games")
async def games(context: Context) -> Sequence[Message]:
    """List the visitor's matches in all chats."""
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
    """Return links to the boards of matches, by code, where the platform has them."""
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
