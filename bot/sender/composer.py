"""Announcements: one or several facts of a match as one message, in the recipient's words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final, Protocol

from bot.i18n import pick
from bot.i18n import words as words_for
from bot.pictures import theme_of
from bot.presenter.boards import from_the_top, retired_board, show, waits_for
from bot.presenter.controls import asks_for_hints, want_hints, with_hint
from bot.presenter.facts import tell
from bot.presenter.invitations import retired_invitation
from bot.presenter.presentation import Presentation
from bot.sender.ports import Recipient
from bot.sender.routing import MessageKind, is_private, message_kind, pinged_at
from bot.view import View
from play import facts
from play.checks import game_named
from play.engine_players import only_engines
from play.errors import NoSuchMatch, PlayError
from play.facts import Fact
from play.match import Match, Phase
from play.people import Account, Address
from play.ports import Store
from play.ratings.counting import counted
from play.ratings.model import Change
from play.replay import Course, extended
from play.settings import Settings
from play.table import Table
from play.time.reminders import quiet_until

MAX_EARLIER: Final = 12
"""Lines about what happened before the newest fact; of more than these the latest are kept."""


INVITATION: Final = -1  # what the message of an invitation shows; see `Announcement.shows`


@dataclass(frozen=True, slots=True)
class Announcement:
    """What is shown to one recipient.

    Attributes:
        revision: The latest revision that it tells of.
        open: Whether a question stays open after it, so that the message beside the board keeps its controls.
        shows: What its board shows: the match after so many entries of its log, or an invitation (`INVITATION`). None where
            it shows neither.
    """

    match_id: str
    revision: int
    kind: MessageKind
    view: View
    ping: tuple[Account, ...]
    open: bool
    shows: int | None = None


class Composes(Protocol):
    """Composes announcements: see `Composer`. Every method may raise `Unavailable`."""

    async def wants(self, told: Sequence[Fact], to: Recipient) -> bool:
        """Whether a recipient is sent some facts of one match at all."""

    async def compose(self, told: Sequence[Fact], to: Recipient) -> Announcement:
        """Some facts of one match as one message: the words of all, and the board as it is after the last."""

    async def retired(self, told: Sequence[Fact], to: Recipient, shows: int) -> View | None:
        """What a message that showed so much of a match says once it is retired; None: what it said."""


class Composer:
    """Composes announcements, for places in their language and for people in theirs."""

    def __init__(
        self,
        table: Table,
        store: Store,
        language: str,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        *,
        hints: bool = False,
    ) -> None:
        self._table = table
        self._now = now
        self._store = store
        self._language = language
        self._hints = hints

    async def compose(self, told: Sequence[Fact], to: Recipient) -> Announcement:
        """See `Composes.compose`."""
        newest = told[-1]
        if isinstance(newest, facts.Unreached):
            who = [player for fact in told if isinstance(fact, facts.Unreached) for player in fact.who]
            newest = replace(newest, who=tuple(dict.fromkeys(who)))
        own, presentation = await self._presented(newest.match, to)
        chosen = max(map(message_kind, told))
        final = replace(presentation, changes=await self._changes(newest.match))
        newest_view = view = tell(newest, final)
        on_board = (MessageKind.BOARD, MessageKind.EDIT)
        if chosen in on_board and message_kind(newest) not in on_board:
            board = show(final)
            view = replace(
                board,
                lines=(*_own(newest_view, board), *board.lines),
                buttons=newest_view.buttons or board.buttons,
            )
        earlier = [
            line for fact in told[:-1] if not is_private(fact) for line in self._earlier(fact, presentation)
        ]
        view = replace(view, lines=(*earlier[-MAX_EARLIER:], *view.lines), ping=())
        if await self._hinted(presentation, to):
            view = with_hint(view, presentation)
        if message_kind(newest) is chosen:
            wanted = newest_view.ping
        else:  # the board that comes with a question calls those who have to answer
            asked = newest_view.ping if isinstance(newest, facts.Asked) else ()
            wanted = (*_on_turn(newest, presentation, chosen), *asked)
        called = [await self._called(newest.match, one, to) for one in dict.fromkeys(wanted)]
        ping = tuple(filter(None, called))
        if isinstance(to, Address) and own.quiet and quiet_until(own.quiet, self._now()):
            ping = ()  # not in the quiet hours of a place
        return Announcement(
            newest.match.id,
            newest.match.revision,
            chosen,
            view,
            ping,
            newest.match.offer is not None,
            _shows(newest.match),
        )

    async def retired(self, told: Sequence[Fact], to: Recipient, shows: int) -> View | None:
        """See `Composes.retired`: an invitation says what became of it, a board its last turn."""
        _, presentation = await self._presented(told[-1].match, to)
        if shows == INVITATION:
            return retired_invitation(presentation)
        course = self._back(told, shows)
        return None if course is None else retired_board(replace(presentation, course=course))

    def _back(self, told: Sequence[Fact], shows: int) -> Course | None:
        """The course of a match when its log had so many entries; None where that is not known."""
        course = self._table.course(told[-1].match)
        if len(course.log) >= shows:
            return course.cut(shows)
        for fact in told:
            if isinstance(fact, facts.TakenBack) and len(fact.match.log) + len(fact.plies) == shows:
                with suppress(PlayError):
                    return extended(self._table.course(fact.match), fact.plies)
        return None

    async def _presented(self, match: Match, to: Recipient) -> tuple[Settings, Presentation]:
        """What a recipient has chosen, and a match as they see it; where they have not chosen, as its first place has."""
        own = await self._store.settings.get(to)
        there = None
        if isinstance(to, Account) and match.addresses:
            there = await self._store.settings.get(match.addresses[0])
        words = words_for(pick(own.language, there.language if there else None, self._language))
        return own, Presentation(
            game_named(self._table.games, match.game),
            match,
            self._table.course(match),
            words,
            self._table.as_of(match),
            theme=theme_of(own, there),
            flipped=own.flip and isinstance(to, Account) and from_the_top(match, to),
        )

    async def wants(self, told: Sequence[Fact], to: Recipient) -> bool:
        """See `Composes.wants`. Once only engines play on, their moves are not announced; the end is.

        A person whose platform shows the match nowhere is not told privately if another account of theirs is on one that does.
        """
        match = told[-1].match
        if all(map(self._among_engines, told)):
            return False
        if isinstance(to, Address):
            return True
        platforms = {place.platform for place in match.addresses}
        if to.platform in platforms:
            return True
        return not any(other.platform in platforms for other in (await self._store.settings.get(to)).others)

    def _among_engines(self, fact: Fact) -> bool:
        """Whether an engine has moved in a match in which people play no more."""
        match = fact.match
        if not isinstance(fact, facts.Moved) or match.phase is not Phase.PLAYING:
            return False
        return only_engines(match, (fact.seat, *fact.fell, *self._table.course(match).live))

    async def _hinted(self, presentation: Presentation, to: Recipient) -> bool:
        """Whether the recipient, or a person at the place, may ask for a hint."""
        match = presentation.match
        if not self._hints or match.phase is not Phase.PLAYING:
            return False
        person = asks_for_hints(match, presentation.course)
        if person is None or (isinstance(to, Account) and to != person):
            return False
        return want_hints(await self._store.settings.get_many(person, *match.addresses))

    async def _called(self, match: Match, ping: Account, to: Recipient) -> Account | None:
        """Whom a message calls: by the account that they have where it is shown."""
        if ping == to or pinged_at(match, ping) == to:
            return ping
        if isinstance(to, Account) or any(place.platform == ping.platform for place in match.addresses):
            return None
        others = (await self._store.settings.get(ping)).others
        return next((other for other in others if pinged_at(match, other) == to), None)

    async def _changes(self, match: Match) -> Sequence[Change | None]:
        """What a match did to ratings; nothing where it is not stored any more."""
        with suppress(NoSuchMatch):
            return await counted(self._table, match)
        return ()

    def _earlier(self, fact: Fact, presentation: Presentation) -> tuple[str, ...]:
        """What is still worth saying of a fact that others followed."""
        match = fact.match
        if match.phase is Phase.OPEN and not isinstance(fact, facts.Joined | facts.LeftLobby):
            return ()
        then = replace(
            presentation, match=match, course=self._table.course(match), now=self._table.as_of(match)
        )
        return _own(tell(fact, then), show(then))


def _on_turn(fact: Fact, presentation: Presentation, chosen: MessageKind) -> tuple[Account, ...]:
    """The player on turn, unless they did what happened last: they know."""
    if chosen is not MessageKind.BOARD or fact.match.phase is not Phase.PLAYING:
        return ()
    if getattr(fact, "seat", None) == presentation.course.position.to_move:
        return ()
    return waits_for(fact.match, presentation.course)


def _shows(match: Match) -> int | None:
    if match.phase is Phase.OPEN:
        return INVITATION
    return None if match.phase is Phase.CALLED_OFF else len(match.log)


def _own(view: View, board: View) -> tuple[str, ...]:
    """The words of a view that stand on no board anyway."""
    return tuple(line for line in view.lines if line not in board.lines)
