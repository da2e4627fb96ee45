"""Time control and settings: /claim, /pause, /resume, /plan, /substitute, /vacation, /settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from bot.callback_data import CallbackData, Verb
from bot.desk import arguments, engine_opponents
from bot.desk.command_spec import Access
from bot.desk.context import Context
from bot.desk.error_handling import InMatch
from bot.desk.errors import BadCommand, no_such_word
from bot.desk.grammar import HERE, OFF
from bot.desk.match_lookup import Retry
from bot.desk.playing import answered, question
from bot.desk.registry import Registry
from bot.desk.settings import chosen, chosen_here
from bot.pictures import theme_of
from bot.presenter import refusals
from bot.presenter.clocks import plan_card, vacation_card
from bot.presenter.settings import settings_card, theme_card
from bot.view import Message, View
from play.actions.action import Action
from play.actions.agreeing import AskPause, Resume
from play.actions.leaving import Claim
from play.actions.planning import MakePlan, plan_of, slip_of
from play.actions.substituting import Substitute
from play.checks import seat_of
from play.errors import PlayError
from play.facts import Fact
from play.match import Ask, Match, Phase
from play.time.days_off import end_vacation, run_on, take_vacation
from rules.core import RulesError, Seat

registry: Final = Registry()


@registry.command("claim", arguments.MATCH, topics=("clock",))
async def claim(context: Context) -> Sequence[Message]:
    """Take the win, or have the seat put out, once an opponent's time is up on a soft clock."""
    context.no_words()
    match = await context.in_play(_time_is_up, context.finder.mine, retry=Retry(Verb.CLAIM))
    return await _done(context, match, Verb.CLAIM)


@registry.command("pause", arguments.ANSWER, arguments.MATCH, topics=("clock",))
async def pause(context: Context) -> Sequence[Message]:
    """Ask the others to stop the clock; with yes or no, answer that."""
    return await question(context, Ask.PAUSE)


@registry.command("resume", arguments.MATCH)
async def resume(context: Context) -> Sequence[Message]:
    """Let the clock run again; `/resume yes` too, and `/resume no` leaves it as it is."""
    finder = context.finder
    if answered(context) is False:
        return await question(context, Ask.RESUME)

    def resting(match: Match) -> bool:
        return finder.mine(match) and match.paused is not None

    match = await context.in_play(resting, finder.mine, retry=Retry(Verb.RESUME))
    return await _done(context, match, Verb.RESUME)


@registry.command("plan", arguments.text("plan"), arguments.MATCH, aliases=("if",))
async def plan(context: Context) -> Sequence[Message]:
    """`/plan if a7-a6 then b2-b3; if ...`; without words what is planned, with off nothing any more."""
    text = context.command.rest.strip()
    if context.command.name == "if":
        text = f"if {text}"
    finder = context.finder

    def others_turn(match: Match) -> bool:
        return finder.mine(match) and not finder.my_turn(match)

    match = await context.in_play(others_turn, finder.mine, retry=Retry(Verb.PLAN, text))
    return await _plan(context, match, text, overheard=context.visitor.overheard)


async def _plan(
    context: Context, match: Match, text: str, seen: int | None = None, *, overheard: bool = False
) -> Sequence[Message]:
    if text and text.casefold() not in OFF:
        wanted = text
    elif text:
        wanted = ""
    else:
        return [context.private(_planned(context, match))]
    try:
        fact = await context.table.act(match.id, MakePlan(wanted), context.request(seen))
    except PlayError as refusal:
        raise InMatch(match, refusal) from refusal
    except RulesError as refusal:
        slip = slip_of(context.course(match), seat_of(match, context.visitor.account), wanted)
        if slip is None:  # the match has gone on meanwhile
            raise InMatch(match, refusal) from refusal
        return [context.private(refusals.in_plan(context.names(match), slip))]
    told = await context.told(fact)
    if not (overheard and wanted):
        return [told]
    warned = context.words("bot.plan.overheard", code=f"#{match.id}")
    return [replace(told, view=replace(told.view, lines=(*told.view.lines, warned)))]


def _planned(context: Context, match: Match) -> View:
    """What the visitor has planned in a match."""
    try:
        plan = plan_of(match, seat_of(match, context.visitor.account))
    except PlayError as refusal:
        raise InMatch(match, refusal) from refusal
    return plan_card(context.names(match).title, plan, context.words)


@registry.command(
    "substitute", arguments.MATCH, arguments.text("seat", named=True), arguments.ENGINE, topics=("engines",)
)
async def substitute(context: Context) -> Sequence[Message]:
    """`/substitute`, `/substitute 2`: take over a seat that was left, while the others play on.

    `/substitute engine:5`, `/substitute engine:5 seat:2`: have an engine do so, where one plays oneself.
    """
    if engine_opponents.is_named(context):
        return await engine_opponents.substitute(context)
    typed = context.command.chosen().get("seat") or context.command.rest
    _seat(typed)
    finder = context.finder

    def left(match: Match) -> bool:
        return match.phase is Phase.PLAYING and bool(context.course(match).departed)

    def others(match: Match) -> bool:
        return left(match) and not finder.mine(match)

    retry = Retry(Verb.SUBSTITUTE, typed)
    match = await context.match(others, left, retry=retry, otherwise=BadCommand.NO_FREE_SEAT)
    return await _done(context, match, Verb.SUBSTITUTE, typed)


def _seat(text: str) -> Seat | None:
    return engine_opponents.seat_numbered(text)


@registry.command("vacation", arguments.text("days"), topics=("clock",))
async def vacation(context: Context) -> Sequence[Message]:
    """`/vacation 10d` begins one, `/vacation off` ends it, `/vacation` says how much is left."""
    text, who, at = context.command.rest.strip(), context.visitor.account, context.at
    settings, over = await context.store.settings.get(who), text.casefold() in OFF
    if over:
        days, _ = await end_vacation(context.table, context.request())
        settings = replace(settings, vacation=days)
    elif text:
        days, _ = await take_vacation(context.table, context.request(), text)
        settings = replace(settings, vacation=days)
    view = vacation_card(settings, at, context.words, over=over, runs_on=await run_on(context.table, who))
    return [context.private(view)]


@registry.command(
    "settings",
    arguments.text("reminders", named=True),
    arguments.QUIET,
    arguments.ZONE,
    arguments.choice("headsup", "on", "off"),
    arguments.THEME,
    arguments.choice("flip", "on", "off"),
    arguments.HINTS,
    arguments.HERE,
    access=Access.ADMINS_FOR_PLACE,
)
async def settings(context: Context) -> Sequence[Message]:
    """`/settings quiet:23-8 zone:Europe/Kyiv theme:dark` for oneself, `/settings here theme:dark` for the place.

    Without any, what is chosen.
    """
    who, where = context.visitor.account, context.visitor.place
    here = any(word.casefold() in HERE for word in context.command.words)
    for word in context.command.words:
        if word.casefold() not in HERE:
            raise no_such_word(word)
    if here:
        chosen_here(context.place, context.command.chosen())
        if context.command.options:
            context.for_all()
        new = await context.store.settings.change(
            where, lambda now: chosen_here(now, context.command.chosen())
        )
        return [context.private(theme_card(theme_of(new), context.words, hints=new.hints))]
    new = await context.store.settings.change(who, lambda now: chosen(now, context.command.chosen()))
    theme = theme_of(new) if new.theme else context.place_theme
    return [context.private(settings_card(new, context.at, context.words, theme))]


async def _done(
    context: Context, match: Match, verb: Verb, argument: str = "", seen: int | None = None
) -> Sequence[Message]:
    """Fulfil a request about a match, whether typed or pressed; a refusal is explained with its names."""
    try:
        action = _action(verb, argument)
        return await context.announce(await context.table.act(match.id, action, context.request(seen)))
    except (RulesError, PlayError) as refusal:
        raise InMatch(match, refusal) from refusal


def _action(verb: Verb, argument: str) -> Action[Fact]:
    match verb:
        case Verb.CLAIM:
            return Claim()
        case Verb.PAUSE:
            return AskPause()
        case Verb.RESUME:
            return Resume()
        case Verb.SUBSTITUTE:
            return Substitute(_seat(argument))
        case _:
            raise ValueError(verb)


@registry.button(Verb.CLAIM, Verb.PAUSE, Verb.RESUME, Verb.PLAN, Verb.SUBSTITUTE)
async def _pressed(context: Context, button: CallbackData) -> Sequence[Message]:
    match = await context.table.get(button.match)
    if button.verb is Verb.PLAN:
        return await _plan(context, match, button.argument, button.seen)
    if button.verb is Verb.SUBSTITUTE and " " in button.argument:
        return await engine_opponents.substituted(context, match, button)
    return await _done(context, match, button.verb, button.argument, button.seen)


def _time_is_up(match: Match) -> bool:
    return match.phase is Phase.PLAYING and match.times is not None and match.times.up
