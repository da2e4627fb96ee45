"""Playing: /move, /undo, /takeback, /draw, /resign, and picking a move step by step."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from bot.actions import Action, Verb
from bot.desk.errand import Errand, Handler, Pressed, no_such_word
from bot.desk.grammar import BadCommand
from bot.desk.guard import InMatch, spelled
from bot.desk.which import Again, Over
from bot.presenter import asking, picking
from bot.presenter.asking import SURE
from bot.presenter.controls import controls
from bot.presenter.paths import Path, follow
from bot.presenter.refusals import MAX_CANDIDATES
from bot.view import Message
from play.checks import playing_seat
from play.errors import PlayError, Stale
from play.facts import Fact
from play.match import Ask, Match
from play.moving import check_on_turn
from rules.core import RulesError

F = TypeVar("F")

_YES: Final = frozenset({"yes", "y", "так", "т", "да", "д", "+"})
_NO: Final = frozenset({"no", "n", "ні", "нет", "н", "-"})


async def move(errand: Errand) -> Sequence[Message]:
    """`/move L c1-c3 n b2`; without a move, the first steps to choose from."""
    text, finder = errand.command.rest, errand.finder
    if errand.command.code or await finder.fitting(finder.my_turn):
        kinds = (finder.reads(text), finder.my_turn) if text else (finder.my_turn,)
        match = await errand.match(*kinds, again=Again(Verb.MOVE, text))
    else:  # it is refused anyway, so nobody is asked which match was meant
        match = await errand.latest(finder.mine, Over(finder.was_mine), otherwise=BadCommand.NO_TURN_HERE)
    if not text:
        return await _pick(errand, match, Path())
    return await _announced(
        errand,
        match,
        errand.table.move(
            match.id, errand.visitor.player, text, at=errand.at, operation=errand.operation, known=match
        ),
    )


async def untold(errand: Errand, text: str) -> Sequence[Message]:
    """A move that was said without its command: what would play it, where it is one. Talk is left alone."""
    found = await errand.finder.fitting(errand.finder.reads(text))
    if not found:
        return []
    again = Again(Verb.MOVE, text)
    offered = []
    for match in found[:MAX_CANDIDATES]:
        action = Action(Verb.MOVE, match.id, match.revision, spelled(errand, match, again))
        offered.append((errand.game(match), match, action))
    return [errand.private(picking.untold(offered, text, errand.words))]


async def undo(errand: Errand) -> Sequence[Message]:
    """Take the last own ply back, while nobody has acted after it."""
    errand.no_words()
    match = await errand.fit_for(errand.finder.can_undo, errand.finder.mine, again=Again(Verb.UNDO))
    return await _announced(
        errand,
        match,
        errand.table.undo(match.id, errand.visitor.player, at=errand.at, operation=errand.operation),
    )


async def takeback(errand: Errand) -> Sequence[Message]:
    """Ask the others to take one's last turn back; with yes or no, answer such a question."""
    return await question(errand, Ask.TAKEBACK)


async def draw(errand: Errand) -> Sequence[Message]:
    """Offer a draw; with yes or no, answer an offer."""
    return await question(errand, Ask.DRAW)


def answered(errand: Errand) -> bool | None:
    """Yes or no, where the command says one of them.

    Raises:
        CommandError: it says something else.
    """
    word = errand.command.rest.casefold()
    if word and word not in _YES | _NO:
        raise no_such_word(errand.command.rest)
    return word in _YES if word else None


async def question(errand: Errand, ask: Ask) -> Sequence[Message]:
    """Ask the others for something; with yes or no, answer such a question, or (no) take one's own back."""
    table, finder, who, at = errand.table, errand.finder, errand.visitor.player, errand.at
    yes = answered(errand)
    if yes is not None:
        again = Again(Verb.YES if yes else Verb.NO, ask.value)
        kinds = [finder.mine] if yes else [finder.asked(ask, own=True), finder.mine]
        match = await errand.fit_for(finder.asked(ask), *kinds, again=again)
        return await _announced(
            errand, match, table.answer(match.id, who, ask, yes, at=at, operation=errand.operation)
        )
    if ask is Ask.DRAW:
        match = await errand.in_play(finder.asked(ask), finder.mine, again=Again(Verb.DRAW))
        return await _announced(
            errand, match, table.offer_draw(match.id, who, at=at, operation=errand.operation)
        )
    if ask is Ask.PAUSE:
        match = await errand.in_play(finder.asked(ask), finder.mine, again=Again(Verb.PAUSE))
        return await _announced(
            errand, match, table.ask_pause(match.id, who, at=at, operation=errand.operation)
        )
    match = await errand.fit_for(finder.can_take_back, finder.mine, again=Again(Verb.TAKEBACK))
    return await _announced(
        errand, match, table.ask_takeback(match.id, who, at=at, operation=errand.operation)
    )


async def resign(errand: Errand) -> Sequence[Message]:
    """Give a match up."""
    errand.no_words()
    match = await errand.in_play(errand.finder.mine, again=Again(Verb.RESIGN))
    return await _resign(errand, match)


async def _resign(
    errand: Errand, match: Match, argument: str = "", seen: int | None = None
) -> Sequence[Message]:
    """Give a match up; where people press buttons, only once they have said that they are sure."""
    table, who = errand.table, errand.visitor.player
    if errand.visitor.confirms and argument != SURE:
        # What would be refused is refused at once.
        course = errand.course(match)
        try:
            playing_seat(match, course, who, seen)
        except PlayError as refusal:
            raise InMatch(match, refusal) from refusal
        return [errand.private(asking.resign(errand.game(match), match, errand.words))]
    return await _announced(
        errand, match, table.resign(match.id, who, at=errand.at, seen=seen, operation=errand.operation)
    )


async def _pick(errand: Errand, match: Match, path: Path) -> Sequence[Message]:
    """One step further into a half-made move. What is whole is played, or shown first where it is to be confirmed."""
    who, game, course = errand.visitor.player, errand.game(match), errand.course(match)
    confirms, seen = errand.visitor.confirms, match.revision
    try:
        check_on_turn(match, course, who, seen=seen)
        half = follow(game, course.position, path)
    except (RulesError, PlayError) as refusal:
        raise InMatch(match, refusal) from refusal
    if half.moves and not confirms:
        return await _announced(
            errand,
            match,
            errand.table.move(
                match.id, who, half.path.moves, at=errand.at, seen=seen, operation=errand.operation
            ),
        )
    flipped = errand.flipped(match)
    view = picking.choose(
        game,
        match,
        course,
        errand.words,
        half=half,
        confirms=confirms,
        flipped=flipped,
        at=errand.at,
        outages=errand.table.outages,
    )
    if errand.visitor.aloud:  # everybody's board goes on being one
        view = replace(view, controls=controls(match, course, errand.words))
        view = await errand.hinted(view, match)
    return [errand.private(view)]


async def _in(match: Match, request: Awaitable[F]) -> F:
    """A request whose refusal is explained with names and examples from the match."""
    try:
        return await request
    except (RulesError, PlayError) as refusal:
        raise InMatch(match, refusal) from refusal


async def _announced(errand: Errand, match: Match, request: Awaitable[Fact]) -> Sequence[Message]:
    return await errand.announce(await _in(match, request))


async def _pressed(errand: Errand, button: Action) -> Sequence[Message]:
    if button.verb in (Verb.STEP, Verb.RESIGN) or (button.verb is Verb.MOVE and not button.argument):
        return await _looked_at(errand, await errand.table.get(button.match), button)
    try:
        fact = await _request(errand, button)
    except (RulesError, PlayError) as refusal:  # only then the match is needed here
        raise InMatch(await errand.table.get(button.match), refusal) from refusal
    return await errand.announce(fact)


async def _looked_at(errand: Errand, match: Match, button: Action) -> Sequence[Message]:
    """What is decided by a look at the match before anything is asked of the table."""
    if button.verb is Verb.RESIGN:
        return await _resign(errand, match, button.argument, button.seen)
    if not match.fresh(button.seen):
        raise InMatch(match, Stale(match))
    try:
        path = Path.read(button.argument)
    except RulesError as refusal:
        raise InMatch(match, refusal) from refusal
    return await _pick(errand, match, path)


def _request(errand: Errand, button: Action) -> Awaitable[Fact]:
    table, code, who, at = errand.table, button.match, errand.visitor.player, errand.at
    seen, done = button.seen, errand.operation
    match button.verb:
        case Verb.MOVE:
            return table.move(code, who, button.argument, at=at, seen=seen, operation=done)
        case Verb.UNDO:
            return table.undo(code, who, at=at, seen=seen, operation=done)
        case Verb.TAKEBACK:
            return table.ask_takeback(code, who, at=at, seen=seen, operation=done)
        case Verb.DRAW:
            return table.offer_draw(code, who, at=at, seen=seen, operation=done)
        case Verb.YES | Verb.NO:
            if button.argument not in tuple(Ask):
                raise no_such_word(button.argument)
            ask, yes = Ask(button.argument), button.verb is Verb.YES
            return table.answer(code, who, ask, yes, at=at, seen=seen, operation=done)
        case _:
            raise ValueError(button.verb)


COMMANDS: Final[Mapping[str, Handler]] = {
    "move": move,
    "undo": undo,
    "takeback": takeback,
    "draw": draw,
    "resign": resign,
}

PRESSES: Final[Mapping[Verb, Pressed]] = dict.fromkeys(
    (Verb.STEP, Verb.MOVE, Verb.UNDO, Verb.TAKEBACK, Verb.DRAW, Verb.RESIGN, Verb.YES, Verb.NO),
    _pressed,
)
