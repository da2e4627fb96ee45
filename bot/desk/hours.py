"""What has to do with time: /claim, /pause, /resume, /plan, /substitute, /vacation, /settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from bot.actions import Action, Verb
from bot.desk import opponents
from bot.desk.choices import chosen, chosen_here
from bot.desk.errand import Errand, Handler, Pressed, no_such_word
from bot.desk.grammar import HERE, OFF, BadCommand
from bot.desk.guard import InMatch
from bot.desk.playing import answered, question
from bot.desk.which import Again
from bot.pictures import theme_of
from bot.presenter import refusals
from bot.presenter.naming import Naming
from bot.presenter.times import plan_card, settings_card, theme_card, vacation_card
from bot.view import Message, View
from play.checks import seat_of
from play.errors import PlayError
from play.facts import Fact
from play.match import Ask, Match, Phase
from play.planning import plan_of, slip_of
from rules.core import RulesError, Seat


async def claim(errand: Errand) -> Sequence[Message]:
    """Take the win, or have the seat put out, once an opponent's time is up on a soft clock."""
    errand.no_words()
    match = await errand.in_play(_time_is_up, errand.finder.mine, again=Again(Verb.CLAIM))
    return await _done(errand, match, Verb.CLAIM)


async def pause(errand: Errand) -> Sequence[Message]:
    """Ask the others to stop the clock; with yes or no, answer that."""
    return await question(errand, Ask.PAUSE)


async def resume(errand: Errand) -> Sequence[Message]:
    """Let the clock run again; `/resume yes` too, and `/resume no` leaves it as it is."""
    finder = errand.finder
    if answered(errand) is False:
        return await question(errand, Ask.RESUME)

    def resting(match: Match) -> bool:
        return finder.mine(match) and match.paused is not None

    match = await errand.in_play(resting, finder.mine, again=Again(Verb.RESUME))
    return await _done(errand, match, Verb.RESUME)


async def plan(errand: Errand) -> Sequence[Message]:
    """`/plan if a7-a6 then b2-b3; if ...`; without words what is planned, with off nothing any more."""
    text = errand.command.rest.strip()
    if errand.command.name == "if":
        text = f"if {text}"
    finder = errand.finder

    def others_turn(match: Match) -> bool:
        return finder.mine(match) and not finder.my_turn(match)

    match = await errand.in_play(others_turn, finder.mine, again=Again(Verb.PLAN, text))
    return await _plan(errand, match, text, overheard=errand.visitor.overheard)


async def _plan(
    errand: Errand, match: Match, text: str, seen: int | None = None, *, overheard: bool = False
) -> Sequence[Message]:
    who, at = errand.visitor.player, errand.at
    if text and text.casefold() not in OFF:
        wanted = text
    elif text:
        wanted = ""
    else:
        return [errand.private(_planned(errand, match))]
    try:
        fact = await errand.table.plan(match.id, who, wanted, at=at, seen=seen, operation=errand.operation)
    except PlayError as refusal:
        raise InMatch(match, refusal) from refusal
    except RulesError as refusal:
        slip = slip_of(errand.course(match), seat_of(match, who), wanted)
        if slip is None:  # the match has gone on meanwhile
            raise InMatch(match, refusal) from refusal
        return [errand.private(refusals.in_plan(errand.game(match), match, slip, errand.words))]
    told = await errand.told(fact)
    if not (overheard and wanted):
        return [told]
    warned = errand.words("bot.plan.overheard", code=f"#{match.id}")
    return [replace(told, view=replace(told.view, lines=(*told.view.lines, warned)))]


def _planned(errand: Errand, match: Match) -> View:
    """What the visitor has planned in a match."""
    try:
        plan = plan_of(match, seat_of(match, errand.visitor.account))
    except PlayError as refusal:
        raise InMatch(match, refusal) from refusal
    return plan_card(Naming(errand.game(match), match, errand.words).title, plan, errand.words)


async def substitute(errand: Errand) -> Sequence[Message]:
    """`/substitute`, `/substitute 2`: take over a seat that was left, while the others play on.

    `/substitute engine:5`, `/substitute engine:5 seat:2`: have an engine do so, where one plays oneself.
    """
    if opponents.is_named(errand):
        return await opponents.substitute(errand)
    typed = errand.command.chosen().get("seat") or errand.command.rest
    _seat(typed)
    finder = errand.finder

    def left(match: Match) -> bool:
        return match.phase is Phase.PLAYING and bool(errand.course(match).departed)

    def others(match: Match) -> bool:
        return left(match) and not finder.mine(match)

    again = Again(Verb.SUBSTITUTE, typed)
    match = await errand.match(others, left, again=again, otherwise=BadCommand.NO_FREE_SEAT)
    return await _done(errand, match, Verb.SUBSTITUTE, typed)


def _seat(text: str) -> Seat | None:
    return opponents.seat_numbered(text)


async def vacation(errand: Errand) -> Sequence[Message]:
    """`/vacation 10d` begins one, `/vacation off` ends it, `/vacation` says how much is left."""
    text, who, at = errand.command.rest.strip(), errand.visitor.account, errand.at
    settings, over = await errand.store.settings(who), text.casefold() in OFF
    if over:
        days, _ = await errand.table.end_vacation(who, at=at, operation=errand.operation)
        settings = replace(settings, vacation=days)
    elif text:
        days, _ = await errand.table.take_vacation(who, text, at=at, operation=errand.operation)
        settings = replace(settings, vacation=days)
    view = vacation_card(settings, at, errand.words, over=over, runs_on=await errand.table.run_on(who))
    return [errand.private(view)]


async def settings(errand: Errand) -> Sequence[Message]:
    """`/settings quiet:23-8 zone:Europe/Kyiv theme:dark` for oneself, `/settings here theme:dark` for the place.

    Without any, what is chosen.
    """
    who, where = errand.visitor.account, errand.visitor.place
    here = any(word.casefold() in HERE for word in errand.command.words)
    for word in errand.command.words:
        if word.casefold() not in HERE:
            raise no_such_word(word)
    if here:
        chosen_here(errand.place, errand.command.chosen())
        if errand.command.options:
            errand.for_all()
        new = await errand.store.change_settings(where, lambda now: chosen_here(now, errand.command.chosen()))
        return [errand.private(theme_card(theme_of(new), errand.words, hints=new.hints))]
    new = await errand.store.change_settings(who, lambda now: chosen(now, errand.command.chosen()))
    theme = theme_of(new) if new.theme else errand.place_theme
    return [errand.private(settings_card(new, errand.at, errand.words, theme))]


async def _done(
    errand: Errand, match: Match, verb: Verb, argument: str = "", seen: int | None = None
) -> Sequence[Message]:
    """Fulfil a request about a match, whether typed or pressed; a refusal is explained with its names."""
    try:
        return await errand.announce(await _asked(errand, match, verb, argument, seen))
    except (RulesError, PlayError) as refusal:
        raise InMatch(match, refusal) from refusal


async def _asked(errand: Errand, match: Match, verb: Verb, argument: str, seen: int | None) -> Fact:
    table, who, at, done = errand.table, errand.visitor.player, errand.at, errand.operation
    match verb:
        case Verb.CLAIM:
            return await table.claim(match.id, who, at=at, seen=seen, operation=done)
        case Verb.PAUSE:
            return await table.ask_pause(match.id, who, at=at, seen=seen, operation=done)
        case Verb.RESUME:
            return await table.resume(match.id, who, at=at, seen=seen, operation=done)
        case Verb.SUBSTITUTE:
            return await table.substitute(match.id, who, _seat(argument), at=at, seen=seen, operation=done)
        case _:
            raise ValueError(verb)


async def _pressed(errand: Errand, button: Action) -> Sequence[Message]:
    match = await errand.table.get(button.match)
    if button.verb is Verb.PLAN:
        return await _plan(errand, match, button.argument, button.seen)
    if button.verb is Verb.SUBSTITUTE and " " in button.argument:
        return await opponents.substituted(errand, match, button)
    return await _done(errand, match, button.verb, button.argument, button.seen)


def _time_is_up(match: Match) -> bool:
    return match.phase is Phase.PLAYING and match.times is not None and match.times.up


COMMANDS: Final[Mapping[str, Handler]] = {
    "claim": claim,
    "pause": pause,
    "resume": resume,
    "plan": plan,
    "substitute": substitute,
    "vacation": vacation,
    "settings": settings,
}

PRESSES: Final[Mapping[Verb, Pressed]] = dict.fromkeys(
    (Verb.CLAIM, Verb.PAUSE, Verb.RESUME, Verb.PLAN, Verb.SUBSTITUTE), _pressed
)
