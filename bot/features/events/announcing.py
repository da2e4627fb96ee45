"""Announcements of events: the card is edited; a round, the start and the end are a new message each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

from bot.chat.i18n import words_of
from bot.chat.registry import Registry
from bot.chat.sending.ports import Recipient
from bot.chat.sending.routing import Announcement, MessageKind, pinged_at
from bot.chat.view import View, theme_of
from bot.features.events import cup_cards as cards
from bot.features.events import ladder_cards, league_cards
from bot.features.events.parts import Shown
from play.events.entries import EventClosed, EventEntry, Paired, RoundDue
from play.events.event import Changed, Event, Form
from play.events.ladder import ChallengeMade, ladder_of
from play.events.league import SeasonBegan
from play.people import Account
from play.request import game_named
from play.settings import Settings
from play.table import Table
from play.time.timers import quiet_until

MOST_CALLED: Final = 40  # people whom one message calls; platforms bound its length


_CALLING: Final[Mapping[Form, tuple[type[EventEntry], ...]]] = {
    Form.CUP: (Paired, EventClosed),
    Form.LADDER: (ChallengeMade, EventClosed),
    Form.LEAGUE: (RoundDue, SeasonBegan, EventClosed),
}
"""What makes a new message."""


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
        words, game = words_of(own, self._language), game_named(self._table.games, event.setup.game)
        shown = Shown(event, game, words, self._table.now(now), own.zone)
        view, called = _VIEWS[event.setup.form](shown, told)
        view = replace(view, theme=theme_of(own), language=words.language)
        quiet = own.quiet and quiet_until(own.quiet, now)
        ping = () if quiet else tuple(one for one in called if one == to or pinged_at(event, one) == to)
        # A person's own copy of a ladder's card is new only where it calls them.
        new = self.calls(told) and (
            event.setup.form is not Form.LADDER or not isinstance(to, Account) or bool(ping)
        )
        kind = MessageKind.BOARD if new else MessageKind.EDIT
        return Announcement(event.id, event.revision, kind, view, ping[:MOST_CALLED], open=False)

    @staticmethod
    def calls(told: Sequence[Changed]) -> bool:
        """Whether an event is new or over, a round begins, or a player is challenged.

        The games of a ladder begin one by one, and their matches say so themselves. A season has two: its date, its beginning.
        """
        return any(
            fact.opened or any(isinstance(entry, _CALLING[fact.event.setup.form]) for entry in fact.entries)
            for fact in told
        )


registry: Final = Registry()
registry.event_composer = lambda services: EventComposer(services.table, services.language, services.now)


def _cup(shown: Shown, told: Sequence[Changed]) -> tuple[View, Sequence[Account]]:
    event, view = shown.event, cards.card(shown)
    began = {game for fact in told for game in _paired(fact)}
    if began and event.live:
        games = [game for game in event.state.games if game.number in began and game.match]
        more = ("", shown.words("bot.cup.plays"), *cards.began(shown, games))
        view = replace(view, lines=(*view.lines, *more))
    return view, _called(event, told)


def _ladder(shown: Shown, told: Sequence[Changed]) -> tuple[View, Sequence[Account]]:
    event, view = shown.event, ladder_cards.card(shown)
    ladder = ladder_of(event)
    made = sum(isinstance(entry, ChallengeMade) for fact in told for entry in fact.entries)
    new = [one for one in ladder.waiting if one.number >= ladder.count - made]
    if views := [ladder_cards.called(shown, one) for one in new] if event.live else []:
        lines = [line for one in views for line in one.lines[1:]]
        buttons = views[0].buttons if len(views) == 1 else ()
        view = replace(view, lines=(*view.lines, "", *lines), buttons=(*buttons, *view.buttons))
    return view, [event.state.entrants[one.challenged].player.account for one in new]


def _league(shown: Shown, told: Sequence[Changed]) -> tuple[View, Sequence[Account]]:
    event, view = shown.event, league_cards.card(shown)
    if event.live and any(isinstance(entry, SeasonBegan) for fact in told for entry in fact.entries):
        more = league_cards.began(shown)
        view = replace(view, lines=(*view.lines, *([""] if more else []), *more))
    return view, _called(event, told)


_VIEWS: Final = {Form.CUP: _cup, Form.LADDER: _ladder, Form.LEAGUE: _league}


def _paired(fact: Changed) -> range:
    made = sum(len(entry.games) for entry in fact.entries if isinstance(entry, Paired))
    count = fact.event.state.count
    return range(count - made, count)


def _called(event: Event, told: Sequence[Changed]) -> list[Account]:
    state = event.state
    if not event.live:
        return [one.player.account for one in state.playing] if state.games else []
    numbers = {number for fact in told for number in _paired(fact)}
    playing = {one for game in state.games if game.number in numbers for one in game.entrants}
    return [one.player.account for one in state.playing if one.number in playing]
