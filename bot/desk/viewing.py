"""Boards and whole matches to look at: /board, /replay."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from bot.callback_data import CallbackData, Verb
from bot.desk import arguments
from bot.desk.context import Context
from bot.desk.errors import BadCommand, CommandError, no_such_word
from bot.desk.grammar import HERE
from bot.desk.match_lookup import AmongFinished, Retry
from bot.desk.registry import Registry
from bot.desk.settings import switch
from bot.presenter import boards, replays
from bot.presenter.boards import UNFLIPPED
from bot.view import Message
from play.match import Match, Phase
from play.ratings.counting import counted

registry: Final = Registry()

_WORDS: Final = frozenset({"words", "text", "словами", "текст", "текстом"})
_FLIP: Final = frozenset({"flip", "flipped", "side", "розворот", "розвернути", "разворот", "развернуть"})

_IN_WORDS: Final = "words"
_FLIPPED: Final = "flip"


@registry.command("board", arguments.MATCH, arguments.choice("how", "words", "flip", named=False))
async def board(context: Context) -> Sequence[Message]:
    """Show a match as it stands to the visitor alone.

    Their own that waits for them; else another of theirs, else any that is played here, else the last one.
    `/board words` says what stands where, `/board flip` shows the board from its other side.
    """
    ways = _ways(context)
    finder = context.finder
    if context.command.code or await finder.fitting(finder.my_turn):
        match = await context.match(finder.my_turn, retry=Retry(Verb.BOARD, " ".join(ways)))
    else:
        match = await context.latest(finder.mine, lambda match: match.live, AmongFinished(finder.finished))
    return await _board(context, match, ways)


def _ways(context: Context) -> tuple[str, ...]:
    """How the board is asked for: `words`, `flip`, or with a yes or no after a colon."""
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


async def _turned(context: Context, match: Match, button: CallbackData) -> Sequence[Message]:
    """A board that the visitor sees, the other way round or as text."""
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


@registry.command("replay", arguments.MATCH, arguments.HERE)
async def replay(context: Context) -> Sequence[Message]:
    """A match as an animation: `/replay` for the visitor alone, `/replay here` for everybody.

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
    return [await _replay(context, match, here=bool(context.command.words))]


async def _replay(context: Context, match: Match, *, here: bool) -> Message:
    if not match.log or match.phase is Phase.OPEN:
        raise CommandError(BadCommand.NOTHING_PLAYED)
    # A film is kept for all who watch it, so its clocks show the time of the last change.
    presentation = replace(context.present(match), now=context.table.as_of(match))
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
    return Message(context.visitor.place, view) if here else context.private(view)


@registry.button(Verb.BOARD, Verb.FLIP, Verb.TEXT, Verb.REPLAY)
async def _pressed(context: Context, button: CallbackData) -> Sequence[Message]:
    match = await context.table.get(button.match)
    if button.verb is Verb.REPLAY:
        return [await _replay(context, match, here=False)]
    if button.verb in (Verb.FLIP, Verb.TEXT):
        return await _turned(context, match, button)
    return await _board(context, match, button.argument.split())
