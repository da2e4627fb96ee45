"""/cup, /ladder and /league: what is done with an event. A place has one ladder and one league for each game, and any cups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from bot.chat import arguments
from bot.chat.arguments import HelpTopic
from bot.chat.callback_data import Verb
from bot.chat.context import Context
from bot.chat.errors import CommandError, no_such_word, shown
from bot.chat.game_words import find_game
from bot.chat.grammar import number_in
from bot.chat.people import first_account
from bot.chat.quotas import CUPS
from bot.chat.registry import CommandHandler, Registry
from bot.chat.view import Message, View
from bot.features.events import cup_cards, league_cards
from bot.features.events.announcing import CARDS
from bot.features.events.choosing import (
    BadEvent,
    accounts,
    act,
    answer,
    events_here,
    events_of,
    find_event,
    form_of,
    none_here,
    only_event,
    question_before,
    read_setup,
    shown_event,
)
from bot.features.events.fair_play import note_if_new, oversee, young_until
from bot.features.events.parts import code, press
from play.events.actions import Enter, LeaveEvent, Show, StopEvent
from play.events.entries import Stage
from play.events.event import Event, Form
from play.events.ladder import AnswerChallenge, ChallengeAbove, TakeBack, ladder_of
from play.events.league import NextSeason
from play.ports import Operation
from play.request import check_blocks
from play.settings import on_vacation

registry: Final = Registry()

KEYS: Final = {
    "bot.{}.{}": (Form, ("none", "button.new", "which-game", "opened", "left", "stopped"))
}  # for the check of the catalogues

_MOST: Final = 5  # events in one answer


async def _here(context: Context) -> Sequence[Message]:
    """Show the events of the place, ladders and leagues as the visitor has them; where there is none, offer one."""
    form, found = form_of(context), await events_here(context)
    new = press(form, context.words, f"bot.{form}.button.new", "new", good=True)
    if form is Form.CUP and found:
        view = cup_cards.listed([shown_event(context, event) for event in found[:_MOST]])
        return [context.private(replace(view, buttons=(*view.buttons, new)))]
    live = [event for event in found if event.live]
    if live:
        return [_card(context, event) for event in live[:_MOST]]
    return [context.private(View(lines=(context.words(f"bot.{form}.none"),), buttons=(new,)))]


async def _new(context: Context) -> Sequence[Message]:
    """Open an event. A ladder or a league that is open already is shown instead."""
    if question := await question_before(context):
        return [context.private(question)]
    setup, form, place, name = await read_setup(context), form_of(context), context.visitor.place, None
    if form is not Form.CUP:
        kind = (setup.game, setup.options)
        same = [one for one in await events_here(context) if (one.setup.game, one.setup.options) == kind]
        for event in same:
            if event.live:
                return [_card(context, event)]
        # Two who open it at once make the same name from the last one that is over, and so the same event.
        name = f"{form}/{place}/{kind}/{same[0].id if same else ''}"
    await context.take(CUPS)
    fact = await events_of(context).open(setup, (place,), context.request(), name=name)
    if name is not None and not fact.opened:
        return [_card(context, fact.event)]
    line = context.words(f"bot.{form}.opened", code=code(fact.event))
    join = shown_event(context, fact.event).button("bot.cup.button.join", "join", good=True)
    return [context.private(View(lines=(line,), buttons=(join,)))]


async def _join(context: Context) -> Sequence[Message]:
    """Have the visitor enter; from another place, the event is shown there from then on, too."""
    who, event = context.visitor, await only_event(context)
    after = await act(context, event, Enter(young_until(who.created, context.at)))
    await note_if_new(context.store, event, who.account, who.created, context.at)
    after = await _show_here(context, after)
    if event.setup.form is not Form.CUP:
        return [_card(context, after)]
    return answer(
        context, after, "bot.cup.queued" if event.state.stage is Stage.RUNNING else "bot.cup.joined"
    )


async def _show_here(context: Context, event: Event) -> Event:
    """Return an event after the place of a visitor who has entered is one of its places; none that is a person's own.

    Boards come to them privately, in the language in which they entered unless they have chosen one.
    """
    if context.own.language is None:
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
    event = await only_event(context, over=form_of(context) is Form.LEAGUE)
    return [_card(context, event)]


def _card(context: Context, event: Event) -> Message:
    shown_to = shown_event(context, event)
    return context.private(CARDS[event.setup.form].mine(shown_to, context.visitor.account))


async def _table(context: Context) -> Sequence[Message]:
    event, rest = await find_event(context, over=form_of(context) is Form.LEAGUE)
    if event.setup.form is not Form.LADDER and (len(rest) > 1 or (rest and not rest[0].isdecimal())):
        raise no_such_word(rest[0])
    page = (number_in(rest[-1]) or 1) if rest else None
    table = CARDS[event.setup.form].table(shown_event(context, event), page, context.visitor.account)
    return [context.private(table)]


async def _stop(context: Context) -> Sequence[Message]:
    """End an event: by an admin of a place where it is shown; a cup before its start, by who opened it, too."""
    event = await only_event(context)
    form, hosted = event.setup.form, event.host.account == context.visitor.account
    if not (form is Form.CUP and hosted and event.state.stage is Stage.OPEN):
        if context.visitor.place not in event.addresses:
            raise CommandError(BadEvent.STOP_ELSEWHERE)
        await context.admins_only()
    return answer(context, await act(context, event, StopEvent()), f"bot.{form}.stopped")


async def _challenge(context: Context) -> Sequence[Message]:
    event, rest = await find_event(context)
    if not rest:
        return [_card(context, event)]
    target = await _target(context, event, " ".join(rest))
    player = event.state.entrants[target].player
    await check_blocks(context.store.settings, context.visitor.account, [player.account])
    away = on_vacation((await context.store.settings.get(player.account)).vacation, context.at)
    event = await act(context, event, ChallengeAbove(target, away))
    return answer(context, event, "bot.ladder.sent", name=player.name)


async def _target(context: Context, event: Event, text: str) -> int:
    """Return the player on a ladder whom a text means: `=3` by number, `3` by place, or a name."""
    order = ladder_of(event).order
    if place := number_in(text, 1, len(order)):
        return order[place - 1]
    number = number_in(text.removeprefix("="), 0, len(event.state.entrants) - 1)
    if text.startswith("=") and number is not None:
        return number
    name = text.removeprefix("@")
    if (found := context.visitor.find(name)) is not None:
        entrant = event.state.entrant_of(found.account, await first_account(context, found.account))
        if entrant is not None:
            return entrant.number
    for number in order:
        if event.state.entrants[number].player.name.casefold() == name.casefold():
            return number
    raise CommandError(BadEvent.NO_SUCH_PLAYER, name=shown(found.name if found else text))


async def _answered(context: Context, *, accept: bool) -> Sequence[Message]:
    event, number = await _waiting(context)
    before = ladder_of(event).order
    event = await act(context, event, AnswerChallenge(number, accept))
    refused = "bot.ladder.refused-lost" if ladder_of(event).order != before else "bot.ladder.refused"
    return answer(context, event, "bot.ladder.accepted" if accept else refused)


async def _take_back(context: Context) -> Sequence[Message]:
    event, number = await _waiting(context)
    return answer(context, await act(context, event, TakeBack(number)), "bot.ladder.taken-back")


async def _waiting(context: Context) -> tuple[Event, int]:
    """Return the challenge that is named by its number, or the visitor's only one that is not answered."""
    event, rest = await find_event(context)
    if rest and (number := number_in(rest[0])) is not None:
        return event, number
    entrant = event.state.entrant_of(*accounts(context))
    own = [
        one.number
        for one in ladder_of(event).waiting
        if entrant is not None and entrant.number in (one.challenged, one.challenger)
    ]
    if len(own) != 1:
        raise CommandError(BadEvent.WHICH_CHALLENGE if own else BadEvent.NO_CHALLENGE)
    return event, own[0]


async def _next_season(context: Context, *, stays: bool) -> Sequence[Message]:
    """Note whether the visitor plays in the next season; who has played in none yet leaves instead."""
    event = await act(context, await only_event(context), NextSeason(stays))
    entrant = event.state.entrant_of(*accounts(context))
    if entrant is None or entrant.out is not None:
        return answer(context, event, "bot.league.left")
    return [context.private(league_cards.staying(shown_event(context, event), stays=stays))]


_ENTER: Final[Mapping[str, CommandHandler]] = {"new": _new, "join": _join, "leave": _leave}
_RUN: Final[Mapping[str, CommandHandler]] = {"stop": _stop, "admin": oversee}
_LOOK: Final[Mapping[str, CommandHandler]] = {"mine": _mine, "table": _table}
_CHALLENGES: Final[Mapping[str, CommandHandler]] = {
    "challenge": _challenge,
    "accept": partial(_answered, accept=True),
    "refuse": partial(_answered, accept=False),
    "back": _take_back,
}
_SEASONS: Final[Mapping[str, CommandHandler]] = {
    "skip": partial(_next_season, stays=False),
    "stay": partial(_next_season, stays=True),
}
_DEEDS: Final[Mapping[Form, Mapping[str, CommandHandler]]] = {
    Form.CUP: {**_ENTER, "table": _table, "mine": _mine, **_RUN},
    Form.LADDER: {**_ENTER, **_LOOK, **_CHALLENGES, **_RUN},
    Form.LEAGUE: {**_ENTER, **_LOOK, **_SEASONS, **_RUN},
}
"""By form and by the first word of its command: what is done."""

_SETUP: Final = (arguments.GAME, arguments.OPTIONS, arguments.CLOCK)
_CUP: Final = (
    replace(arguments.text("most", named=True), about="entrants"),
    arguments.text("closes", named=True),
)
_ARGUMENTS: Final = {
    Form.CUP: (*_SETUP, *_CUP),
    Form.LADDER: (arguments.PERSON, *_SETUP),
    Form.LEAGUE: _SETUP,
}


async def event_command(context: Context) -> Sequence[Message]:
    """`/cup new lgame clock:1d most:8 closes:24h`, `/ladder challenge bob`, `/league skip`; alone, what the place has."""
    command, form = context.command, form_of(context)
    deed = command.words[0].casefold() if command.words else ""
    if not deed and not command.options:
        return await _here(context)
    if handler := _DEEDS[form].get(deed):
        return await handler(replace(context, command=replace(command, words=command.words[1:])))
    if form is Form.CUP and (not deed or find_game(context.table.games, deed)):
        return await _new(context)  # a cup may be ordered without the word for it
    raise no_such_word(command.words[0]) if deed else none_here(form)


for _form in Form:
    registry.command(
        str(_form),
        arguments.choice("do", *_DEEDS[_form], named=False),
        *_ARGUMENTS[_form],
        arguments.RATED,
        topic=HelpTopic.TOGETHER,
        button=Verb[_form.name],
        finishing=False,
    )(event_command)
