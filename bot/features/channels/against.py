"""Places against places: people of a place ask for it where it is invited, and in cups, ladders and leagues."""

from __future__ import annotations

from typing import Final

from bot.chat.context import Context
from bot.chat.errors import InMatch
from bot.chat.registry import SPEAKING
from bot.features.channels.speaking import as_place
from bot.features.events.ladder import LadderRefusal
from play.errors import Refused
from play.events.event import EventRefused
from play.events.forms.ladder import LadderRefused
from play.match import Phase
from play.people import channel

_NOT_IN: Final = {EventRefused.NOT_IN, LadderRefused.NOT_YOURS, LadderRefusal.NO_CHALLENGE}
"""What refuses a request about an event to somebody who is not in it."""

_NOT_INVITED: Final = {
    *(Refused.NOT_INVITED, Refused.NOT_HOST_NOR_SEATED, Refused.NOT_SEATED, Refused.RATED_CHANNEL),
}


def _reason(refusal: Exception | None) -> object:
    return getattr(refusal, "reason", None)


@SPEAKING
async def invited(context: Context, _asked: str, refusal: Exception | None) -> Context | None:
    """Return a request about an invitation in the name of the place, if that is in it, and who asks is not."""
    if (
        context.speaker is not None
        or not isinstance(refusal, InMatch)
        or refusal.match.phase is not Phase.OPEN
    ):
        return None
    account = channel(context.visitor.place)
    ours = any(chair.concerns(account) for chair in refusal.match.chairs)
    return as_place(context, account) if ours and _reason(refusal.refusal) in _NOT_INVITED else None


@SPEAKING
async def entered(context: Context, _asked: str, refusal: Exception | None) -> Context | None:
    """Return a request about an event in the name of the place, if the place is in one, and who asks is not."""
    if context.speaker is not None or _reason(refusal) not in _NOT_IN:
        return None
    account = channel(context.visitor.place)
    for event in await context.store.events.at(context.visitor.place):
        entrant = event.state.entrant_of(account)
        if event.live and entrant is not None and entrant.out is None:
            return as_place(context, account)
    return None
