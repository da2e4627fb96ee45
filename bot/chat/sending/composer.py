"""Announcements: one or several facts of a match, or of an event, as one message in the recipient's words."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Final, Protocol, TypeAlias

from bot.chat.i18n import words_of
from bot.chat.presenting import boards, cards
from bot.chat.presenting.facts import fact_view
from bot.chat.presenting.invitations import closed_invitation
from bot.chat.presenting.naming import Presentation
from bot.chat.sending.attention import acted_lately
from bot.chat.sending.ports import Recipient
from bot.chat.sending.routing import (
    INVITATION,
    Announcement,
    MessageKind,
    alters_board,
    is_beside,
    is_private,
    message_kind,
    parted,
    pinged_at,
)
from bot.chat.view import View, ViewKind, theme_of
from play import facts
from play.errors import NoSuchMatch, PlayError
from play.events.event import AnyFact, Changed
from play.facts import Absent, Fact, HeadsUp, Reached, Reminded, Waiting
from play.match import Chair, Match, Phase, is_engine, only_engines, plays_alone
from play.people import Account, Address, is_channel
from play.ports import Store
from play.ratings.model import RatingChange
from play.ratings.records import counted
from play.replay import Course, extended
from play.request import game_named
from play.settings import Settings
from play.table import Table
from play.time.calendar import seat_weeks
from play.time.timers import heads_up, quiet_until

MAX_EARLIER: Final = 30
"""Lines about what happened before the newest fact; of more than these, which fit no caption, the latest are kept."""

MAX_ALSO: Final = 12  # lobbies that the card of a newer one names; /games lists all

_ON_BOARD: Final = (MessageKind.BOARD, MessageKind.IN_PLACE, MessageKind.EDIT)

BEGUN_ANEW: Final = -2  # what a board shows whose first turn was taken back


Chosen: TypeAlias = Mapping[Recipient, Settings]
"""What people and places have chosen: all whom `Composer.concerns` names."""


Beside: TypeAlias = Callable[[Match], Awaitable[Sequence[str]]]
"""Returns the codes of the other seeks of its host, where a match is sought."""


Newcomers: TypeAlias = Callable[[Match], Awaitable[Sequence[Account]]]
"""Returns whom of those for whom a challenge waits have never played its game."""


Talked: TypeAlias = Callable[[Presentation], Awaitable[Sequence[str]]]
"""Returns what a board says of who wrote to whom."""


Coach: TypeAlias = Callable[[View, Presentation, Chosen], Awaitable[View]]
"""Returns the board of a match against engines with what a coach says to the player on turn, if they have one."""


Councils: TypeAlias = Callable[[Announcement, Presentation, Recipient, Fact], Awaitable[Announcement]]
"""Returns what is shown at a place that plays, with what its people propose and how they vote, after the newest fact; all else as it is."""


class ComposesEvents(Protocol):
    """Composes announcements of facts of one event."""

    def compose(self, told: Sequence[Changed], to: Recipient, own: Settings) -> Announcement:
        """Return some facts as one message; `own` is what the recipient has chosen."""

    def calls(self, told: Sequence[Changed]) -> bool:
        """Whether some facts make a new message."""


class Composer:
    """Composes announcements, for places in their language and for people in theirs."""

    def __init__(
        self,
        table: Table,
        language: str,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        *,
        events: ComposesEvents,
        beside: Beside | None = None,
        newcomers: Newcomers | None = None,
        coach: Coach | None = None,
        councils: Councils | None = None,
        talked: Talked | None = None,
    ) -> None:
        self._table = table
        self._now = now
        self._language = language
        self._beside = beside
        self._newcomers = newcomers
        self.coach = coach
        self._councils = councils
        self._talked = talked
        self._events = events

    def concerns(self, news: Sequence[AnyFact], to: Recipient) -> Sequence[Recipient]:
        """Return on whose settings the announcement depends."""
        events, matches = parted(news)
        if events:
            return (to,)
        match = matches[-1].match
        return tuple(dict.fromkeys((to, *match.addresses[:1], *match.people())))

    async def compose(
        self, news: Sequence[AnyFact], to: Recipient, chosen: Chosen, also: Sequence[str] = ()
    ) -> Announcement:
        """Return one message: the words of all facts, and the board as it is after the last.

        The message of a new lobby names the older ones that are shown `also` by it.
        """
        events, matches = parted(news)
        if events:
            return self._events.compose(events, to, chosen[to])
        matches = _by_turns(matches)
        newest = _newest(matches)
        own = chosen[to]
        presentation = self._presented(newest.match, to, chosen)
        kind = max(map(message_kind, matches))
        if kind is MessageKind.IN_PLACE and own.each_board:
            kind = MessageKind.BOARD
        final = replace(presentation, changes=await self._changes(newest.match))
        newest_view = view = fact_view(newest, final)
        if kind in _ON_BOARD and is_beside(newest):
            board = boards.show(final)
            lines = (*_own(newest_view, board), *board.lines)
            view = replace(board, lines=lines, buttons=newest_view.buttons or board.buttons)
        before = [fact for fact in matches[:-1] if not is_private(fact)]
        earlier = [line for fact in before for line in self._earlier(fact, presentation)]
        unseen = _before(matches[0], final) if kind is MessageKind.IN_PLACE else ()
        if plays_alone(newest.match):  # its board is as good as never posted anew
            earlier, unseen = [*unseen, *earlier], ()
        lines = (*earlier[-MAX_EARLIER:], *view.lines)
        instead = await self._other_seeks(newest.match, to) if kind is MessageKind.BOARD else ()
        if also := (*also, *instead):
            codes = presentation.words.list([f"#{code}" for code in also[-MAX_ALSO:]])
            lines = (*lines, presentation.words("bot.lobby.also", codes=codes))
        # The open question stands below the board.
        language = presentation.words.language
        lines = tuple(line for line in lines if line not in view.after)
        redrawn = bool(instead) or all(
            isinstance(fact, facts.Deliberated | facts.Postponed) for fact in matches
        )
        as_kind = ViewKind.REDRAWN if redrawn else view.kind
        view = replace(view, lines=lines, ping=(), language=language, kind=as_kind)
        if self.coach is not None and kind in _ON_BOARD and plays_alone(newest.match):
            view = await self.coach(view, final, chosen)
        alters = kind not in _ON_BOARD and any(map(alters_board, matches))
        changed = boards.current_board(final) if alters else None
        view, changed = await self._with_talk(final, view, changed, on_board=kind in _ON_BOARD)
        if (person := _person(to, own)) is not None:
            view = boards.for_one(view, final, person)
            changed = boards.for_one(changed, final, person) if changed is not None else None
        if view.buttons and await self._teaches(presentation, person):
            view = replace(view, buttons=(*view.buttons, cards.learn(presentation.words, newest.match.game)))
        match, about = newest.match, isinstance(newest, facts.Absent | facts.Unreached)
        wanted = tuple(dict.fromkeys(_waited_for(newest, newest_view, final, kind)))
        ping = self._ping(match, wanted, to, chosen)
        looking = self._looking(match, wanted, to, chosen) if kind is MessageKind.IN_PLACE else ()
        # Who has muted it, or has quiet hours, finds a fresh board later, which calls no one.
        here = any(_called(match, one, to, chosen[one]) for one in wanted)
        recalls = here and match.live and not plays_alone(match)
        kind, open_ = MessageKind.EDIT if instead else kind, match.offer is not None
        shown = Announcement(
            match.id, match.revision, kind, view, ping, open_, _shows(newest), changed, about, instead
        )
        keys = partial(boards.keys_to_pick, final, view.diagram)
        return replace(shown, looking=looking, unseen=unseen, recalls=recalls, keys=keys)

    async def of_a_place(
        self, shown: Announcement, news: Sequence[AnyFact], to: Recipient, chosen: Chosen
    ) -> Announcement:
        """Return a message with what the people of a place propose, where that plays the match; any other as it is."""
        _, matches = parted(news)
        if self._councils is None or not any(
            is_channel(one) for fact in matches for one in fact.match.people()
        ):
            return shown
        newest = _newest(_by_turns(matches))
        shown = await self._councils(shown, self._presented(newest.match, to, chosen), to, newest)
        return replace(shown, ping=()) if self._is_quiet(to, chosen) else shown

    async def _with_talk(
        self, presentation: Presentation, view: View, changed: View | None, *, on_board: bool
    ) -> tuple[View, View | None]:
        if self._talked is None or len(presentation.match.chairs) <= 2 or not (on_board or changed):
            return view, changed
        told = await self._talked(presentation)
        return view.ending(*told) if on_board else view, changed and changed.ending(*told)

    def _looking(
        self, match: Match, wanted: Sequence[Account], to: Recipient, chosen: Chosen
    ) -> tuple[Account, ...]:
        """Who has to look at a board for it to change in place, as far as the log does not show that they do.

        These are those whom a fresh one would call, here or elsewhere; all who play, where it would call no one.
        """
        who = wanted or [player.account for player in match.players() if not is_engine(player.account)]
        away = [one for one in who if not acted_lately(match, one, self._now())]
        return tuple(_called(match, one, to, chosen[one]) or one for one in away)

    async def _teaches(self, presentation: Presentation, person: Account | None) -> bool:
        """Whether the card of a challenge offers the lesson of its game: to a newcomer, who is the `person` if only they see it."""
        match = presentation.match
        if self._newcomers is None or match.phase is not Phase.OPEN or not presentation.game.lesson:
            return False
        newcomers = await self._newcomers(match)
        return person in newcomers if person is not None else bool(newcomers)

    async def _other_seeks(self, match: Match, to: Recipient) -> tuple[str, ...]:
        if self._beside is None or match.phase is not Phase.OPEN or not isinstance(to, Address):
            return ()
        found = [await self._table.find(code) for code in await self._beside(match)]
        still = [other for other in found if other and other.phase is Phase.OPEN]
        return tuple(other.id for other in still if to in other.addresses)

    def _ping(
        self, match: Match, wanted: Sequence[Account], to: Recipient, chosen: Chosen
    ) -> tuple[Account, ...]:
        """Whom of the wanted a message calls; no one in the quiet hours of a place, and no one who has muted it."""
        if self._is_quiet(to, chosen):
            return ()
        heard = [one for one in wanted if match.id not in chosen[one].muted]
        return tuple(filter(None, (_called(match, one, to, chosen[one]) for one in heard)))

    def _is_quiet(self, to: Recipient, chosen: Chosen) -> bool:
        """Whether it is a place in its quiet hours."""
        quiet = chosen[to].quiet
        return isinstance(to, Address) and quiet is not None and quiet_until(quiet, self._now()) is not None

    def awaits_engine(self, fact: AnyFact) -> bool:
        """Whether an engine is to move or to answer after a fact, so that there is soon more to say."""
        if isinstance(fact, Changed) or is_private(fact) or fact.match.paused is not None:
            return False
        with suppress(PlayError):
            course = self._table.course(fact.match)
            waited_for = (*boards.waits_for(fact.match, course), *boards.has_to_answer(fact.match, course))
            return any(map(is_engine, waited_for))
        return False

    def closed(self, news: Sequence[AnyFact], to: Recipient, chosen: Chosen, shows: int) -> View | None:
        """Return what a message that showed so much of a match says once it is closed; None: what it said."""
        events, news = parted(news)
        if events:
            return None
        presentation = self._presented(news[-1].match, to, chosen)
        if shows == INVITATION:
            return closed_invitation(presentation)
        course = self._back(news, max(shows, 0))
        if course is None:
            return None
        said = () if shows >= 0 else (presentation.words("bot.begun-anew"),)
        then = self._presented(_who_played(news, shows), to, chosen)
        folded = chosen[to].old_boards
        return replace(boards.closed_board(replace(then, course=course), *said), folded=folded)

    def _back(self, news: Sequence[Fact], shows: int) -> Course | None:
        course = self._table.course(news[-1].match)
        if len(course.log) >= shows:
            return course.cut(shows)
        for fact in news:
            if isinstance(fact, facts.TakenBack) and len(fact.match.log) + len(fact.plies) == shows:
                with suppress(PlayError):
                    return extended(self._table.course(fact.match), fact.plies)
        return None

    def _presented(self, match: Match, to: Recipient, chosen: Chosen) -> Presentation:
        own = chosen[to]
        there = chosen[match.addresses[0]] if isinstance(to, Account) and match.addresses else None
        person = _person(to, own)
        table, flipped = self._table, person is not None and boards.from_the_top(match, person)
        game, course, now = game_named(table.games, match.game), table.course(match), table.as_of(match)
        words, theme = words_of(own, there, self._language), theme_of(own, there)
        zone = None if person is None else own.own_zone
        open_ = match.phase is Phase.OPEN
        weeks = seat_weeks(match, {who: chosen[who] for who in match.people()}) if open_ else ()
        return Presentation(
            game, match, course, words, now, theme=theme, flipped=flipped, zone=zone, weeks=weeks
        )

    def wants(self, news: Sequence[AnyFact], to: Recipient, chosen: Chosen) -> bool:
        """Whether a recipient is sent anything at all. Once only engines play on, their moves are not announced; the end is.

        A person whose platform shows the match nowhere is not told privately if another account of theirs is on one that does.
        """
        events, news = parted(news)
        if events:
            return isinstance(to, Address) or self._events.calls(events)
        match = news[-1].match
        if all(map(self._among_engines, news)):
            return False
        if isinstance(to, Address):
            return True
        if any(place.platform == to.platform for place in match.addresses):
            return True
        own = chosen[to]
        return not any(isinstance(pinged_at(match, other, own.left), Address) for other in own.others)

    def _among_engines(self, fact: Fact) -> bool:
        match = fact.match
        if not isinstance(fact, facts.Moved) or match.phase is not Phase.PLAYING:
            return False
        return only_engines(match, (fact.seat, *fact.fell, *self._table.course(match).live))

    async def _changes(self, match: Match) -> Sequence[RatingChange | None]:
        with suppress(NoSuchMatch):
            return await counted(self._table, match)
        return ()

    def _earlier(self, fact: Fact, presentation: Presentation) -> tuple[str, ...]:
        match, answers = fact.match, isinstance(fact, facts.Joined | facts.LeftLobby | facts.TurnedDown)
        if match.phase is Phase.OPEN and not answers:
            return ()
        course, now = self._table.course(match), self._table.as_of(match)
        then = replace(presentation, match=match, course=course, now=now)
        return _own(fact_view(fact, then), boards.show(then))


def _who_played(news: Sequence[Fact], shows: int) -> Match:
    """The match with the players whom it had when its log had so many entries, before the substitutions that are told."""
    match = news[-1].match
    chairs = list(match.chairs)
    for fact in reversed(news):
        if isinstance(fact, facts.Replaced) and len(fact.match.log) > shows:
            chairs[fact.seat] = Chair(player=fact.before)
    return replace(match, chairs=tuple(chairs))


def _by_turns(news: Sequence[Fact]) -> list[Fact]:
    """The facts, with what a seat played in one turn by several moves as one move, so that its player is named once.

    What a place deliberates adds no words to others: it is on the board after them.
    """
    calls = next(
        (fact for fact in reversed(news) if isinstance(fact, facts.Deliberated) and fact.calls), None
    )
    joined: list[Fact] = []
    for fact in [fact for fact in news if not isinstance(fact, facts.Deliberated)] or [calls or news[-1]]:
        before = joined[-1] if joined else None
        if (
            isinstance(fact, facts.Moved)
            and isinstance(before, facts.Moved)
            and before.seat == fact.seat
            and not before.handed_on
        ):
            plies, fell = (*before.plies, *fact.plies), (*before.fell, *fact.fell)
            joined[-1] = replace(fact, plies=plies, fell=fell, stands_in=fact.stands_in or before.stands_in)
        else:
            joined.append(fact)
    return joined


def _newest(news: Sequence[Fact]) -> Fact:
    """The newest fact; of several about people who cannot be reached, one about them all."""
    newest = news[-1]
    if isinstance(newest, facts.Absent | facts.Unreached):  # the match may be newer than it was for these
        newest = replace(newest, match=max((fact.match for fact in news), key=lambda match: match.revision))
    if not isinstance(newest, facts.Unreached):
        return newest
    who = [player for fact in news if isinstance(fact, facts.Unreached) for player in fact.who]
    return replace(newest, who=tuple(dict.fromkeys(who)))


def _before(fact: Fact, presentation: Presentation) -> tuple[str, ...]:
    """The turns since the last one of the player on turn that a fact follows, where it shows a turn of another, or none."""
    news, match = 0, fact.match
    if isinstance(fact, facts.Moved):
        player, alone = match.chairs[fact.seat].player, plays_alone(match)
        reader = match.chairs[presentation.course.position.to_move].player
        if player is None or (not is_engine(player.account) if alone else player == reader):
            return ()
        news = len(fact.plies) + sum(len(answer.plies) for answer in fact.answers)
    elif not is_beside(fact):
        return ()
    return boards.turns_before(presentation, len(match.log) - news)


def _waited_for(
    newest: Fact, view: View, presentation: Presentation, chosen: MessageKind
) -> Sequence[Account]:
    """Who has to do something after some facts; the board that comes with a question calls those who have to answer."""
    if message_kind(newest) is chosen:
        return view.ping
    asked = view.ping if isinstance(newest, facts.Asked) else ()
    return (*_on_turn(newest, presentation, chosen), *asked)


def _called(match: Match, ping: Account, to: Recipient, chosen: Settings) -> Account | None:
    """Whom a message calls: by the account, of those that a person has linked, that they have where it is shown."""
    if isinstance(to, Address) and to not in match.addresses:  # a place of the match's event
        return next((one for one in (ping, *chosen.others) if one.platform == to.platform), None)
    if ping == to or pinged_at(match, ping, chosen.left) == to:
        return ping
    if isinstance(to, Account) or any(place.platform == ping.platform for place in match.addresses):
        return None
    return next((other for other in chosen.others if pinged_at(match, other, chosen.left) == to), None)


def _on_turn(fact: Fact, presentation: Presentation, chosen: MessageKind) -> tuple[Account, ...]:
    """The player on turn, unless they did what happened last: they know."""
    if chosen < MessageKind.IN_PLACE or fact.match.phase is not Phase.PLAYING:
        return ()
    if getattr(fact, "seat", None) == presentation.course.position.to_move:
        return ()
    return boards.waits_for(fact.match, presentation.course)


def _person(to: Recipient, own: Settings) -> Account | None:
    return to if isinstance(to, Account) else own.person


def _shows(fact: Fact) -> int | None:
    match = fact.match
    if match.phase is Phase.OPEN:
        return INVITATION
    if isinstance(fact, facts.Undone | facts.TakenBack) and not match.log:
        return BEGUN_ANEW
    return None if match.phase is Phase.CALLED_OFF else len(match.log)


def _own(view: View, board: View) -> tuple[str, ...]:
    return tuple(line for line in view.lines if line not in board.lines)


class NextTurnNotices:
    """Makes a notice for the player who is next after a fact, where they want one."""

    def __init__(self, table: Table, store: Store) -> None:
        self._table = table
        self._store = store

    async def __call__(self, fact: AnyFact) -> Iterable[AnyFact]:
        """Return the notice that follows from a fact, if it begins a turn."""
        if isinstance(fact, Changed | Reminded | HeadsUp | Reached | Waiting | Absent | facts.Told):
            return ()
        begun = message_kind(fact) is MessageKind.BOARD and fact.match.phase is Phase.PLAYING
        if not begun or len(fact.match.chairs) < 3:
            return ()
        found = heads_up(fact.match, self._table.course(fact.match))
        chosen = await self._store.settings.get(found.to) if found else None
        if found is None or chosen is None or not chosen.heads_up or fact.match.id in chosen.muted:
            return ()
        return (found,)
