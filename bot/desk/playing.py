"""Playing: /move, /undo, /takeback, /draw, /resign, and picking a move step by step."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from typing import Final, TypeVar

from bot.actions import Action, Verb
from bot.desk.errand import Errand, Handler, Pressed, no_such_word
from bot.desk.grammar import BadCommand
from bot.desk.guard import InMatch
from bot.presenter import picking
from bot.view import Message
from play.errors import PlayError, Stale
from play.facts import Fact
from play.match import Ask, Match
from rules.core import RulesError

F = TypeVar("F")

_YES: Final = frozenset({"yes", "y", "так", "т", "да", "д", "+"})
_NO: Final = frozenset({"no", "n", "ні", "нет", "н", "-"})
_SLASH: Final = "/"


async def move(errand: Errand) -> Sequence[Message]:
    """`/move L c1-c3 n b2`; without a move, the first steps to choose from."""
    text, finder = errand.command.rest, errand.finder
    if not text:
        match = await errand.match(finder.my_turn, finder.mine, otherwise=BadCommand.NO_TURN_HERE)
        return await _pick(errand, match, ())
    match = await errand.match(
        finder.reads(text), finder.my_turn, finder.mine, otherwise=BadCommand.NO_TURN_HERE
    )
    return await _announced(
        errand, match, errand.table.move(match.id, errand.visitor.player, text, at=errand.at)
    )


async def undo(errand: Errand) -> Sequence[Message]:
    """Take the last own ply back, while nobody has acted after it."""
    match = await errand.match(errand.finder.mine)
    return await _announced(errand, match, errand.table.undo(match.id, errand.visitor.player, at=errand.at))


async def takeback(errand: Errand) -> Sequence[Message]:
    """Ask the others to take one's last turn back; with yes or no, answer such a question."""
    return await _question(errand, Ask.TAKEBACK)


async def draw(errand: Errand) -> Sequence[Message]:
    """Offer a draw; with yes or no, answer an offer."""
    return await _question(errand, Ask.DRAW)


async def _question(errand: Errand, ask: Ask) -> Sequence[Message]:
    table, who, at = errand.table, errand.visitor.player, errand.at
    word = errand.command.rest.casefold()
    if word and word not in _YES | _NO:
        raise no_such_word(word)
    if word:
        match = await errand.match(errand.finder.asked, errand.finder.mine)
        return await _announced(errand, match, table.answer(match.id, who, ask, word in _YES, at=at))
    match = await errand.match(errand.finder.mine)
    asked = (
        table.offer_draw(match.id, who, at=at)
        if ask is Ask.DRAW
        else table.ask_takeback(match.id, who, at=at)
    )
    return await _announced(errand, match, asked)


async def resign(errand: Errand) -> Sequence[Message]:
    """Give a match up."""
    match = await errand.match(errand.finder.mine)
    return await _announced(errand, match, errand.table.resign(match.id, errand.visitor.player, at=errand.at))


async def _pick(errand: Errand, match: Match, path: Sequence[str]) -> Sequence[Message]:
    """One step further into a half-made move; the finished one is played."""
    table, who = errand.table, errand.visitor.player
    fork = await _in(match, table.fork(match.id, who, path, seen=match.revision))
    if fork.move is not None:
        return await _announced(
            errand, match, table.complete(match.id, who, path, at=errand.at, seen=match.revision)
        )
    view = picking.choose(errand.game(match), match, errand.course(match), errand.words, path=path, fork=fork)
    return [errand.private(view)]


async def _in(match: Match, request: Awaitable[F]) -> F:
    """A request whose refusal is explained with examples from the match."""
    try:
        return await request
    except Stale:
        raise
    except (RulesError, PlayError) as refusal:
        raise InMatch(match, refusal) from refusal


async def _announced(errand: Errand, match: Match, request: Awaitable[Fact]) -> Sequence[Message]:
    return await errand.announce(await _in(match, request))


async def _pressed(errand: Errand, button: Action) -> Sequence[Message]:
    table, who, at = errand.table, errand.visitor.player, errand.at
    match = await table.get(button.match)
    request: Awaitable[Fact]
    match_verb = button.verb
    if match_verb is Verb.STEP:
        if match.revision != button.seen:
            raise Stale(match)
        return await _pick(errand, match, tuple(filter(None, button.argument.split(_SLASH))))
    if match_verb is Verb.MOVE:
        if not button.argument:
            return await _pick(errand, match, ())
        request = table.move(match.id, who, button.argument, at=at, seen=button.seen)
    elif match_verb is Verb.UNDO:
        request = table.undo(match.id, who, at=at, seen=button.seen)
    elif match_verb is Verb.TAKEBACK:
        request = table.ask_takeback(match.id, who, at=at, seen=button.seen)
    elif match_verb is Verb.DRAW:
        request = table.offer_draw(match.id, who, at=at, seen=button.seen)
    elif match_verb is Verb.RESIGN:
        request = table.resign(match.id, who, at=at, seen=button.seen)
    else:
        request = table.answer(
            match.id, who, Ask(button.argument), match_verb is Verb.YES, at=at, seen=button.seen
        )
    return await _announced(errand, match, request)


COMMANDS: Final[Mapping[str, Handler]] = {
    "move": move,
    "undo": undo,
    "takeback": takeback,
    "draw": draw,
    "resign": resign,
}

PRESSES: Final[Mapping[Verb, Pressed]] = dict.fromkeys(
    (Verb.STEP, Verb.MOVE, Verb.UNDO, Verb.TAKEBACK, Verb.DRAW, Verb.RESIGN, Verb.YES, Verb.NO), _pressed
)
