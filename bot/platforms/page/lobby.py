"""The lobby: cards of what a person can do, their matches first, and which of them have changed since they were sent.

A match's card is composed once for each revision. What is beside the matches (puzzle, lesson, seeks, events) is loaded when the
lobby is opened, when its reader has done something there, and when a look at the marks of it shows that it has changed.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain
from typing import Final

from bot.chat.callback_data import Verb
from bot.chat.match_lookup import sound
from bot.chat.presenting import boards
from bot.chat.presenting.invitations import invitation, pace, start_text
from bot.chat.presenting.moments import clock_text, nothing_due
from bot.chat.presenting.naming import Presentation, button, game_title, player_name
from bot.chat.registry import OFFERINGS, Offered, Offering
from bot.chat.services import weeks_of
from bot.chat.view import Button, View
from bot.platforms.page import composing, new_game, wire
from bot.platforms.page.board import Viewpoint, viewpoint
from bot.platforms.page.sessions import Reader
from bot.platforms.platform import PlatformServices
from play.errors import PlayError, Unavailable
from play.listing import Waits, waiting
from play.match import Match, Phase, is_engine, open_size
from play.people import Account
from play.time.week import Week
from render.picture import Theme
from rules.core import RulesError

MOST_BOARDS: Final = 24  # cards with a board; further ones have none
FINISHED: Final = 6  # finished matches
_BESIDE: Final[Sequence[wire.CardKind]] = ("puzzle", "lesson", "seek", "event")
_ORDER: Final[Sequence[wire.CardKind]] = ("turn", "invitation", "waiting", "open")

_log: Final = logging.getLogger(__name__)


class Lobby:
    """The lobby of one open page."""

    def __init__(
        self, services: PlatformServices, reader: Reader, present: Callable[[Match], Presentation]
    ) -> None:
        self._services = services
        self._reader = reader
        self._present = present
        self._one_by_one = asyncio.Lock()
        self._made: dict[str, tuple[tuple[object, ...], wire.PageCard]] = {}
        self._offered: dict[Offering, Sequence[wire.PageCard]] = {}
        self._sent: dict[str, wire.PageCard] = {}
        # the order of the cards and until when nothing is due, as sent
        self._known: tuple[list[str], str] = ([], "")
        self._weeks: dict[str, Sequence[Week | None]] = {}  # of invitations, by match
        self._matches: Sequence[Match] = ()  # the reader's that can be replayed, the latest change first
        self._form: tuple[Sequence[object], wire.PageNew | None] = (), None

    def restyle(self, reader: Reader) -> None:
        """Have all cards composed and sent anew, for a reader who wants other colours."""
        self._reader = reader
        self._made, self._sent = {}, {}

    async def update(
        self, looks: dict[str, str], offerings: Sequence[Offering] = OFFERINGS
    ) -> wire.PageLobby | None:
        """Return the cards that have changed since the last call, whose looks are added to `looks`; None if none has.

        Besides the matches only what these features have is loaded.

        Raises:
            Unavailable: the store does not answer.
        """
        services, reader = self._services, self._reader
        async with self._one_by_one:
            found = await services.store.matches.of(reader.who[0])
            self._matches = [match for match in found if sound(services.table, match)]
            shown = {code: key[0] for code, (key, _) in self._made.items()}
            self._weeks = {
                match.id: self._weeks[match.id]
                if match.revision == shown.get(match.id)
                else await weeks_of(services.store, match)
                for match in self._matches
            }
            for each in offerings:
                self._offered[each] = await self._of(each, looks)
            cards, due = self._cards(looks)
            order = [card.id for card in cards]
            changed = [card for card in cards if self._sent.get(card.id) != card]
            known = (order, due)
            if known == self._known and not changed:
                return None
            self._known, self._sent = known, {card.id: card for card in cards}
            return wire.PageLobby(order, changed, due)

    def form(self) -> wire.PageNew | None:
        """Return what the form of a new game offers; None if that has not changed since the last call."""
        seen = [(match.id, match.phase, bool(match.log), match.chairs) for match in self._matches]
        known, before = self._form
        if before is not None and seen == known:
            return None
        games, reader = self._services.table.games, self._reader
        made = new_game.form(games, reader.words, self._matches, reader.who)
        self._form = seen, made
        return made if made != before else None

    async def _of(self, offering: Offering, looks: dict[str, str]) -> Sequence[wire.PageCard]:
        reader = self._reader
        try:
            found = await offering.offered(self._services, reader.who[0], reader.words)
        except Unavailable:
            raise
        except (PlayError, RulesError):  # the matches are shown all the same
            _log.exception("the lobby lacks cards beside the matches")
            return ()
        return [_of_offered(one, reader.theme, looks) for one in found]

    def _cards(self, looks: dict[str, str]) -> tuple[list[wire.PageCard], str]:
        who, table = self._reader.who, self._services.table
        now = table.now(self._services.now())
        entries = waiting(who[0], ((match, table.course(match)) for match in self._matches), now)
        due = str(nothing_due(entries, self._reader.own, now.at, self._reader.words))
        live = sorted(entries, key=lambda entry: _ORDER.index(_kind(entry.match, entry.waits)))
        over = [match for match in self._matches if match.phase is Phase.OVER][:FINISHED]
        listed = [(entry.match, entry.waits) for entry in live] + [(match, Waits.OTHERS) for match in over]
        beside = sorted(chain(*self._offered.values()), key=lambda card: _BESIDE.index(card.kind))
        room = MOST_BOARDS - sum(card.board is not None for card in beside)
        before, self._made, cards = self._made, {}, []
        for number, (match, waits) in enumerate(listed):
            key = (match.revision, waits, number < room)
            known, card = before.get(match.id, ((), None))
            if card is None or known != key:
                shown = replace(self._present(match), weeks=self._weeks[match.id])
                card = _of_match(shown, who, waits, looks if number < room else None)
            self._made[match.id] = key, card
            cards.append(card)
        return [*cards[: len(live)], *beside, *cards[len(live) :]], due


def _of_offered(one: Offered, theme: Theme, looks: dict[str, str]) -> wire.PageCard:
    press = one.press.pack() if one.press else ""
    card = wire.PageCard(one.id, one.kind, one.title, one.state, one.about, press=press)
    card.buttons = composing.buttons(one.buttons)
    if one.diagram is not None and one.names is not None:
        card.board = Viewpoint(one.names, theme, one.flipped, looks).board(one.diagram)
    return card


def _kind(match: Match, waits: Waits) -> wire.CardKind:
    if match.phase is Phase.OVER:
        return "finished"
    if waits is Waits.OTHERS:
        return "open" if match.phase is Phase.OPEN else "waiting"
    return "invitation" if waits is Waits.INVITATION else "turn"


def _of_match(
    presentation: Presentation, who: Sequence[Account], waits: Waits, looks: dict[str, str] | None
) -> wire.PageCard:
    match = presentation.match
    card = wire.PageCard(match.id, _kind(match, waits), _title(presentation), code=match.id, go=match.id)
    card.state = _state(presentation, waits)
    card.clock = composing.clock(presentation, match.times.seat) if match.times else None
    card.about = _about(presentation) if match.phase is Phase.OPEN else ""
    card.buttons = composing.buttons(_buttons(presentation, who, waits))
    if looks is not None and not open_size(presentation.game, match):  # else there is no board yet
        card.board = viewpoint(presentation, looks).board(presentation.drawn)
    return card


def _title(presentation: Presentation) -> str:
    words, players = presentation.words, composing.players_of(presentation)
    game = words(f"{presentation.match.game}.name")
    return words("bot.page.title", game=game, players=players) if players else composing.game_of(presentation)


def _about(presentation: Presentation) -> str:
    """Return the setting, the clock, and whether it is rated; empty where all is as usual."""
    words, match = presentation.words, presentation.match
    title = game_title(presentation.game, dict(match.options), words)
    parts = [title] if title != words(f"{match.game}.name") else []
    parts += [clock_text(match.clock, words)] if match.clock else []
    parts += [words("bot.seek.rated")] if match.rated else []
    said = [", ".join(parts), pace(presentation)]
    return " ".join((*start_text(presentation), ". ".join(filter(None, said)))).strip()


def _state(presentation: Presentation, waits: Waits) -> str:
    match, words, names = presentation.match, presentation.words, presentation.names
    if match.phase is Phase.OVER:
        return " ".join(names.result)
    if match.phase is Phase.OPEN:
        return _what_it_waits_for(presentation, waits)
    if match.paused:
        return words("bot.page.card.paused")
    if waits is Waits.ANSWER and match.offer is not None:
        return presentation.of_turn(f"bot.asked.{match.offer.ask.value}", match.offer.by, match.offer.keep)
    if waits is Waits.MOVE:
        return words("bot.page.card.your-turn")
    seat = presentation.course.position.to_move
    player = names.player(seat)
    thinks = player is not None and is_engine(player.account)
    return names.says("bot.turn.thinking" if thinks else "bot.page.card.turn", seat)


def _what_it_waits_for(presentation: Presentation, waits: Waits) -> str:
    match, words = presentation.match, presentation.words
    if waits is Waits.MOVE:
        return words("bot.page.card.ready")
    if waits is Waits.INVITATION:
        return presentation.names.says("bot.page.card.invited", match.host)
    if match.lobby:
        return words.count("bot.page.card.seated", sum(chair.player is not None for chair in match.chairs))
    kept = [chair.reserved for chair in match.chairs if chair.reserved and not chair.player]
    if kept:
        return words("bot.page.card.asked", names=words.list([player_name(each, words) for each in kept]))
    return words("bot.page.card.free")


def _buttons(presentation: Presentation, who: Sequence[Account], waits: Waits) -> Sequence[Button]:
    match = presentation.match
    if match.phase is Phase.OVER:
        return [button(presentation, Verb.REMATCH)]
    if match.phase is Phase.OPEN:
        return boards.for_one(invitation(presentation), presentation, *who).buttons
    if waits is not Waits.ANSWER:
        return ()
    asked = boards.for_one(View(lines=(), controls=boards.controls(presentation)), presentation, *who)
    return [each for each in asked.controls if each.data.verb in (Verb.YES, Verb.NO)]
