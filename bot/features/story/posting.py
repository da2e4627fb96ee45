"""Stories that are told by themselves at places that want it, once a match is over.

What is to be told by itself is noted in a timeline for each platform, and analysed in the background. It is posted once: a note
says so.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Final

from bot.chat.i18n import words_of
from bot.chat.quotas import Quota, take
from bot.chat.registry import MATCH_OVER, Registry
from bot.chat.sending.delivery import Delivery
from bot.chat.sending.ports import Courier
from bot.chat.sending.queue import Urgency
from bot.chat.sending.routing import label
from bot.chat.services import Services
from bot.chat.view import theme_of
from bot.features.analysis import background
from bot.features.analysis.judging import Judged
from bot.features.story import drawing, openings
from play.facts import Fact, Imported, Watching
from play.match import Match
from play.people import Address
from play.table import Table
from storage.ports import FullStore

registry: Final = Registry()

BY_ITSELF: Final = Quota("stories", 12, timedelta(hours=1), None)
"""Stories that a place gets by itself."""


@MATCH_OVER
async def note(_table: Table, store: FullStore, fact: Fact) -> None:
    """Note the story of a match that is over for its places that want it.

    Raises:
        Unavailable: the fact comes again.
    """
    if isinstance(fact, Imported | Watching):
        return
    match, places = fact.match, fact.match.addresses
    if not match.log:
        return
    for place, chosen in zip(places, await store.settings.get_many(*places), strict=True):
        if not chosen.story or (await store.notes.read(_told(match.id, place)))[0] is not None:
            continue
        at = await store.now()
        if not await take(store.bucket(), BY_ITSELF, str(place), at, once=match.id):
            await background.note(store, _waiting(place.platform), match, place.place, at)


@registry.periodically("stories of matches", background.LOOK)
async def tell(services: Services, delivery: Delivery, couriers: Mapping[str, Courier]) -> None:
    """Post what waits at the places of these platforms; any number of processes may share one store."""
    for platform, courier in couriers.items():
        teller = partial(_told_at, services=services, delivery=delivery, courier=courier)
        await background.analyse(services, _waiting(platform), teller)


async def _told_at(
    match: Match,
    where: str,
    turns: tuple[Judged, ...],
    *,
    services: Services,
    delivery: Delivery,
    courier: Courier,
) -> bool:
    """Return whether no further try is needed."""
    store, place = services.store, Address(courier.platform, where)
    chosen, told = await store.settings.get(place), _told(match.id, place)
    # Meanwhile the lease may have ended, and another bot may have told it.
    if not chosen.story or (await store.notes.read(told))[0] is not None or await delivery.is_dead(place):
        return True
    presentation = services.present(match, words_of(chosen, services.language))
    presentation = replace(presentation, theme=theme_of(chosen))
    beats = await openings.story(store, match, presentation.course, turns)

    async def post() -> None:
        view = drawing.story(presentation, beats)
        await courier.post(place, view, ping=(), nonce=_nonce(match.id, place))
        await store.notes.write(told, "")

    return not beats or await delivery.sent(courier, place, Urgency.FILM, post)


def _waiting(platform: str) -> str:
    return f"stories:{platform}"


def _told(code: str, place: Address) -> str:
    return f"story:{code}:{place}"


def _nonce(code: str, place: Address) -> str:
    return f"story:{hashlib.blake2b(f'{code} {label(place)}'.encode(), digest_size=8).hexdigest()}"
