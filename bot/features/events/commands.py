"""/cup, /ladder and /league: what is done with an event. A place has one ladder and one league for each game, and any cups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from bot.chat import arguments
from bot.chat.arguments import HelpTopic
from bot.chat.callback_data import CallbackData, Verb
from bot.chat.context import Context
from bot.chat.errors import CommandError, no_such_word
from bot.chat.game_words import find_game
from bot.chat.grammar import Command, number_in, split
from bot.chat.i18n import Words
from bot.chat.presenting.naming import game_title
from bot.chat.quotas import CUPS
from bot.chat.registry import OFFERINGS, CommandHandler, Offered, Offering, Registry
from bot.chat.services import Services
from bot.chat.view import Message, View
from bot.features.events.choosing import (
    BadEvent,
    act,
    answer,
    events_here,
    events_of,
    find_event,
    form_of,
    only_event,
    own_card,
    question_before,
    read_setup,
    shown_event,
)
from bot.features.events.fair_play import note_if_new, oversee, young_until
from bot.features.events.forms import FORMS
from bot.features.events.parts import Shown, code, press
from play.events.actions import Enter, LeaveEvent, Show, StopEvent
from play.events.entries import Stage
from play.events.event import GIVES_TIME, Event
from play.people import Account
from play.ports import Operation

registry: Final = Registry()

KEYS: Final = {
    "bot.{}.{}": (FORMS, ("none", "button.new", "which-game", "opened", "left", "stopped", "offered"))
}  # for the check of the catalogues

_MOST: Final = 5  # events in one answer


async def _here(context: Context) -> Sequence[Message]:
    """Show the events of the place, ladders and leagues as the visitor has them; where there is none, offer one."""
    name, form, found = context.command.name, form_of(context), await events_here(context)
    new = press(name, context.words, f"bot.{name}.button.new", "new", good=True)
    if form.listed and found:
        view = form.listed([shown_event(context, event) for event in found[:_MOST]])
        return [context.private(replace(view, buttons=(*view.buttons, new)))]
    live = [event for event in found if event.live]
    if live:
        return [own_card(context, event) for event in live[:_MOST]]
    return [context.private(View(lines=(context.words(f"bot.{name}.none"),), buttons=(new,)))]


async def _new(context: Context) -> Sequence[Message]:
    """Open an event. A ladder or a league that is open already is shown instead."""
    if question := await question_before(context):
        return [context.private(question)]
    setup, place, name = await read_setup(context), context.visitor.place, None
    if setup.perpetual:
        kind = (setup.game, setup.options)
        same = [one for one in await events_here(context) if (one.setup.game, one.setup.options) == kind]
        for event in same:
            if event.live:
                return [own_card(context, event)]
        # Two who open it at once make the same name from the last one that is over, and so the same event.
        name = f"{setup.form}/{place}/{kind}/{same[0].id if same else ''}"
    await context.take(CUPS)
    fact = await events_of(context).open(setup, (place,), context.request(), name=name)
    if name is not None and not fact.opened:
        return [own_card(context, fact.event)]
    line = context.words(f"bot.{setup.form}.opened", code=code(fact.event))
    join = shown_event(context, fact.event).button("bot.cup.button.join", "join", good=True)
    return [context.private(View(lines=(line,), buttons=(join,)))]


async def _join(context: Context) -> Sequence[Message]:
    """Have the visitor enter; from another place, the event is shown there from then on, too."""
    who, event = context.visitor, await only_event(context)
    created = None if context.speaker else who.created
    after = await act(context, event, Enter(young_until(created, context.at)))
    await note_if_new(context.store, event, who.account, created, context.at)
    after = await _show_here(context, after)
    if event.setup.perpetual:
        return [own_card(context, after)]
    return answer(
        context, after, "bot.cup.queued" if event.state.stage is Stage.RUNNING else "bot.cup.joined"
    )


async def _show_here(context: Context, event: Event) -> Event:
    """Return an event after the place of a visitor who has entered is one of its places; none that is a person's own.

    Boards come to them privately, in the language in which they entered unless they have chosen one.
    """
    if context.own.language is None and not context.speaker:
        spoken = context.words.language
        await context.store.settings.change(
            context.asker, lambda now: replace(now, language=now.language or spoken)
        )
    place = context.visitor.place
    if context.visitor.alone or place in event.addresses:
        return event
    operation = context.operation and Operation(f"{context.operation.id[:90]}:show", "show")
    request = replace(context.request(), operation=operation)
    return (await events_of(context).act(event.id, Show(place), request)).event


async def _leave(context: Context) -> Sequence[Message]:
    event = await act(context, await only_event(context), LeaveEvent())
    return answer(context, event, f"bot.{event.setup.form}.left")


async def _mine(context: Context) -> Sequence[Message]:
    event = await only_event(context, over=True)
    return [own_card(context, event)]


async def _table(context: Context) -> Sequence[Message]:
    event, rest = await find_event(context, over=True)
    if len(rest) > 1 or (rest and not rest[0].isdecimal()):
        raise no_such_word(rest[0])
    page = (number_in(rest[-1]) or 1) if rest else None
    table = FORMS[event.setup.form].table(shown_event(context, event), page, context.visitor.account)
    return [context.private(table)]


async def _stop(context: Context) -> Sequence[Message]:
    """End an event: by an admin of a place where it is shown; a cup before its start, by who opened it, too."""
    event = await only_event(context)
    hosted = event.host.account == context.visitor.account
    if not (hosted and not event.setup.perpetual and event.state.stage is Stage.OPEN):
        if context.visitor.place not in event.addresses:
            raise CommandError(BadEvent.STOP_ELSEWHERE)
        await context.admins_only()
    return answer(context, await act(context, event, StopEvent()), f"bot.{event.setup.form}.stopped")


_DEEDS: Final[Mapping[str, CommandHandler]] = {
    "new": _new,
    "join": _join,
    "leave": _leave,
    "mine": _mine,
    "table": _table,
    "stop": _stop,
    "admin": oversee,
}
"""By the first word of a command: what is done with events of all forms."""


async def event_command(context: Context) -> Sequence[Message]:
    """`/cup new lgame clock:1d most:8 closes:24h`, `/ladder challenge bob`, `/league skip`; alone, what the place has."""
    command, form = context.command, form_of(context)
    deed = command.words[0].casefold() if command.words else ""
    if not deed and not command.options:
        return await _here(context)
    if handler := {**_DEEDS, **form.deeds}.get(deed):
        return await handler(replace(context, command=replace(command, words=command.words[1:])))
    if form.listed and (not deed or find_game(context.table.games, deed)):
        return await _new(context)  # it may be ordered without the word for it
    raise no_such_word(command.words[0]) if deed else CommandError(form.none_here)


@registry.button(Verb.EVENT, finishing=False)
async def _pressed(context: Context, button: CallbackData) -> Sequence[Message]:
    """Do what is typed after the command of a form."""
    name, _, typed = button.argument.partition(" ")
    if name not in FORMS:
        raise no_such_word(name)
    return await event_command(replace(context, command=Command(name, "", typed, *split(typed))))


for _name, _form in FORMS.items():
    _before, _after = _form.arguments
    registry.command(
        _name,
        arguments.choice("do", *{**_DEEDS, **_form.deeds}, named=False),
        *(*_before, arguments.GAME, arguments.OPTIONS, arguments.CLOCK, *_after),
        arguments.RATED,
        arguments.choice(GIVES_TIME, "on", "off"),
        arguments.CHANNEL,
        topic=HelpTopic.TOGETHER,
        button=Verb.__members__.get(_name.upper()),  # of messages from before `Verb.EVENT`
        finishing=False,
    )(event_command)


async def _marks(services: Services, accounts: Sequence[Account]) -> Sequence[int]:
    """Return a mark of the events of each person."""
    return await services.store.events.marks(accounts)


async def _offered(services: Services, account: Account, words: Words) -> Sequence[Offered]:
    """Offer the events that a person is in, with their place there."""
    own, games = await services.store.settings.get(account), services.table.games
    found = []
    for event in await services.store.events.of(account):
        form, entrant, game = event.setup.form, event.state.entrant_of(account), games.get(event.setup.game)
        if not event.live or entrant is None or form not in FORMS or game is None:
            continue
        shown = Shown(event, game, words, services.table.now(services.now()), own.zone)
        state = " ".join(FORMS[form].mine(shown, account).lines[1:2])  # the place, or that it has not begun
        title = words(f"bot.{form}.offered", game=game_title(game, dict(event.setup.options), words))
        press = CallbackData.without_match(Verb.EVENT, f"{form} mine {event.id}")
        found.append(Offered(event.id, "event", title, state, press=press))
    return found


OFFERINGS.append(Offering(_offered, _marks))
