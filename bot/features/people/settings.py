"""/vacation, /settings, /language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final

from bot.chat import arguments
from bot.chat.arguments import HelpTopic
from bot.chat.callback_data import Verb
from bot.chat.context import Context
from bot.chat.errors import BadCommand, CommandError, shown
from bot.chat.grammar import HERE as HERE_WORDS
from bot.chat.grammar import OFF
from bot.chat.i18n import LANGUAGES, NAMES, Words
from bot.chat.i18n import words as words_for
from bot.chat.i18n.times import names_no_day
from bot.chat.presenting.moments import moment, vacation_days
from bot.chat.registry import Registry
from bot.chat.view import Message, View, opens
from bot.features.people.declared import language_line, spoken_language, week_text
from bot.features.people.panels import HERE, PERSON, Choice, asked_setting, question
from play.errors import Refused
from play.match import Match
from play.settings import Settings, Vacation, as_of, on_vacation
from play.time.calendar import fixed_until, week_of
from play.time.clock import read as read_length
from play.time.vacation import SHORTEST, budget_left, end_vacation, plan_vacation, run_on, take_vacation

registry: Final = Registry()

_WITHDRAW: Final = "plan off"
_LONGEST: Final = timedelta(days=183)  # what begins longer before its end is typed the wrong way round
_DAYS: Final = (1, 3, 7)  # lengths of a vacation that are offered; any other can be typed


@registry.command(
    "vacation", arguments.text("days"), topic=HelpTopic.OPTIONS, button=Verb.VACATION, finishing=True
)
async def vacation(context: Context) -> Sequence[Message]:
    """`/vacation 10d` begins one, `/vacation 24 dec - 2 jan` plans one, `/vacation off` ends it, `/vacation` shows what is left."""
    text, who, at, words = context.command.rest.strip(), context.visitor.account, context.at, context.words
    settings, off, said = await context.store.settings.get(who), text.casefold(), list[str]()
    settings = replace(settings, vacation=as_of(settings.vacation, at))
    if off == _WITHDRAW or off in OFF:
        ends = off != _WITHDRAW and on_vacation(settings.vacation, at)
        days, _ = await end_vacation(context.table, context.request(), planned=off == _WITHDRAW)
        said.append(words("bot.vacation.over" if ends else "bot.vacation.called-off"))
        settings = replace(settings, vacation=days)
    elif text:
        settings = replace(settings, vacation=await _vacation_begun(context, text))
    rest, plan = budget_left(settings.vacation, at), settings.vacation and settings.vacation.plan
    if plan:
        rest = min(rest, plan.since - at)
    offered = [
        Choice(f"{count}d", words.length(timedelta(count))) for count in _DAYS if rest >= timedelta(count)
    ]
    if on_vacation(settings.vacation, at):
        offered.append(Choice("off", words("bot.panel.end-vacation")))
    if plan:
        offered.append(Choice(_WITHDRAW, words("bot.panel.withdraw-vacation")))
    runs_on = await run_on(context.table, who)
    said += [*_vacation_lines(context, settings, runs_on), *([] if plan else [words("bot.vacation.plan")])]
    back = opens(Verb.SETTINGS, words("bot.button.back"))
    return [context.private(question(Verb.VACATION, "", offered, words, *said, back=back))]


def _vacation_lines(context: Context, settings: Settings, runs_on: Sequence[Match] = ()) -> Sequence[str]:
    vacation, words, lines = as_of(settings.vacation, context.at), context.words, []
    if vacation and vacation.until and on_vacation(vacation, context.at):
        lines.append(words("bot.vacation.until", until=moment(vacation.until, words, settings.own_zone)))
    if vacation and (plan := vacation.plan):
        days = vacation_days(plan.since, plan.until, plan.zone, words)
        lines.append(words("bot.vacation.yours", days=days))
    if lines and runs_on:  # their clocks do not stop
        codes = words.list([f"#{match.id}" for match in runs_on])
        lines.append(words.count("bot.vacation.runs-on", len(runs_on), codes=codes))
    rest = budget_left(vacation, context.at)
    none = rest <= timedelta()
    left = words("bot.vacation.none-left") if none else words("bot.vacation.left", left=words.time_left(rest))
    return [*lines, left]


async def _vacation_begun(context: Context, text: str) -> Vacation:
    """Begin, or plan, the vacation that a text says."""
    table, request, at = context.table, context.request(), context.at
    if read_length(text) is not None:
        return (await take_vacation(table, request, text))[0]
    since, until = context.span(
        text, Refused.VACATION_NO_DAY if names_no_day(text, at) else Refused.BAD_VACATION
    )
    if until <= since or (since < at and until - since > _LONGEST):  # 28 Dec - 24 Dec
        raise CommandError(Refused.VACATION_BACKWARDS)
    if until - max(since, at) < SHORTEST:
        raise CommandError(Refused.BAD_VACATION, text=shown(text))
    if since > at:
        return (await plan_vacation(table, request, since, until, context.own.own_zone or "UTC"))[0]
    return (await take_vacation(table, request, until - at))[0]


@registry.command(
    "settings",
    *(each.argument for each in PERSON.settings),
    arguments.HERE,
    button=Verb.SETTINGS,
    topic=HelpTopic.OPTIONS,
    finishing=False,
)
async def choose_settings(context: Context) -> Sequence[Message]:
    """`/settings quiet:23-8 zone:Europe/Kyiv theme:dark` for oneself, `/settings here theme:dark` for the place.

    Without any, what is chosen.
    """
    context, here = _for_place(context)
    words, panel = context.words, HERE if here else PERSON
    typed, asked = panel.named(context.command.chosen()), asked_setting(context)
    runs = here and await context.visitor.is_admin()
    if here:
        panel.changed(context, context.place, typed)
        if typed and not runs:
            raise CommandError(BadCommand.NOT_FOR_ALL)
    whose = context.visitor.place if here else context.visitor.account
    new = await context.store.settings.change(whose, lambda now: panel.changed(context, now, typed))
    spoken = language_line(new if here else replace(new, language=words.language), words)
    if here and not runs:
        return [context.private(View(lines=(*panel.lines(context, new).values(), spoken)))]
    which = words("bot.panel.which", setting=words("bot.panel.language"))
    also = {spoken: opens(Verb.LANGUAGE, which, panel.scope)}
    if not here:
        which = words("bot.panel.which", setting=words("bot.panel.vacation"))
        also[_vacation_lines(context, new)[0]] = opens(Verb.VACATION, which)
    view = panel.view(context, new, asked, also)
    return [context.private(replace(view, lines=(*_clock_from_now_on(context, typed, new), *view.lines)))]


def _clock_from_now_on(context: Context, typed: Mapping[str, str], new: Settings) -> Iterator[str]:
    week, words = week_of(new, context.at), context.words
    if "awake" in typed or "weekend" in typed:
        yield words("bot.awake.never") if week.never_rests else week_text(week, words, "bot.awake.now")
    if new.own_zone and new.own_zone != week.zone and (until := fixed_until(new, context.at)):
        yield words("bot.awake.later", zone=week.zone, when=moment(until, words, week.zone))


@registry.command(
    "language",
    arguments.choice("language", *LANGUAGES, named=False),
    arguments.HERE,
    button=Verb.LANGUAGE,
    topic=HelpTopic.OPTIONS,
    finishing=False,
)
async def language(context: Context) -> Sequence[Message]:
    """`/language uk` for oneself, `/language uk here` for the place; without one, which there are."""
    context, here = _for_place(context)
    named, words = " ".join(context.command.words), context.words
    new = spoken_language(named) if named else None
    if here:
        return await _language_here(context, new)
    if new is None:
        return [context.private(_languages(words, words("bot.language.now", language=NAMES[words.language])))]
    await context.store.settings.change(context.visitor.account, lambda now: replace(now, language=new))
    words = words_for(new)
    said = words("bot.language.yours-too" if context.place_words.language == new else "bot.language.yours")
    return [replace(context, words=words).private(_languages(words, said))]


async def _language_here(context: Context, new: str | None) -> Sequence[Message]:
    place, words, runs = context.visitor.place, context.words, await context.visitor.is_admin()
    told = []
    if new is not None:
        if not runs:
            raise CommandError(BadCommand.NOT_FOR_ALL)
        await context.store.settings.change(place, lambda now: replace(now, language=new))
        told.append(Message(place, View(lines=(words_for(new)("bot.language.here"),))))
        if context.seen is None:  # typed: there is no card
            return told
    now = new or context.place.language
    said = language_line(Settings(language=now), words)
    view = _languages(words, said, now, "here") if runs else View(lines=(said,))
    return [*told, context.private(view)]


def _languages(words: Words, said: str, now: str | None = None, scope: str = "") -> View:
    spoken = now if scope else words.language
    offered = [Choice(each, NAMES[each], each == spoken) for each in LANGUAGES]
    back = opens(Verb.SETTINGS, words("bot.button.back"), scope)
    return question(Verb.LANGUAGE, scope, offered, words, said, back=back)


def _for_place(context: Context) -> tuple[Context, bool]:
    words = tuple(word for word in context.command.words if word.casefold() not in HERE_WORDS)
    here = words != context.command.words
    return replace(context, command=replace(context.command, words=words)), here
