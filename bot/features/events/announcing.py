"""Announcements of events: the card is edited; a round, the start and the end are a new message each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

from bot.chat.i18n import words_of
from bot.chat.registry import Registry
from bot.chat.sending.ports import Recipient
from bot.chat.sending.routing import Announcement, MessageKind, pinged_at
from bot.chat.view import theme_of
from bot.features.events.forms import FORMS
from bot.features.events.parts import Shown
from play.events.entries import EventClosed, EventEntry
from play.events.event import Changed
from play.people import Account
from play.request import game_named
from play.settings import Settings
from play.table import Table
from play.time.timers import quiet_until

MOST_CALLED: Final = 40  # people whom one message calls; platforms bound its length


class EventComposer:
    """Composes announcements of events, for places in their language and for people in theirs."""

    def __init__(
        self, table: Table, language: str, now: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._table = table
        self._language = language
        self._now = now

    def compose(self, told: Sequence[Changed], to: Recipient, own: Settings) -> Announcement:
        """See `ComposesEvents`."""
        event, now = told[-1].event, self._now()
        form = FORMS[event.setup.form]
        words = words_of(own, self._language)
        shown = Shown(
            event, game_named(self._table.games, event.setup.game), words, self._table.now(now), own.zone
        )
        view, news = form.card(shown), form.news(shown, told)
        view = replace(
            view,
            lines=(*view.lines, *([""] if news.lines else []), *news.lines),
            buttons=(*news.buttons, *view.buttons),
            theme=theme_of(own),
            language=words.language,
        )
        quiet = own.quiet and quiet_until(own.quiet, now)
        ping = () if quiet else tuple(one for one in news.called if one == to or pinged_at(event, one) == to)
        new = self.calls(told) and (not form.calls_alone or not isinstance(to, Account) or bool(ping))
        kind = MessageKind.BOARD if new else MessageKind.EDIT
        return Announcement(event.id, event.revision, kind, view, ping[:MOST_CALLED], open=False)

    @staticmethod
    def calls(told: Sequence[Changed]) -> bool:
        """Whether an event is new or over, a round begins, or a player is challenged.

        The games of a ladder begin one by one, and their matches say so themselves. A season has two: its date, its beginning.
        """
        calling: tuple[type[EventEntry], ...] = (EventClosed, *FORMS[told[0].event.setup.form].calling)
        return any(fact.opened or any(isinstance(entry, calling) for entry in fact.entries) for fact in told)


registry: Final = Registry()
registry.composing["events"] = lambda services: EventComposer(services.table, services.language, services.now)
