"""What a command about events means: its form, the setup that is typed or pressed, and which event."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import blake2b
from typing import Final

from bot.chat.context import Context
from bot.chat.errors import CommandError, no_such_word
from bot.chat.game_words import find_game, which_game
from bot.chat.grammar import switch
from bot.chat.presenting.moments import clock_label
from bot.chat.view import Message, View
from bot.features.events.parts import FORMS, EventForm, Shown, code
from bot.features.matches.match_setup import check_place, question
from bot.features.matches.orders import joined_names, read_order
from play.errors import BadRequest
from play.events.actions import Enter, EventAction
from play.events.event import GIVES_TIME, Event, EventRefused, EventSetup, NoSuchEvent
from play.events.events import Events
from play.events.forms.ladder import AnswerChallenge, ChallengeAbove
from play.opening import check_ratable
from play.people import Account, channel
from play.request import game_named
from play.time.clock import Clock
from play.time.clock_text import clock_of
from rules.core import Reason
from storage.ports import FullStore


class BadEvent(Reason):
    """Why /cup, /ladder or /league is refused; the comment names the fields that come with it."""

    SEVERAL = "bot.event.refused.several"  # codes, example
    STOP_ELSEWHERE = "bot.event.refused.stop-elsewhere"
    ADMIN_ELSEWHERE = "bot.event.refused.admin-elsewhere"
    FOR_TWO = "bot.event.refused.for-two"
    CAPTAIN = "bot.event.refused.captain"


_CODE: Final = re.compile(r"#|e[a-z0-9]{6}\Z", re.ASCII | re.IGNORECASE)
_CLOCKS: Final = ("12h", "1d", "3d", "10d+1d12h", "3d awake")  # the clocks that buttons offer


def form_of(context: Context) -> EventForm:
    """Return the form that a command is about, which is called as it is."""
    return FORMS[context.command.name]


async def question_before(context: Context) -> View | None:
    """Return what is asked before an event can be opened, with buttons that say the line with each answer; None: nothing."""
    words, games, name, form = context.words, context.table.games, context.command.name, form_of(context)
    line = f"/{name} new {context.command.rest.removeprefix('new').strip()}".rstrip()
    line += " channel" if context.speaker else ""
    if not _names_game(context):
        keys = [key for key, game in games.items() if form.settles or game.seats(game.choose({})) == 2]
        lines = {key: words(f"{key}.name") for key in keys}
        for game in games.values() if form.settles else ():
            lines |= {f"{game.key} {typed}": words(f"{game.key}.cup.{name}") for name, typed in game.cups}
        return await question(context, words(f"bot.{name}.which-game"), line, lines)
    chosen = context.command.chosen()
    if "clock" not in chosen:
        clocks = {f"clock:{typed}": clock_label(typed, words, "bot.cup.button.bank") for typed in _CLOCKS}
        return await question(context, words("bot.cup.which-clock"), line, clocks)
    _clock(chosen["clock"])  # what is typed wrong is refused before the next question
    return await form.asks(context, line, chosen) if form.asks else None


def _names_game(context: Context) -> bool:
    games = context.table.games
    words = joined_names(games, context.command.words)
    if any(find_game(games, word) for word in words):
        return True
    unknown = [word for word in words if word.isalpha()]
    if unknown:
        raise which_game(context, *unknown)
    return False


async def read_setup(context: Context) -> EventSetup:
    """Return what a command that opens an event names: a game with its options, a clock, and what its form needs."""
    order, form = read_order(context), form_of(context)
    chosen, clock = order.chosen, _clock(order.clock)
    named = [argument.name for argument in form.arguments[1]]
    gives_time = switch(chosen.pop(GIVES_TIME, "off"))
    own: dict[str, str] = {name: chosen.pop(name) for name in named if name in chosen}
    await check_place(context, order.game)
    game, options = order.game, order.game.choose(chosen)
    if any(len(side) > 1 for side in game.sides(options)):
        raise BadRequest(EventRefused.TEAMS)
    rated = order.rated if "rated" in context.command.chosen() else game.ratable(options)
    if order.rated:
        check_ratable(game, options, ())
    settings: tuple[tuple[str, str], ...] = ()
    if form.settles:
        settings = form.settles(context, clock, own, game, game.seats(options))
    elif game.seats(options) != 2:
        raise BadRequest(BadEvent.FOR_TWO)
    if gives_time:
        settings += ((GIVES_TIME, "on"),)
    return EventSetup(
        context.command.name, game.key, tuple(game.describe(options).items()), clock, rated, settings
    )


def _clock(typed: str | None) -> Clock:
    clock = clock_of(typed)
    if clock is None:
        raise BadRequest(EventRefused.NO_CLOCK)
    return clock


def events_of(context: Context) -> Events:
    """Return where events are held."""
    return Events(context.table, context.store)


def shown_event(context: Context, event: Event) -> Shown:
    """Return an event for the visitor."""
    game = game_named(context.table.games, event.setup.game)
    return Shown(event, game, context.words, context.now, context.own.zone)


def accounts(context: Context) -> tuple[Account, ...]:
    """Return the visitor's accounts, with which they ask first."""
    return (context.visitor.account,) if context.speaker else (context.asker, *context.own.others)


async def events_here(context: Context) -> Sequence[Event]:
    """Return the events of a command's form that the visitor's place shows, the latest change first."""
    return _known(context, await context.store.events.at(context.visitor.place))


async def find_event(context: Context, *, over: bool = False) -> tuple[Event, Sequence[str]]:
    """Return the event that a command names first, else the only one here or of the visitor; and the other words.

    The command comes without the word for what is done. With `over`, and of cups always, the last one that is over is meant
    where none is live.
    """
    words, name = context.command.words, context.command.name
    named = context.command.code
    if not named and words and _CODE.match(words[0]):
        named = words[0]
    if named:
        event_id = named.removeprefix("#").lower()
        event = await events_of(context).get(event_id)
        if not _known(context, [event]):
            raise NoSuchEvent(event_id)
        return event, words if context.command.code else words[1:]
    over = over or form_of(context).listed is not None
    own = await context.store.events.of(context.visitor.account)
    for found in (await events_here(context), _known(context, own)):
        live = [event for event in found if event.live]
        if len(live) > 1:
            deed = next(iter(context.command.rest.split()), "table")
            codes = ", ".join(map(code, live[:5]))
            raise CommandError(BadEvent.SEVERAL, codes=codes, example=f"/{name} {deed} {live[0].id}")
        if live or (over and found):
            return (live or found)[0], words
    raise CommandError(form_of(context).none_here)


async def only_event(context: Context, *, over: bool = False) -> Event:
    """Return the event that a command means which takes no other words; see `find_event`."""
    event, rest = await find_event(context, over=over)
    if rest:
        raise no_such_word(rest[0])
    return event


def _known(context: Context, events: Sequence[Event]) -> Sequence[Event]:
    form = context.command.name
    return [one for one in events if one.setup.form == form and one.setup.game in context.table.games]


async def act(context: Context, event: Event, action: EventAction) -> Event:
    """Have the visitor act on an event; return it as it is then.

    For the place, any of its people enters, challenges and accepts; the rest takes who entered it, or an admin.
    """
    anyone = isinstance(action, Enter | ChallengeAbove) or (
        isinstance(action, AnswerChallenge) and action.accept
    )
    by = context.speaker.visitor.account if context.speaker else None
    captain = f"captain:{event.id}:{context.visitor.account.uid}"
    sign = blake2b(f"{event.id} {by}".encode(), digest_size=6).hexdigest()  # tells nobody else who they are
    free = not by or anyone or await context.visitor.is_admin()
    if not free and (await context.store.notes.read(captain))[0] != sign:
        raise CommandError(BadEvent.CAPTAIN)
    after = (await events_of(context).act(event.id, action, context.request())).event
    if by and isinstance(action, Enter):
        await context.store.notes.write(captain, sign)
    return after


def answer(context: Context, event: Event, key: str, **fields: str) -> Sequence[Message]:
    """Return the visitor's own answer in one line; the card tells the others."""
    return [context.private(View(lines=(context.words(key, code=code(event), **fields),)))]


def own_card(context: Context, event: Event) -> Message:
    """Return an event as the visitor has it; who is not in it, as the place has it that is."""
    who, place, state = context.visitor.account, channel(context.visitor.place), event.state
    if state.entrant_of(who) is None and state.entrant_of(place) is not None:
        who = place
    return context.private(FORMS[event.setup.form].mine(shown_event(context, event), who))


async def entered(store: FullStore, account: Account, form: str) -> Sequence[tuple[Event, int]]:
    """Return the live events of a form in which a person is, by any of their accounts, with the numbers that they have there."""
    accounts = dict.fromkeys((account, *(await store.settings.get(account)).others))
    events = {event.id: event for each in accounts for event in await store.events.of(each)}
    found = ((event, event.state.entrant_of(*accounts)) for event in events.values())
    return [
        (event, entrant.number)
        for event, entrant in found
        if entrant is not None and event.live and event.setup.form == form
    ]
