"""Ladders and leagues, events that never end, of which a place has one for each game: /ladder and /league."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from bot.chat import arguments
from bot.chat.arguments import HelpTopic
from bot.chat.callback_data import Verb
from bot.chat.context import Context
from bot.chat.errors import CommandError, no_such_word, shown
from bot.chat.people import first_account
from bot.chat.quotas import CUPS
from bot.chat.registry import CommandHandler, Registry
from bot.chat.view import Message, View, ViewKind
from bot.features.events import ladder_cards, league_cards
from bot.features.events.choosing import (
    BadEvent,
    accounts,
    act,
    answer,
    do,
    events_here,
    events_of,
    find_event,
    names_game,
    offer_clocks,
    only_event,
    page_in,
    read_setup,
    rest_of_line,
    saying,
    show_here,
    shown_event,
    stop,
)
from bot.features.events.fair_play import note_if_new, oversee, young_until
from bot.features.events.parts import ROWS, Shown, code, press
from play.errors import BadRequest
from play.events.actions import EnterPerpetual, LeaveEvent
from play.events.event import Event, Form
from play.events.ladder import ladder_of
from play.events.ladder_actions import AnswerChallenge, ChallengeAbove, TakeBack
from play.events.league import league_of
from play.events.league_actions import NextSeason
from play.people import Account
from play.request import check_blocks
from play.settings import on_vacation

registry: Final = Registry(place=7)

KEYS: Final = {
    "bot.{}.{}": (
        ("ladder", "league"),
        ("none", "button.new", "which-game", "opened", "left", "stopped"),
    )
}
"""The keys that this module puts together, by their template: the members of each hole."""

_MOST: Final = 5  # events in one answer


@dataclass(frozen=True, slots=True)
class Perpetual:
    """The commands that a form of events shares with the other; `card` returns an event as one player has it."""

    form: Form
    card: Callable[[Shown, Account], View]

    async def here(self, context: Context) -> Sequence[Message]:
        """Show the events of the place as the visitor has them; where there is none, offer one."""
        live = [event for event in await events_here(context, self.form) if event.live]
        if live:
            return [self._card(context, event) for event in live[:_MOST]]
        new = press(self.form, context.words, f"bot.{self.form}.button.new", "new", good=True)
        return [context.private(View(lines=(context.words(f"bot.{self.form}.none"),), buttons=(new,)))]

    async def new(self, context: Context) -> Sequence[Message]:
        """Open an event; with no game, or no clock, offer some to press; where it is open already, show it."""
        form, words, games, place = self.form, context.words, context.table.games, context.visitor.place
        if not names_game(context):
            two = [key for key, game in games.items() if game.seats(game.choose({})) == 2]
            lines = {f"/{form} new {key}": words(f"{key}.name") for key in two}
            view = View(
                lines=(words(f"bot.{form}.which-game"),),
                buttons=await saying(context, lines),
                kind=ViewKind.CHOICE,
            )
            return [context.private(view)]
        if "clock" not in context.command.chosen():
            return [context.private(await offer_clocks(context, rest_of_line(context, f"/{form} new")))]
        made = await read_setup(context, form)
        if made.game.seats(made.options) != 2:
            raise BadRequest(BadEvent.FOR_TWO)
        kind = (made.setup.game, made.setup.options)
        same = [
            one for one in await events_here(context, form) if (one.setup.game, one.setup.options) == kind
        ]
        for event in same:
            if event.live:
                return [self._card(context, event)]
        await context.take(CUPS)
        # Two who open it at once make the same name from the last one that is over, and so the same event.
        name = f"{form}/{place}/{kind}/{same[0].id if same else ''}"
        fact = await events_of(context).open(made.setup, (place,), context.request(), name=name)
        if not fact.opened:
            return [self._card(context, fact.event)]
        line = words(f"bot.{form}.opened", code=code(fact.event))
        join = press(form, words, "bot.cup.button.join", f"join {fact.event.id}", good=True)
        return [context.private(View(lines=(line,), buttons=(join,)))]

    async def join(self, context: Context) -> Sequence[Message]:
        """Have the visitor enter; from another place, the event is shown there from then on, too."""
        visitor, event = context.visitor, await only_event(context, self.form)
        action = EnterPerpetual(visitor.account, accounts(context), young_until(visitor.created, context.at))
        event = await act(context, event, action)
        await note_if_new(context.store, event, visitor.account, visitor.created, context.at)
        return [self._card(context, await show_here(context, event))]

    async def leave(self, context: Context) -> Sequence[Message]:
        """Have the visitor leave."""
        event = await act(context, await only_event(context, self.form), LeaveEvent(accounts(context)))
        return answer(context, event, f"bot.{self.form}.left")

    async def mine(self, context: Context, *, over: bool = False) -> Sequence[Message]:
        """Show an event as the visitor has it."""
        return [self._card(context, await only_event(context, self.form, over=over))]

    async def stop(self, context: Context) -> Sequence[Message]:
        """End an event: by an admin of a place where it is shown."""
        event = await stop(context, await only_event(context, self.form))
        return answer(context, event, f"bot.{self.form}.stopped")

    def _card(self, context: Context, event: Event) -> Message:
        return context.private(self.card(shown_event(context, event), context.visitor.account))


_LADDERS: Final = Perpetual(Form.LADDER, ladder_cards.mine)
_LEAGUES: Final = Perpetual(Form.LEAGUE, league_cards.mine)


async def _ladder_table(context: Context) -> Sequence[Message]:
    event, rest = await find_event(context, Form.LADDER)
    page = page_in(rest, -(-len(ladder_of(event).order) // ROWS))
    return [context.private(ladder_cards.table(shown_event(context, event), page))]


async def _challenge(context: Context) -> Sequence[Message]:
    event, rest = await find_event(context, Form.LADDER)
    if not rest:
        return await _LADDERS.mine(context)
    target = await _target(context, event, " ".join(rest))
    player = event.state.entrants[target].player
    await check_blocks(context.store.settings, context.visitor.account, [player.account])
    away = on_vacation((await context.store.settings.get(player.account)).vacation, context.at)
    event = await act(context, event, ChallengeAbove(target, accounts(context), away))
    return answer(context, event, "bot.ladder.sent", name=player.name)


async def _target(context: Context, event: Event, text: str) -> int:
    """Return the player on a ladder whom a text means: `=3` by number, `3` by place, or a name."""
    order = ladder_of(event).order
    digits = text.removeprefix("=")
    if digits.isascii() and digits.isdigit() and len(digits) <= 4:
        number = int(digits)
        if text != digits and number < len(event.state.entrants):
            return number
        if text == digits and 1 <= number <= len(order):
            return order[number - 1]
    name = text.removeprefix("@")
    if (found := context.visitor.find(name)) is not None:
        entrant = event.state.entrant_of(found.account, await first_account(context, found.account))
        if entrant is not None:
            return entrant.number
    for number in order:
        if event.state.entrants[number].player.name.casefold() == name.casefold():
            return number
    raise CommandError(BadEvent.NO_SUCH_PLAYER, name=shown(found.name if found else text))


async def _accept(context: Context) -> Sequence[Message]:
    event, number = await _waiting(context)
    event = await act(context, event, AnswerChallenge(number, True, accounts(context)))
    return answer(context, event, "bot.ladder.accepted")


async def _refuse(context: Context) -> Sequence[Message]:
    event, number = await _waiting(context)
    before = ladder_of(event).order
    event = await act(context, event, AnswerChallenge(number, False, accounts(context)))
    lost = ladder_of(event).order != before
    return answer(context, event, "bot.ladder.refused-lost" if lost else "bot.ladder.refused")


async def _take_back(context: Context) -> Sequence[Message]:
    event, number = await _waiting(context)
    event = await act(context, event, TakeBack(number, accounts(context)))
    return answer(context, event, "bot.ladder.taken-back")


async def _waiting(context: Context) -> tuple[Event, int]:
    """Return the challenge that is named by its number, or the visitor's only one that is not answered."""
    event, rest = await find_event(context, Form.LADDER)
    if rest and rest[0].isascii() and rest[0].isdigit():
        return event, int(rest[0][:6])
    entrant = event.state.entrant_of(*accounts(context))
    own = [
        one.number
        for one in ladder_of(event).waiting
        if entrant is not None and entrant.number in (one.challenged, one.challenger)
    ]
    if len(own) != 1:
        raise CommandError(BadEvent.WHICH_CHALLENGE if own else BadEvent.NO_CHALLENGE)
    return event, own[0]


_LADDER_DEEDS: Final[Mapping[str, CommandHandler]] = {
    "new": _LADDERS.new,
    "join": _LADDERS.join,
    "leave": _LADDERS.leave,
    "mine": _LADDERS.mine,
    "table": _ladder_table,
    "challenge": _challenge,
    "accept": _accept,
    "refuse": _refuse,
    "back": _take_back,
    "stop": _LADDERS.stop,
    "admin": partial(oversee, form=Form.LADDER),
}


@registry.command(
    "ladder",
    arguments.choice("do", *_LADDER_DEEDS, named=False),
    arguments.PERSON,
    arguments.GAME,
    arguments.OPTIONS,
    arguments.CLOCK,
    arguments.RATED,
    topic=HelpTopic.TOGETHER,
    button=Verb.LADDER,
    finishing=False,
)
async def ladder_command(context: Context) -> Sequence[Message]:
    """`/ladder`, `/ladder new lgame clock:1d`, `/ladder join`, `/ladder challenge bob`, `/ladder refuse`."""
    return await do(context, Form.LADDER, _LADDER_DEEDS, _LADDERS.here)


async def _league_table(context: Context) -> Sequence[Message]:
    event, rest = await find_event(context, Form.LEAGUE, over=True)
    if len(rest) > 1 or (rest and not rest[0].isdecimal()):
        raise no_such_word(rest[0])
    shown = shown_event(context, event)
    count = league_cards.pages(league_of(event).season)
    page = page_in(rest, count) if rest else league_cards.page_of(shown, context.visitor.account)
    return [context.private(league_cards.table_page(shown, page))]


async def _next_season(context: Context, *, stays: bool) -> Sequence[Message]:
    """Note whether the visitor plays in the next season; who has played in none yet leaves instead."""
    event = await only_event(context, Form.LEAGUE)
    event = await act(context, event, NextSeason(stays, accounts(context)))
    entrant = event.state.entrant_of(*accounts(context))
    if entrant is None or entrant.out is not None:
        return answer(context, event, "bot.league.left")
    return [context.private(league_cards.staying(shown_event(context, event), stays=stays))]


_LEAGUE_DEEDS: Final[Mapping[str, CommandHandler]] = {
    "new": _LEAGUES.new,
    "join": _LEAGUES.join,
    "leave": _LEAGUES.leave,
    "mine": partial(_LEAGUES.mine, over=True),
    "table": _league_table,
    "skip": partial(_next_season, stays=False),
    "stay": partial(_next_season, stays=True),
    "stop": _LEAGUES.stop,
    "admin": partial(oversee, form=Form.LEAGUE),
}


@registry.command(
    "league",
    arguments.choice("do", *_LEAGUE_DEEDS, named=False),
    arguments.GAME,
    arguments.OPTIONS,
    arguments.CLOCK,
    arguments.RATED,
    topic=HelpTopic.TOGETHER,
    button=Verb.LEAGUE,
    finishing=False,
)
async def league_command(context: Context) -> Sequence[Message]:
    """`/league`, `/league new lgame clock:1d`, `/league join`, `/league table`, `/league skip`, `/league stop`."""
    return await do(context, Form.LEAGUE, _LEAGUE_DEEDS, _LEAGUES.here)
