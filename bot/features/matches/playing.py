"""/move, /undo, /takeback, /draw, /resign, and picking a move; one that loses at once is asked back for beginners."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from bot.chat import taps
from bot.chat.arguments import ANSWER, MATCH, MOVE, Argument, ArgumentType, HelpTopic
from bot.chat.callback_data import CallbackData, Verb
from bot.chat.context import Context
from bot.chat.errors import BadCommand, in_match, no_such_word
from bot.chat.grammar import FINISHING, NO, YES, number_in
from bot.chat.i18n import Words
from bot.chat.match_lookup import AmongFinished, Retry, legal_readings
from bot.chat.presenting import picking
from bot.chat.presenting.boards import CONFIRMED, waits_for
from bot.chat.presenting.naming import Presentation, button, turn
from bot.chat.presenting.picking import MAX_CANDIDATES, asking, fits
from bot.chat.presenting.selection import PartialMove, Selection, follow, read_page
from bot.chat.presenting.selection import in_match as picked_in
from bot.chat.quotas import FREE
from bot.chat.registry import Registry
from bot.chat.sending.attention import acted_lately
from bot.chat.view import Button, Message, View, ViewKind
from play.actions.agreeing import Answer, AskTakeback, OfferDraw, Propose, Undo
from play.actions.leaving import Resign
from play.actions.playing import FINISH, MakeMove, check_on_turn, losing_reply
from play.errors import Unavailable
from play.match import VOTES, Ask, Match, Phase, Ply, is_engine
from play.replay import Course
from play.request import check_fresh
from rules.core import AnyGame, RulesError

_KEPT: Final = timedelta(hours=1)  # how long a move that was asked back is played when it comes again

PAGE: Final = 20  # moves on a page: four rows of buttons, so that a fifth is left on Discord

NEXT: Final = "+"  # in place of a page: the moves of the turn at the moment of the press

ANYWAY: Final = "!"  # ends the move in the button that answers the question
PAUSE: Final = timedelta(seconds=2)
"""How long after the question a second press of the same button is taken for a slip of the finger."""


async def _asked_back(context: Context, match: Match, text: str) -> Sequence[Message]:
    if (
        context.speaker  # no hints to the people of a place that plays
        or match.rated
        or not context.own.warnings
        or match.phase is not Phase.PLAYING
        or match.paused
    ):
        return ()
    course = context.course(match)
    if course.position.to_move not in match.seats_of(context.visitor.account):
        return ()
    notation = course.game.notation
    try:
        text = " ".join(map(notation.format, notation.parse(text, course.position)))
    except RulesError:
        return ()  # it is refused anyway
    reply = await asyncio.to_thread(losing_reply, course, text)
    if reply is None or not await _wants_warning(context, match) or await _insists(context, match, text):
        return ()
    revision = match.revision if context.seen is None else context.seen
    again = CallbackData(Verb.MOVE, match.id, revision, text + ANYWAY)
    other = CallbackData(Verb.MOVE, match.id, revision)
    view = _loses_at_once(reply, again, other, context.words)
    return [context.private(view, ViewKind.QUESTION, refused=True, secret=True)]


async def _wants_warning(context: Context, match: Match) -> bool:
    if context.own.warned:
        return True
    try:
        (rating,) = await context.store.ratings.get(match.game, context.visitor.account)
    except Unavailable:
        return False
    return rating is None or rating.provisional


async def _insists(context: Context, match: Match, text: str) -> bool:
    """Whether the person was asked about this move before, and this is no second delivery or accidental press."""
    moves = hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
    name = f"blunder:{match.id}:{match.position_since}:{context.visitor.account}:{moves}"
    try:
        if await context.store.notes.write_once(name, f"{context.at.isoformat()} {context.once}", keep=_KEPT):
            return False
        (note,) = await context.store.notes.read(name)
    except Unavailable:
        return True  # a failed search must not keep anyone from moving
    at, _, by = (note or "").partition(" ")
    if not at:
        return True
    typed = context.seen is None
    return (by != context.once or not by) and (typed or context.at - datetime.fromisoformat(at) >= PAUSE)


registry: Final = Registry()


@registry.command("move", MOVE, MATCH, topic=HelpTopic.BASICS, cost=FREE, finishing=True)
async def move(context: Context) -> Sequence[Message]:
    """`/move L c1-c3 n b2`; without a move, the first steps to choose from."""
    text, finder = context.command.rest, context.finder
    text = FINISH if text.casefold() in FINISHING else text
    if context.command.code or await finder.fitting(finder.my_turn):
        kinds = (finder.reads(text), finder.my_turn) if text else (finder.my_turn,)
        match = await context.match(*kinds, retry=Retry(Verb.MOVE, text))
    else:  # it is refused anyway, so do not ask in which match
        match = await context.match(
            finder.mine, finder.entered, AmongFinished(finder.was_mine), otherwise=BadCommand.NO_TURN_HERE
        )
    if not text:
        return await _pick(context, match, flipped=context.flipped(match))
    if finder.my_turn(match):
        moves = legal_readings(context.game(match), context.course(match).position, text)
        if len(moves) > 1:
            offered = [
                CallbackData(Verb.MOVE, match.id, match.revision, text) for text in moves[:MAX_CANDIDATES]
            ]
            buttons = tuple(Button(data.argument, data) for data in offered if data.fits)
            asked = View(lines=(context.words("bot.did-you-mean"),), buttons=buttons)
            return [context.private(asked, ViewKind.QUESTION, refused=True)]
        text = moves[0] if moves else text
    return await _asked_back(context, match, text) or await context.act(match, MakeMove(text))


@registry.button(Verb.MOVE, cost=FREE, finishing=True)
async def _move(context: Context, button: CallbackData) -> Sequence[Message]:
    if not button.argument:
        return await _listed(context, button)
    match, moves = await context.table.get(button.match), button.argument.removesuffix(ANYWAY)
    asked = () if moves != button.argument else await _asked_back(context, match, moves)
    return asked or await _played(context, match, moves)


async def _played(context: Context, match: Match, moves: str) -> Sequence[Message]:
    """Play a move. In a quick game the message that it was picked on stays, for the next one."""
    messages = await context.act(match, MakeMove(moves))
    match = await context.table.get(match.id) if context.visitor.own_message else match
    waited_for = waits_for(match, context.course(match)) if context.visitor.own_message else ()
    away = [one for one in waited_for if not (is_engine(one) or acted_lately(match, one, context.at))]
    if messages or not waited_for or not context.services.attention.looks(context.visitor.place, away):
        return messages
    return [_next_move(context, match, context.words("bot.pick.played", moves=moves))]


def _next_move(context: Context, match: Match, line: str) -> Message:
    """Return what stays of the message that a move was picked on, with a line."""
    again = CallbackData(Verb.MOVES, match.id, match.revision, NEXT)
    return context.private(
        View(lines=(line,), buttons=(Button(context.words("bot.button.move"), again),), code=match.id)
    )


@registry.button(Verb.MOVES, finishing=True)
async def _listed(context: Context, button: CallbackData) -> Sequence[Message]:
    match = await context.table.get(button.match)
    page, flipped = read_page(button.argument)
    if button.verb is Verb.MOVE or button.argument == NEXT:  # no board that is flipped stands above it
        flipped = context.flipped(match)
    if button.argument == NEXT:
        context = replace(context, seen=match.revision)
        others, who = waits_for(match, context.course(match)), context.request().account
        if others and who in match.people() and who not in others:
            return [_next_move(context, match, turn(context.present(match)))]
    flipped = flipped and not context.visitor.public
    game, course = context.game(match), context.course(match)
    on_keys = context.visitor.square_keys and fits(game.draw(course.position).grid)
    if on_keys or not context.visitor.buttons or not _lists(game, course):
        with in_match(match):
            check_fresh(match, context.request(), match.position_since)
        return await _pick(context, match, flipped=flipped)
    with in_match(match):
        check_on_turn(match, course, context.request())
    view = _move_list(replace(context.present(match), flipped=flipped), page)
    return [context.private(picking.proposed(view, context.words) if context.speaker else view)]


@registry.button(Verb.STEP, cost=FREE, finishing=True)
async def _step(context: Context, button: CallbackData) -> Sequence[Message]:
    match = await context.table.get(button.match)
    if taps.is_touch(button) and button.seen != match.revision:
        return []
    course = context.course(match)
    with in_match(match):
        check_fresh(match, context.request(), match.position_since)
        check_on_turn(match, course, replace(context, seen=match.revision).request())
        drawn = replace(button, seen=match.revision)
        found = await taps.picked(context, drawn, context.game(match), course.position)
    if found is None:
        return []
    partial, flipped = found
    return await _picked(context, match, partial, flipped=flipped)


async def _pick(context: Context, match: Match, *, flipped: bool) -> Sequence[Message]:
    course = context.course(match)
    with in_match(match):
        check_on_turn(match, course, replace(context, seen=match.revision).request())
        partial = follow(context.game(match), course.position, Selection())
    return await _picked(context, match, partial, flipped=flipped)


async def _picked(
    context: Context, match: Match, partial: PartialMove, *, flipped: bool
) -> Sequence[Message]:
    pressed = context.visitor.buttons
    context = replace(context, seen=match.revision)
    if partial.moves and (not pressed or (partial.whole and not context.own.confirm)):
        moves = partial.selection.moves
        return await _asked_back(context, match, moves) or await _played(context, match, moves)
    if context.visitor.picks_in_public:
        context = context.in_public
    presentation = replace(context.present(match), flipped=flipped and not context.visitor.public)
    view = picking.choose(presentation, partial, confirms=pressed)
    return [context.private(picking.proposed(view, context.words) if context.speaker else view)]


@registry.command("undo", MATCH, topic=HelpTopic.MATCH, button=Verb.UNDO, cost=FREE, finishing=True)
async def undo(context: Context) -> Sequence[Message]:
    """Take back one's own last ply, while no other player has acted after it."""
    context.no_words()
    finder = context.finder
    return await context.act(
        await context.in_play(finder.can_undo, otherwise=(finder.mine,), retry=Retry(Verb.UNDO)), Undo()
    )


@registry.command(
    "takeback",
    ANSWER,
    Argument("turn", ArgumentType.TEXT, about="turn-back"),
    MATCH,
    topic=HelpTopic.MATCH,
    button=Verb.TAKEBACK,
    cost=FREE,
    finishing=True,
)
async def takeback(context: Context) -> Sequence[Message]:
    """Ask to take one's last turn back, or to go back to a turn (`/takeback 12`); with yes or no, answer such a question."""
    typed = context.command.rest.removesuffix(".")
    turn = number_in(typed)
    if turn is None and (yes := answered(context)) is not None:
        return await answer(context, Ask.TAKEBACK, yes=yes)
    finder, retry = context.finder, Retry(Verb.TAKEBACK, typed)
    match = await context.in_play(finder.can_take_back(turn), otherwise=(finder.mine,), retry=retry)
    return await context.act(match, AskTakeback(turn))


@registry.command("draw", ANSWER, MATCH, topic=HelpTopic.MATCH, button=Verb.DRAW, cost=FREE, finishing=True)
async def draw(context: Context) -> Sequence[Message]:
    """Offer a draw; with yes or no, answer an offer."""
    if (yes := answered(context)) is not None:
        return await answer(context, Ask.DRAW, yes=yes)
    finder = context.finder
    match = await context.in_play(finder.asked(Ask.DRAW), finder.mine, retry=Retry(Verb.DRAW))
    return await context.act(match, OfferDraw())


def answered(context: Context) -> bool | None:
    """Return the yes or no after a command; None without either."""
    word = context.command.rest.casefold()
    if word and word not in YES | NO:
        raise no_such_word(context.command.rest)
    return word in YES if word else None


async def answer(context: Context, ask: Ask, *, yes: bool) -> Sequence[Message]:
    """Answer a question of the others, or (no) take one's own back."""
    finder = context.finder
    kinds = [finder.mine] if yes else [finder.asked(ask, own=True), finder.mine]
    retry = Retry(Verb.YES if yes else Verb.NO, ask.value)
    return await context.act(
        await context.in_play(finder.asked(ask), otherwise=kinds, retry=retry), Answer(ask, yes)
    )


@registry.button(Verb.YES, Verb.NO, cost=FREE, finishing=True)
async def _answer(context: Context, button: CallbackData) -> Sequence[Message]:
    if button.argument not in tuple(Ask):
        raise no_such_word(button.argument)
    match = await context.table.get(button.match)
    return await context.act(match, Answer(Ask(button.argument), button.verb is Verb.YES))


@registry.button(Verb.VOTE, cost=FREE, finishing=True)
async def _vote(context: Context, button: CallbackData) -> Sequence[Message]:
    if button.argument not in VOTES:
        raise no_such_word(button.argument)
    return await context.act(await context.table.get(button.match), Propose(Ask(button.argument)))


@registry.command(
    "resign",
    MATCH,
    topic=HelpTopic.MATCH,
    button=Verb.RESIGN,
    cost=FREE,
    finishing=True,
    kind=ViewKind.CARD,
)
async def resign(context: Context) -> Sequence[Message]:
    """Give a match up; it is asked first, unless `/resign yes` was typed."""
    sure = is_sure(context)
    match = await context.in_play(context.finder.mine, retry=Retry(Verb.RESIGN, CONFIRMED if sure else ""))
    return await resigned(context, match, sure=sure)


def is_sure(context: Context) -> bool:
    """Whether a yes was typed after the command, or the button pressed that answers its question; refuse other words."""
    typed = context.command.rest
    sure = typed.casefold() in YES if context.seen is None else typed == CONFIRMED
    if not sure:
        context.no_words()
    return sure


async def resigned(context: Context, match: Match, *, sure: bool) -> Sequence[Message]:
    """Give a match up, or ask whether they are sure; what would be refused is refused at once."""
    if sure:
        return await context.act(match, Resign())
    with in_match(match):
        departed, _ = await context.table.decide(match, Resign(), context.request())
    words, presentation = context.words, context.present(match)
    replaceable = departed.match.phase is Phase.PLAYING and not match.rated  # another person may take over
    label = words("bot.leave.sure" if replaceable else "bot.resign.sure")
    asked = words("bot.leave.ask" if replaceable else "bot.resign.ask")
    confirm = button(presentation, Verb.RESIGN, CONFIRMED, label=label)
    return [context.private(presentation.note(asked, buttons=(confirm,)), ViewKind.QUESTION, refused=True)]


# What is asked around a move: which one of the legal moves, which one is intended, whether one is sure.


def _lists(game: AnyGame, course: Course) -> bool:
    """Whether moves are listed: each is a whole turn, and has two steps at most, so that its text is recognised."""
    position = course.position
    moves = position.legal_moves()
    return not position.counts_plies and all(len(game.notation.steps(move)) <= 2 for move in moves)


def _move_list(presentation: Presentation, page: int = 0) -> View:
    game, words = presentation.game, presentation.words
    moves = _likely_first(game, presentation.course)
    pages = -(-len(moves) // PAGE)
    page %= max(1, pages)
    texts = [game.notation.format(move) for move in moves[page * PAGE : (page + 1) * PAGE]]
    target = picked_in(presentation.match, flipped=presentation.flipped)
    buttons = [Button(text, target.play(text)) for text in texts]
    if pages > 1:
        buttons.append(Button(words("bot.button.moves-more"), target.moves((page + 1) % pages)))
    buttons.append(Button(words("bot.button.steps"), target.pick(Selection())))
    view = asking(presentation, presentation.drawn, turn(presentation), words("bot.pick.list"))
    return replace(view, buttons=tuple(buttons))


def _likely_first(game: AnyGame, course: Course) -> list[Any]:
    position, notation = course.position, game.notation
    log = zip(reversed(course.log), reversed(course.moves), strict=True)
    own = (move for ply, move in log if isinstance(ply, Ply) and ply.seat == position.to_move)
    touched = frozenset(notation.steps(last)) if (last := next(own, None)) is not None else frozenset()

    def unlikely(move: Any) -> tuple[bool, bool]:
        return not game.takes(position, move), touched.isdisjoint(notation.steps(move)[:1])

    return sorted(position.legal_moves(), key=unlikely)


def _loses_at_once(reply: Sequence[str], again: CallbackData, other: CallbackData, words: Words) -> View:
    said = words("bot.blunder", moves=" ".join(reply)) if reply else words("bot.blunder.itself")
    buttons = [Button(words("bot.blunder.play"), again)] if again.fits else []
    buttons.append(Button(words("bot.button.other-move"), other))
    how = words("bot.blunder.how", command="/settings warnings:off")
    return View(lines=(said,), after=(how,), buttons=tuple(buttons), code=other.match)
