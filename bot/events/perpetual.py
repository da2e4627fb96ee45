"""Events that never end, of which a place has one for each game: what the commands of ladders and leagues share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from bot.desk.context import Context
from bot.events.choosing import (
    accounts,
    act,
    answer,
    events_here,
    events_of,
    names_game,
    offer_clocks,
    only_event,
    read_setup,
    rest_of_line,
    saying,
    show_here,
    shown_event,
    stop,
)
from bot.events.errors import BadEvent
from bot.events.fair_play import note_if_new, young_until
from bot.presenter.event_parts import Shown, code, press
from bot.quotas import CUPS
from bot.view import Message, View
from play.errors import BadRequest
from play.events.actions import EnterPerpetual, Leave
from play.events.event import Event, Form
from play.people import Account

_MOST: Final = 5  # events in one answer


@dataclass(frozen=True, slots=True)
class Perpetual:
    """The commands of a form of events.

    Attributes:
        form: Which.
        card: Returns an event as one player has it.
        none: The key of the words where the place has none; so the others.
        begin: Of the button that opens one.
        which_game: Of the question.
        opened: Of what is answered then.
        left: Of the answer to who leaves.
        stopped: Of the answer to who ends one.
    """

    form: Form
    card: Callable[[Shown, Account], View]
    none: str
    begin: str
    which_game: str
    opened: str
    left: str
    stopped: str

    async def here(self, context: Context) -> Sequence[Message]:
        """Show the events of the place as the visitor has them; where there is none, offer one."""
        live = [event for event in await events_here(context, self.form) if event.live]
        if live:
            return [self.mine(context, event) for event in live[:_MOST]]
        new = press(self.form, context.words, self.begin, "new", good=True)
        return [context.private(View(lines=(context.words(self.none),), buttons=(new,)))]

    async def new(self, context: Context) -> Sequence[Message]:
        """Open an event; with no game, or no clock, offer some to press; where it is open already, show it."""
        made = await self._made(context)
        if isinstance(made, View):
            return [context.private(made)]
        event, new = made
        if not new:
            return [self.mine(context, event)]
        line = context.words(self.opened, code=code(event))
        join = press(self.form, context.words, "bot.cup.button.join", f"join {event.id}", good=True)
        return [context.private(View(lines=(line,), buttons=(join,)))]

    async def join(self, context: Context) -> Sequence[Message]:
        """Have the visitor enter; from another place, the event is shown there from then on, too."""
        visitor, event = context.visitor, await only_event(context, self.form)
        action = EnterPerpetual(visitor.account, accounts(context), young_until(visitor.created, context.at))
        event = await act(context, event, action)
        await note_if_new(context.store, event, visitor.account, visitor.created, context.at)
        return [self.mine(context, await show_here(context, event))]

    async def leave(self, context: Context) -> Sequence[Message]:
        """Have the visitor leave."""
        event = await act(context, await only_event(context, self.form), Leave(accounts(context)))
        return answer(context, event, self.left)

    async def stop(self, context: Context) -> Sequence[Message]:
        """End an event: by an admin of a place where it is shown."""
        event = await stop(context, await only_event(context, self.form))
        return answer(context, event, self.stopped)

    def mine(self, context: Context, event: Event) -> Message:
        """Return an event as the visitor has it."""
        return context.private(self.card(shown_event(context, event), context.visitor.account))

    async def _made(self, context: Context) -> tuple[Event, bool] | View:
        """Open an event: with no game, or no clock, offer some to press.

        Returns:
            What is to be pressed; or the event, and whether it is new.

        Raises:
            CommandError, BadRequest, BadOption: what is typed makes no sense.
        """
        form, games = self.form, context.table.games
        if not names_game(context):
            two = [key for key, game in games.items() if game.seats(game.choose({})) == 2]
            lines = {f"/{form} new {key}": context.words(f"{key}.name") for key in two}
            return View(lines=(context.words(self.which_game),), buttons=await saying(context, lines))
        if "clock" not in context.command.chosen():
            return await offer_clocks(context, rest_of_line(context, f"/{form} new"))
        made = await read_setup(context, form)
        if made.game.seats(made.options) != 2:
            raise BadRequest(BadEvent.FOR_TWO)
        setup, place = made.setup, context.visitor.place
        kind = (setup.game, setup.options)
        same = [
            one for one in await events_here(context, form) if (one.setup.game, one.setup.options) == kind
        ]
        for event in same:
            if event.live:
                return event, False
        await context.take(CUPS)
        # Two who open it at once make the same name from the last one that is over, and so the same event.
        name = f"{form}/{place}/{kind}/{same[0].id if same else ''}"
        fact = await events_of(context).open(setup, (place,), context.request(), name=name)
        return fact.event, fact.opened
