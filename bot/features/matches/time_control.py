"""Clocks, plans, seats that were left, and rematches: /claim, /pause, /resume, /moretime, /plan, /substitute, /rematch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from bot.chat import arguments, error_handling
from bot.chat.arguments import ANSWER, ENGINE, MATCH, HelpTopic
from bot.chat.callback_data import Verb
from bot.chat.context import Context
from bot.chat.errors import BadCommand, CommandError, InMatch, in_match, no_such_word, shown
from bot.chat.grammar import OFF, number_in
from bot.chat.match_lookup import AmongFinished, Retry, legal_readings
from bot.chat.presenting.boards import OTHER_OPPONENT, SAME_SEATS
from bot.chat.presenting.facts import plan_card
from bot.chat.presenting.naming import Naming
from bot.chat.presenting.picking import EXAMPLES, examples, with_examples
from bot.chat.quotas import FREE
from bot.chat.registry import Registry
from bot.chat.view import Message, View
from bot.features.matches.engine_opponents import another, kind_in
from bot.features.matches.match_setup import ask, check_place, unreached_notice
from bot.features.matches.orders import Homes, homes_of
from bot.features.matches.playing import answer, answered
from bot.features.matches.setup_questions import MatchSetup
from play import opening
from play.actions.agreeing import AskPause, Resume
from play.actions.giving import GiveTime
from play.actions.leaving import Claim, Substitute
from play.actions.planning import MakePlan, Slip, slip_of
from play.actions.playing import plan_of
from play.errors import NotAllowed, PlayError, Refused, Unavailable
from play.match import Ask, Match, Phase
from play.opening import rematch_codes
from play.request import playing_seat, seat_of
from play.time.clock import read as read_length
from rules.core import SEATS, AmbiguousMove, Reason, RulesError, Seat, quoted

registry: Final = Registry()


class TimeRefusal(Reason):
    """Why /moretime is refused before the match is asked; the comment names the fields that come with each."""

    BAD_GIFT = "bot.moretime.refused.length"  # text
    NOT_HERE = "bot.moretime.refused.not-here"  # name, names


_MOST_READINGS: Final = 64  # most readings of a plan that are tried
_OFFERED: Final = 5  # most of them that are offered
_OTHER: Final = frozenset({OTHER_OPPONENT, "інший", "другой"})  # after `/rematch`
_SAME: Final = frozenset({SAME_SEATS, "так само", "так же"})


@registry.command("claim", MATCH, topic=HelpTopic.MATCH, button=Verb.CLAIM, cost=FREE, finishing=True)
async def claim(context: Context) -> Sequence[Message]:
    """Take the win, or have the seat put out, once an opponent's time is up on a soft clock."""
    context.no_words()
    match = await context.in_play(_time_is_up, context.finder.mine, retry=Retry(Verb.CLAIM))
    return await context.act(match, Claim())


def _time_is_up(match: Match) -> bool:
    return match.phase is Phase.PLAYING and match.times is not None and match.times.up


@registry.command("pause", ANSWER, MATCH, topic=HelpTopic.MATCH, button=Verb.PAUSE, cost=FREE, finishing=True)
async def pause(context: Context) -> Sequence[Message]:
    """Ask the others to stop the clock; with yes or no, answer such a question."""
    if (yes := answered(context)) is not None:
        return await answer(context, Ask.PAUSE, yes=yes)
    finder = context.finder
    match = await context.in_play(finder.asked(Ask.PAUSE), finder.mine, retry=Retry(Verb.PAUSE))
    return await context.act(match, AskPause())


@registry.command("resume", MATCH, topic=HelpTopic.MATCH, button=Verb.RESUME, cost=FREE, finishing=True)
async def resume(context: Context) -> Sequence[Message]:
    """Let the clock run again; `/resume yes` too, and `/resume no` leaves it as it is."""
    finder = context.finder
    if answered(context) is False:
        return await answer(context, Ask.RESUME, yes=False)

    def resting(match: Match) -> bool:
        return finder.mine(match) and match.paused is not None

    return await context.act(await context.in_play(resting, finder.mine, retry=Retry(Verb.RESUME)), Resume())


@registry.command(
    "moretime",
    arguments.PERSON,
    arguments.text("length"),
    MATCH,
    topic=HelpTopic.MATCH,
    button=Verb.MORETIME,
    finishing=True,
)
async def moretime(context: Context) -> Sequence[Message]:
    """`/moretime 1d`, `/moretime bob 1d 12h`: give the opponent on turn, or the one that is named, time; alone, a day at most."""
    finder, words = context.finder, context.command.rest.split()
    at = next((at for at in range(len(words)) if read_length(" ".join(words[at:]))), len(words))
    name, typed = " ".join(words[:at]), " ".join(words[at:])
    if words and not typed and any(map(str.isdigit, words[-1])):
        raise CommandError(TimeRefusal.BAD_GIFT, text=shown(context.command.rest))

    def waits(match: Match) -> bool:
        return finder.mine(match) and match.times is not None and not finder.my_turn(match)

    match = await context.in_play(waits, finder.mine, retry=Retry(Verb.MORETIME, context.command.rest))
    hosted = await gifts_hosted(context, match)
    return await context.act(match, GiveTime(read_length(typed), _named_seat(context, match, name), hosted))


def _named_seat(context: Context, match: Match, name: str) -> Seat | None:
    named = next(iter(context.visitor.selected), name).removeprefix("@")
    if not named:
        return None
    who, names = context.visitor.find(named), [each.player.name for each in match.chairs if each.player]
    seat = match.seat_of(who.account) if who else None
    if seat is None and named.casefold() in (called := list(map(str.casefold, names))):
        seat = Seat(called.index(named.casefold()))
    if seat is None:
        raise CommandError(TimeRefusal.NOT_HERE, name=shown(named), names=context.words.list(names))
    return seat


async def gifts_hosted(context: Context, match: Match) -> bool:
    """Return whether a match is of an event whose host allows that time is given."""
    if match.event is None:
        return False
    event = (await context.store.events.load(match.event[0])).event
    return event.setup.gives_time


@registry.command(
    "plan",
    arguments.text("plan"),
    MATCH,
    topic=HelpTopic.MATCH,
    aliases=("if",),
    button=Verb.PLAN,
    finishing=True,
)
async def plan(context: Context) -> Sequence[Message]:
    """`/plan if a7-a6 then b2-b3; if ...`, `/plan b2-b3` for any reply; without words what is planned; off deletes it."""
    text = context.command.rest.strip()
    if context.command.alias == "if":
        text = f"if {text}"
    finder = context.finder

    def others_turn(match: Match) -> bool:
        return finder.mine(match) and not finder.my_turn(match)

    match = await context.in_play(others_turn, finder.mine, retry=Retry(Verb.PLAN, text))
    if not text:
        with in_match(match):
            plan = plan_of(match, seat_of(match, context.visitor.account))
        return [context.private(plan_card(context.present(match), plan))]
    wanted = "" if text.casefold() in OFF else text
    try:
        fact = await context.table.act(match.id, MakePlan(wanted), context.request())
    except Unavailable:
        raise
    except PlayError as refusal:
        raise InMatch(match, refusal) from refusal
    except RulesError as refusal:
        slip = slip_of(context.course(match), seat_of(match, context.visitor.account), wanted)
        if slip is None:  # the match has gone on meanwhile
            raise InMatch(match, refusal) from refusal
        if meant := _plan_readings(context, match, wanted):
            return [await error_handling.question(context, meant)]
        return [context.private(_in_plan(context.names(match), slip), refused=True)]
    notice = await context.notice(fact)
    if not (wanted and context.visitor.overheard and context.seen is None):
        return [notice]
    warned = context.words("bot.plan.overheard", code=f"#{match.id}")
    return [replace(notice, view=replace(notice.view, lines=(*notice.view.lines, warned)))]


def _in_plan(names: Naming, slip: Slip) -> View:
    game, words = names.game, names.words
    fields = names.named(slip.error.fields)
    shown = {name: quoted(value, 60) if isinstance(value, str) else value for name, value in fields.items()}
    lines = [
        words("bot.plan.slip", case=quoted(slip.case, 60), text=quoted(slip.text, 60)),
        words(slip.error.reason, **shown),
    ]
    if isinstance(slip.error, AmbiguousMove):
        fitting: Sequence[Any] = slip.error.candidates
        offered = [game.notation.format(move) for move in fitting[:EXAMPLES]]
    else:
        offered = examples(game, slip.position)
    return with_examples(words, offered, *lines)


def _plan_readings(context: Context, match: Match, text: str) -> Sequence[str]:
    course, seat = context.course(match), seat_of(match, context.visitor.account)
    found: list[str] = []
    texts = [" ".join(text.replace("\n", "; ").split())]
    for _ in range(_MOST_READINGS):
        if not texts:
            break
        read = texts.pop(0)
        slip = slip_of(course, seat, read)
        if slip is None:
            found.append(f"/plan #{match.id} {read}")
            continue
        moves = legal_readings(course.game, slip.position, slip.text)
        texts += [read.replace(slip.text, move, 1) for move in moves]
    return found[:_OFFERED]


@registry.command(
    "substitute",
    MATCH,
    arguments.text("seat", named=True),
    ENGINE,
    topic=HelpTopic.INVITATIONS,
    button=Verb.SUBSTITUTE,
    finishing=False,
)
async def substitute(context: Context) -> Sequence[Message]:
    """`/substitute`, `/substitute 2`: take over a seat that was left, while the others play on.

    `/substitute engine:5`, `/substitute engine:5 seat:2`: have an engine do so, where one plays oneself.
    """
    named, finder = kind_in(context), context.finder
    kind, typed = named or ("", context.command.chosen().get("seat") or context.command.rest)
    number = number_in(typed, 1, len(SEATS))
    if typed and number is None:
        raise no_such_word(typed)
    seat = SEATS[number - 1] if number else None

    def left(match: Match) -> bool:
        return match.phase is Phase.PLAYING and bool(context.course(match).departed)

    def fits(match: Match) -> bool:
        return left(match) and finder.mine(match) is bool(kind)

    retry = Retry(Verb.SUBSTITUTE, f"engine:{kind} {typed}".strip() if kind else typed)
    match = await context.match(fits, left, retry=retry, otherwise=BadCommand.NO_FREE_SEAT)
    if not kind:
        return await context.act(match, Substitute(seat))
    with in_match(match):
        if not any(True for _ in match.seats_of(context.visitor.account)):
            raise NotAllowed(Refused.ENGINE_BY_PLAYERS)
        request = context.request()
        playing_seat(match, context.course(match), request)
        fact = await context.table.act(match.id, Substitute(seat), replace(request, who=another(match, kind)))
    return await context.announce(fact)


@registry.command("rematch", MATCH, topic=HelpTopic.MATCH, button=Verb.REMATCH, finishing=False)
async def rematch(context: Context) -> Sequence[Message]:
    """Propose or accept the same game once more, with the seats swapped; `same`: as they were.

    `other`: set it up with another opponent.
    """
    other, same = (context.command.rest.casefold() in words for words in (_OTHER, _SAME))
    if not other and not same:
        context.no_words()
    old = await context.match(AmongFinished(context.finder.was_mine), context.finder.mine)
    if other:
        return await ask(context, MatchSetup.like(context.game(old), old))
    codes = rematch_codes(old)
    if not any(match.id in codes and match.rematch_of == old.id for match in await context.here.live()):
        await check_place(context, context.game(old))  # answering a proposal is always allowed
    visitor = context.visitor
    others = [
        chair.player for chair in old.chairs if chair.player and chair.player.account != visitor.account
    ]
    homes = await homes_of(context, others)
    if not {*old.addresses} <= {visitor.place, *homes.all}:  # there is a place that they share
        homes = Homes()
    fact = await opening.rematch(
        context.table, old.id, context.request(), where=visitor.place, also=homes.found, same=same
    )
    return [*await context.announce(fact), *unreached_notice(context, fact, homes)]
