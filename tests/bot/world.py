"""A room full of matches of every kind, for things to be said in; its desk answers with what everybody is told, too."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final

from bot.chat.callback_data import CallbackData
from bot.chat.desk import Desk
from bot.chat.i18n import LANGUAGES, Words
from bot.chat.presenting.naming import Presentation
from bot.chat.sending import Sender
from bot.chat.sending.composer import NextTurnNotices
from bot.chat.thinking import Thinker
from bot.chat.view import Message, Person, View
from bot.chat.visitor import Visitor
from bot.features.commands import REGISTRY
from bot.features.events.following import Adjudicator
from bot.platforms.console.integration import place
from bot.platforms.console.rendering import RoomCourier, player_named
from play.actions.leaving import Resign
from play.actions.playing import MakeMove
from play.actions.seating import Join
from play.match import Match, Phase
from play.opening import Challenge, Lobby
from play.people import Account, Address, Player
from play.request import Request
from play.settings import Settings
from play.table import Table
from rules import GAMES
from tests.bot.noise import Move
from tests.support.memory import MemoryStore
from tests.support.services import services

# A desk that also answers with what everybody is told because of a request, as the sender tells it.


async def _at_once(_seconds: float) -> None:
    """Return at once: the sender waits for no engine."""


class Overhearing(Desk):
    """A desk and a sender that is done before the answer is given."""

    def __init__(
        self,
        table: Table,
        store: MemoryStore,
        now: Callable[[], datetime],
        language: str,
        room: Address,
        *,
        thinker: Thinker | None = None,
    ) -> None:
        shared = services(table, store, now, language=language, thinker=thinker)
        super().__init__(REGISTRY, shared)
        self._told: list[Message] = []
        courier = RoomCourier(room, self._overheard)
        self._adjudicator = Adjudicator(table, store, thinker)
        self._sender = Sender(
            store.outgoing(),
            store.bucket(),
            shared.composer,
            [courier],
            now=store.now,
            sleep=_at_once,
            also=[each for each in shared.hooks() if not isinstance(each, NextTurnNotices)],
        )

    async def answer(self, visitor: Visitor, line: str) -> Sequence[Message]:
        await self.drained()
        return [*await super().answer(visitor, line), *await self.drained()]

    async def press(
        self, visitor: Visitor, button: CallbackData, *, brief: bool = False
    ) -> Sequence[Message]:
        await self.drained()
        return [*await super().press(visitor, button, brief=brief), *await self.drained()]

    async def drained(self) -> Sequence[Message]:
        """What everybody has been told since this was last asked."""
        await self._sender.drain()
        await self._adjudicator.sweep()
        await self._sender.drain()
        told, self._told = self._told, []
        return told

    async def _overheard(self, messages: Sequence[Message]) -> None:
        self._told += messages


# A room full of matches of every kind, for things to be said in.


NOON: Final = datetime(2026, 11, 21, 12, tzinfo=UTC)
ROOM: Final = place("room")
HALL: Final = place("hall")
LETTERS: Final = "abcdefghjkmnpqrstuvwxyz23456789"


def person(name: str) -> Player:
    player = player_named(name)
    assert player is not None, name
    return player


ANN, BOB, CEM, DAN, EVE = map(person, ("ann", "bob", "cem", "dan", "eve"))
PEOPLE: Final = (ANN, BOB, CEM, DAN, EVE)

SETTINGS: Final[Sequence[tuple[str, Mapping[str, str]]]] = (
    ("lgame", {}),
    ("lgame", {"variant": "scoring"}),
    ("lgame", {"variant": "sudden-death"}),
    ("breakthrough", {"board": "5x5"}),
    ("breakthrough", {"variant": "misere"}),
    ("klopodavka", {"board": "6x6"}),
    ("klopodavka", {"players": "3"}),
    ("klopodavka", {"teams": "2v2", "board": "8x8"}),
    ("klopodavka", {"variant": "hq"}),
    ("klopodavka", {"topology": "torus"}),
)
"""What is played in the room."""


class Counted:
    """Codes that count up."""

    def __init__(self) -> None:
        self._number = 0

    def code(self) -> str:
        self._number += 1
        return "".join(LETTERS[self._number // 31**i % 31] for i in reversed(range(6)))

    def shuffled(self, count: int) -> Sequence[int]:
        return list(reversed(range(count)))


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All that is stored."""

    matches: Mapping[str, Match]
    settings: Mapping[Account | Address, Settings]


class World:
    """A desk, its table and store, and a clock that stands still until it is moved."""

    def __init__(self, language: str = "en") -> None:
        assert language in LANGUAGES
        self.language = language
        self.store = MemoryStore()
        self.table = Table(self.store, GAMES, Counted())
        self.now = NOON
        self.desk = Overhearing(self.table, self.store, lambda: self.now, language, ROOM)

    def visitor(self, who: Player, where: Address = ROOM) -> Visitor:
        return Visitor(who, where, find=player_named)

    async def say(self, who: Player, line: str, where: Address = ROOM) -> Sequence[Message]:
        return await self.desk.answer(self.visitor(who, where), line)

    async def told(self, who: Player, line: str, where: Address = ROOM) -> str:
        """Everything that a person alone is answered."""
        views = [said.view for said in await self.say(who, line, where) if isinstance(said.to, Person)]
        return "\n".join(line for view in views for line in (*view.lines, *view.after))

    def present(self, match: Match, spoken: Words) -> Presentation:
        """A match as it was when it last changed."""
        course = self.table.course(match)
        return Presentation(GAMES[match.game], match, course, spoken, self.table.as_of(match))

    async def begin(
        self,
        game: str,
        chosen: Mapping[str, str],
        where: Address = ROOM,
        *,
        people: Sequence[Player] = PEOPLE,
        **more: Any,
    ) -> Match:
        """A match under way, by as many people as it seats; `more` as of a challenge."""
        host, *others = people[: GAMES[game].seats(GAMES[game].choose(chosen))]
        made = await self.table.open(
            Challenge(where, game, chosen, opponents=others, **more), Request(host, self.now)
        )
        match = made.match
        for other in others:
            match = (await self.table.act(match.id, Join(), Request(other, self.now))).match
        return match

    async def all_move(self, match: Match) -> Match:
        """Everybody has a turn."""
        for _ in match.chairs:
            position = self.table.position(match)
            seat = position.to_move
            while match.phase is Phase.PLAYING and position.to_move == seat:
                player = match.chairs[seat].player
                assert player is not None
                text = GAMES[match.game].notation.format(position.legal_moves()[0])
                match = (await self.table.act(match.id, MakeMove(text), Request(player, self.now))).match
                position = self.table.position(match)
        return match

    async def furnish(self) -> None:
        """Matches of every kind under way, an invitation, a lobby, one that is over."""
        for game, chosen in SETTINGS:
            await self.begin(game, chosen)
        await self.table.open(Challenge(ROOM, "lgame", opponents=[DAN]), Request(CEM, self.now))
        await self.table.open(Lobby(ROOM, "klopodavka", {"players": "4"}), Request(DAN, self.now))
        over = await self.begin("breakthrough", {})
        await self.table.act(over.id, Resign(), Request(BOB, self.now))

    def snapshot(self) -> Snapshot:
        chosen = {  # of a place without the language, which its next request sets
            whose: replace(
                chosen,
                active=None,
                name=None,
                language=None if isinstance(whose, Address) else chosen.language,
            )
            for whose, chosen in self.store.settings._settings.items()
        }
        return Snapshot(
            dict(self.store.matches.stored),
            {whose: settings for whose, settings in chosen.items() if settings != Settings()},
        )

    def playing(self) -> list[Match]:
        return [match for match in self.store.matches.stored.values() if match.phase is Phase.PLAYING]

    def moves(self, limit: int = 40) -> list[Move]:
        """Some legal moves of every match under way."""
        found = []
        for match in self.playing():
            position, game = self.table.position(match), GAMES[match.game]
            mover = match.chairs[position.to_move].player
            assert mover is not None
            texts = map(game.notation.format, position.legal_moves()[:limit])
            found += [Move(mover, match.id, text) for text in texts]
        return found


class Guest:
    """A visitor who is asked what their commands leave open."""

    def __init__(self, world: World, who: Player = ANN, replied: Player | None = None) -> None:
        self.world = world
        self.visitor = replace(world.visitor(who), buttons=True, replied=replied)

    async def say(self, line: str) -> Sequence[Message]:
        return await self.world.desk.answer(self.visitor, line)

    async def press(self, *labels: str, view: View) -> View:
        """The view after pressing some buttons, by their beginnings."""
        for label in labels:
            button = next(each for each in view.buttons if each.label.startswith(label))
            said = await self.world.desk.press(self.visitor, CallbackData.unpack(button.data.pack()))
            view = said[-1].view
        return view
