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

_NOT_INVITED: Final = {
    *(Refused.NOT_INVITED, Refused.NOT_HOST_NOR_SEATED, Refused.NOT_SEATED, Refused.RATED_CHANNEL),
}
_NOT_IN: Final = {EventRefused.NOT_IN, LadderRefused.NOT_YOURS, LadderRefusal.NO_CHALLENGE}
"""What refuses a request about an event to somebody who is not in it."""


@SPEAKING
async def speak(context: Context, _asked: str, refusal: Exception | None) -> Context | None:
    """Return a request in the name of the place, if that is invited, or in an event, and who asks is not."""
    match = refusal.match if isinstance(refusal, InMatch) else None
    reason = getattr(refusal.refusal if isinstance(refusal, InMatch) else refusal, "reason", None)
    place, account, ours = context.visitor.place, channel(context.visitor.place), False
    if context.speaker is not None:
        return None
    if match is not None and match.phase is Phase.OPEN and reason in _NOT_INVITED:
        ours = any(chair.concerns(account) for chair in match.chairs)
    elif reason in _NOT_IN:
        events = await context.store.events.at(place)
        ours = any(event.state.entrant_of(account) is not None for event in events)
    return as_place(context, account) if ours else None
