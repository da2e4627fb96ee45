"""Playing: /move, /undo, /takeback, /draw, /resign, and picking a move step by step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from bot.callback_data import CallbackData, Verb
from bot.desk import arguments
from bot.desk.context import Context
from bot.desk.error_handling import InMatch, spelled
from bot.desk.errors import BadCommand, no_such_word
from bot.desk.match_lookup import AmongFinished, Retry
from bot.desk.registry import Registry
from bot.presenter import picking
from bot.presenter.controls import CONFIRMED, confirm_resignation, controls
from bot.presenter.refusals import MAX_CANDIDATES
from bot.presenter.selection import Selection, follow
from bot.view import Message
from play.actions.action import Action
from play.actions.agreeing import Answer, AskPause, OfferDraw
from play.actions.leaving import Resign
from play.actions.playing import MakeMove, check_on_turn
from play.actions.undoing import AskTakeback, Undo
from play.checks import check_fresh, playing_seat
from play.errors import PlayError
from play.facts import Fact
from play.match import Ask, Match
from play.request import Request
from rules.core import RulesError

registry: Final = Registry()

_YES: Final = frozenset({"yes", "y", "так", "т", "да", "д", "+"})
_NO: Final = frozenset({"no", "n", "ні", "нет", "н", "-"})


@registry.command("move", arguments.MOVE, arguments.MATCH)
async def move(context: Context) -> Sequence[Message]:
    """`/move L c1-c3 n b2`; without a move, the first steps to choose from."""
    text, finder = context.command.rest, context.finder
    if context.command.code or await finder.fitting(finder.my_turn):
        kinds = (finder.reads(text), finder.my_turn) if text else (finder.my_turn,)
        match = await context.match(*kinds, retry=Retry(Verb.MOVE, text))
    else:  # it is refused anyway, so do not ask which match was meant
        match = await context.latest(
            finder.mine, AmongFinished(finder.was_mine), otherwise=BadCommand.NO_TURN_HERE
        )
    if not text:
        return await _pick(context, match, Selection())
    return await _act(context, match, MakeMove(text), context.request(), known=True)


async def untold(context: Context, text: str) -> Sequence[Message]:
    """A move that was said without its command: what would play it, where it is one. Talk is left alone."""
    found = await context.finder.fitting(context.finder.reads(text))
    if not found:
        return []
    retry = Retry(Verb.MOVE, text)
    offered = []
    for match in found[:MAX_CANDIDATES]:
        data = CallbackData(Verb.MOVE, match.id, match.revision, spelled(context, match, retry))
        offered.append((context.names(match), data))
    return [context.private(picking.untold(offered, text, context.words))]


@registry.command("undo", arguments.MATCH)
async def undo(context: Context) -> Sequence[Message]:
    """Take back one's own last ply, while no other player has acted after it."""
    context.no_words()
    match = await context.fit_for(context.finder.can_undo, context.finder.mine, retry=Retry(Verb.UNDO))
    return await _act(context, match, Undo(), context.request())


@registry.command("takeback", arguments.ANSWER, arguments.MATCH)
async def takeback(context: Context) -> Sequence[Message]:
    """Ask the others to take one's last turn back; with yes or no, answer such a question."""
    return await question(context, Ask.TAKEBACK)


@registry.command("draw", arguments.ANSWER, arguments.MATCH)
async def draw(context: Context) -> Sequence[Message]:
    """Offer a draw; with yes or no, answer an offer."""
    return await question(context, Ask.DRAW)


def answered(context: Context) -> bool | None:
    """Yes or no, where the command says one of them.

    Raises:
        CommandError: it says something else.
    """
    word = context.command.rest.casefold()
    if word and word not in _YES | _NO:
        raise no_such_word(context.command.rest)
    return word in _YES if word else None


async def question(context: Context, ask: Ask) -> Sequence[Message]:
    """Ask the others for something; with yes or no, answer such a question, or (no) take one's own back."""
    finder, request = context.finder, context.request()
    yes = answered(context)
    if yes is not None:
        retry = Retry(Verb.YES if yes else Verb.NO, ask.value)
        kinds = [finder.mine] if yes else [finder.asked(ask, own=True), finder.mine]
        match = await context.fit_for(finder.asked(ask), *kinds, retry=retry)
        return await _act(context, match, Answer(ask, yes), request)
    if ask is Ask.DRAW:
        match = await context.in_play(finder.asked(ask), finder.mine, retry=Retry(Verb.DRAW))
        return await _act(context, match, OfferDraw(), request)
    if ask is Ask.PAUSE:
        match = await context.in_play(finder.asked(ask), finder.mine, retry=Retry(Verb.PAUSE))
        return await _act(context, match, AskPause(), request)
    match = await context.fit_for(finder.can_take_back, finder.mine, retry=Retry(Verb.TAKEBACK))
    return await _act(context, match, AskTakeback(), request)


@registry.command("resign", arguments.MATCH)
async def resign(context: Context) -> Sequence[Message]:
    """Give a match up."""
    context.no_words()
    match = await context.in_play(context.finder.mine, retry=Retry(Verb.RESIGN))
    return await _resign(context, match)


async def _resign(
    context: Context, match: Match, argument: str = "", seen: int | None = None
) -> Sequence[Message]:
    """Give a match up; where people press buttons, only once they have said that they are sure."""
    request = context.request(seen)
    if context.visitor.confirms and argument != CONFIRMED:
        # What would be refused is refused at once.
        course = context.course(match)
        try:
            playing_seat(match, course, request)
        except PlayError as refusal:
            raise InMatch(match, refusal) from refusal
        return [context.private(confirm_resignation(context.present(match)))]
    return await _act(context, match, Resign(), request)


async def _pick(context: Context, match: Match, selection: Selection) -> Sequence[Message]:
    """One step further into a half-made move. What is whole is played, or shown first where it is to be confirmed."""
    game, course = context.game(match), context.course(match)
    confirms, request = context.visitor.confirms, context.request(match.revision)
    try:
        check_on_turn(match, course, request)
        partial = follow(game, course.position, selection)
    except (RulesError, PlayError) as refusal:
        raise InMatch(match, refusal) from refusal
    if partial.moves and not confirms:
        return await _act(context, match, MakeMove(partial.selection.moves), request)
    presentation = context.present(match)
    view = picking.choose(presentation, partial, confirms=confirms)
    if context.visitor.aloud:  # everybody's board goes on being one
        view = replace(view, controls=controls(presentation))
        view = await context.hinted(view, presentation)
    return [context.private(view)]


async def _act(
    context: Context, match: Match, action: Action[Fact], request: Request, *, known: bool = False
) -> Sequence[Message]:
    """Have the table do something; a refusal is explained with names and examples from the match.

    Args:
        context: Of the command or press.
        match: In which match.
        action: What.
        request: Of the visitor.
        known: Whether the match was loaded just now, so that the table need not load it again.
    """
    try:
        fact = await context.table.act(match.id, action, request, known=match if known else None)
    except (RulesError, PlayError) as refusal:
        raise InMatch(match, refusal) from refusal
    return await context.announce(fact)


@registry.button(Verb.STEP, Verb.MOVE, Verb.UNDO, Verb.TAKEBACK, Verb.DRAW, Verb.RESIGN, Verb.YES, Verb.NO)
async def _pressed(context: Context, button: CallbackData) -> Sequence[Message]:
    if button.verb in (Verb.STEP, Verb.RESIGN) or (button.verb is Verb.MOVE and not button.argument):
        return await _looked_at(context, await context.table.get(button.match), button)
    try:
        fact = await context.table.act(button.match, _action(button), context.request(button.seen))
    except (RulesError, PlayError) as refusal:  # only then the match is needed here
        raise InMatch(await context.table.get(button.match), refusal) from refusal
    return await context.announce(fact)


async def _looked_at(context: Context, match: Match, button: CallbackData) -> Sequence[Message]:
    """What is decided by a look at the match before anything is asked of the table."""
    if button.verb is Verb.RESIGN:
        return await _resign(context, match, button.argument, button.seen)
    try:
        check_fresh(match, context.request(button.seen))
        selection = Selection.read(button.argument)
    except (RulesError, PlayError) as refusal:
        raise InMatch(match, refusal) from refusal
    return await _pick(context, match, selection)


def _action(button: CallbackData) -> Action[Fact]:
    """Return what a button asks of the table."""
    match button.verb:
        case Verb.MOVE:
            return MakeMove(button.argument)
        case Verb.UNDO:
            return Undo()
        case Verb.TAKEBACK:
            return AskTakeback()
        case Verb.DRAW:
            return OfferDraw()
        case Verb.YES | Verb.NO:
            if button.argument not in tuple(Ask):
                raise no_such_word(button.argument)
            return Answer(Ask(button.argument), button.verb is Verb.YES)
        case _:
            raise ValueError(button.verb)
