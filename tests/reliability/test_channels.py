"""Places that play: forty people over sixty moves, who propose, second, vote, change their minds and leave; and what kills leave.

What the votes come to is counted here, apart from the bot, from what people pressed.
"""

from __future__ import annotations

import asyncio
import random
import re
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest

from bot.chat.presenting.lettered import LETTERS
from bot.features.channels.council import QUORUM, Turn, Why
from play.match import Phase
from rules import GAMES
from tests.platforms.discord.people import Person
from tests.platforms.halls import HALLS, Hall, both
from tests.platforms.telegram.crowd import NAME
from tests.platforms.telegram.harness import TelegramHarness
from tests.reliability.chats import PLATFORMS, Answered, Platform, Telegram
from tests.reliability.conftest import Figure, Scale
from tests.reliability.processes import BotProcess
from tests.support.faults import DECIDING
from tests.support.servers import redis_server

PEOPLE: Final = 40
REMINDED: Final = 3
LEAVING: Final = 0.05  # of the turns: one of the people leaves in it
SILENT: Final = 0.1  # of the turns: nothing is proposed, though not twice in a row
UNVOTED: Final = 0.1
GAME: Final = "lgame"  # which random play does not end


class Crowd:
    """The people of a place, and what they do in its turns."""

    def __init__(self, hall: Hall, seed: int) -> None:
        self.hall, self.luck = hall, random.Random(seed)
        self.active = list(range(PEOPLE))
        self.counts: Counter[str] = Counter()
        self._silent = False
        self._known: set[int] = set()  # messages at the place
        self._pinged: set[int] = set()
        self._order: list[str] = []  # what has been proposed in this turn
        self._seconded: set[int] = set()
        self._votes: dict[int, int] = {}

    async def begin(self) -> None:
        for who in self.luck.sample(self.active, REMINDED):
            await self.hall.says(who, "vote", remind="remind:on" if self._typed else "on")
        self._note()

    @property
    def _typed(self) -> bool:
        return isinstance(self.hall.harness, TelegramHarness)

    def _note(self) -> tuple[int, int]:
        """Return how many messages there are at the place since this was last asked, and how many of them call someone."""
        messages = {number for number, _ in self.hall.platform.history(self.hall.place)}
        new, called = messages - self._known, self.hall.pinged - self._pinged
        self._known, self._pinged = messages, set(self.hall.pinged)
        return len(new), len(called)

    @property
    def on_turn(self) -> bool:
        match = self.hall.match
        return match.live and self.hall.harness.table.position(match).to_move in match.seats_of(
            self.hall.account
        )

    async def turn(self) -> None:
        """Play one turn of the place, from its beginning to what is decided."""
        hall, luck = self.hall, self.luck
        turn = (await hall.council()).turn
        assert turn is not None
        before, self._order, self._votes, self._seconded = len(hall.match.log), [], {}, set()
        if luck.random() < LEAVING:
            await self._leave()
        for at, act in self._planned(turn):
            await hall.comes(at)
            if len(hall.match.log) > before:
                self.counts["decided early"] += 1
                break
            await act()
            await hall.looked()
            await self._counted()
        captain = (await hall.council()).captain
        if len(hall.match.log) == before:
            await hall.comes(turn.until + timedelta(seconds=1))
        after = len(hall.match.log)
        assert after == before + 1, "a turn is undecided at its deadline, or played twice"
        assert hall.match.live
        await self._judge(turn, captain.key)
        messages, pings = self._note()
        assert messages <= 1, f"{messages} messages in a turn"
        assert pings <= 1, f"{pings} pings in a turn"
        self.counts.update({"turns": 1, "messages": messages, "pings": pings})

    def _planned(self, turn: Turn) -> list[tuple[datetime, Any]]:
        luck, planned = self.luck, list[tuple[datetime, Any]]()

        def some(number: int, act: Any, since: datetime, until: datetime) -> None:
            for _ in range(number):
                planned.append((since + (until - since) * luck.random(), act))

        # Who plays for those who say nothing must not end the game.
        position = self.hall.harness.table.position(self.hall.match)
        safe = all(position.play(each).outcome is None for each in position.legal_moves())
        self._silent = not self._silent and safe and luck.random() < SILENT
        if not self._silent:
            late = turn.start + (turn.vote - turn.start) / 2
            some(luck.randint(1, 4), self._propose, max(turn.start, self.hall.timed.now), late)
            some(luck.randint(0, 8), self._second, late, turn.vote)
            if luck.random() > UNVOTED:
                some(luck.randint(1, 30), self._vote, turn.vote + timedelta(seconds=5), turn.until)
        return sorted(planned, key=lambda each: each[0])

    async def _propose(self) -> None:
        hall, table = self.hall, self.hall.harness.table
        position = table.position(hall.match)
        move = self.luck.choice(
            [each for each in position.legal_moves() if position.play(each).outcome is None]
        )
        text = GAMES[GAME].notation.format(move)
        if text not in self._order:
            free = [who for who in self.active if who not in self._by]
            self._by.append(who := self.luck.choice(free))
            self._order.append(text)
            for _ in range(2):  # a move that loses at once may have to be said twice
                turn = (await hall.council()).turn
                if turn is None or len(turn.proposals) < len(self._order):
                    await hall.says(who, "move", move=text)

    @property
    def _by(self) -> list[int]:
        self._proposers = getattr(self, "_proposers", [])
        if not self._order:
            self._proposers.clear()
        return self._proposers

    async def _second(self) -> None:
        if not self._order:
            return
        number = self.luck.randrange(len(self._order))
        if LETTERS[number] in self.hall.keys:  # there are keys for it in a large place
            await self.hall.press(
                self.luck.choice([who for who in self.active if who not in self._by]), LETTERS[number]
            )
            self._seconded.add(number)

    async def _vote(self) -> None:
        who = self.luck.choice(self.active)
        letters = sorted(self.hall.keys & set(LETTERS))
        assert letters == [LETTERS[number] for number in self._standing]
        letter = self.luck.choice(letters)
        await self.hall.press(who, letter)
        self.counts["changed votes" if who in self._votes else "votes"] += 1
        self._votes[who] = LETTERS.index(letter)

    @property
    def _standing(self) -> list[int]:
        return sorted(self._seconded) or list(range(len(self._order)))

    async def _leave(self) -> None:
        who = self.luck.choice(self.active[1:])
        self.active.remove(who)
        self.counts["people who left"] += 1
        hall = self.hall
        if isinstance(hall.harness, TelegramHarness):
            hall.harness.api.leave(hall.place, hall.people[who])
        else:
            hall.harness.guild.left.add(hall.people[who].id)
        await hall.settled()

    async def _counted(self) -> None:
        """The bot counts as many votes for each letter as were pressed."""
        council = await self.hall.council()
        if council.turn is not None:
            assert Counter(council.turn.votes.values()) == Counter(self._votes.values())

    async def _judge(self, turn: Turn, captain: str) -> None:
        """What is played is what was voted for."""
        council = await self.hall.council()
        played, counted = council.played[-1], Counter(self._votes.values())
        if not self._order:
            assert played.why is Why.ENGINE
        elif counted.total() < QUORUM:
            why = Why.ONLY if len(self._standing) == 1 else Why.FIRST
            assert (played.why, played.turn) == (why, self._order[self._standing[0]])
        else:
            most = max(counted.values())
            winners = [number for number in self._standing if counted[number] == most]
            keys = {self._key(council, who): number for who, number in self._votes.items()}
            chosen = keys[captain] if keys.get(captain) in winners else winners[0]
            assert (played.turn, played.votes, played.of) == (self._order[chosen], most, len(self._votes))
        self.counts[f"by {played.why}"] += 1

    def _key(self, council: Any, who: int) -> str:
        person = self.hall.people[who]
        return str(
            council.key(type(self.hall.account)("telegram" if self._typed else "discord", str(person.id)))
        )

    async def end(self) -> None:
        """The captain resigns; the match ends with its table."""
        council = await self.hall.council()
        captain = next(who for who in self.active if self._key(council, who) == council.captain.key)
        if self._typed:
            await self.hall.says(captain, "resign", answer="yes")
            return
        await self.hall.says(captain, "resign")
        shown = [each for each in self.hall.place.messages.values() if each.only is self.hall.people[captain]]
        sure = next(key["custom_id"] for key in shown[-1].pressed() if key["custom_id"].endswith(":sure"))
        discord = self.hall.harness.discord  # type: ignore[union-attr]
        await Person(discord, self.hall.people[captain], self.hall.place).presses(shown[-1], sure)
        await self.hall.settled()


def _figures(name: str, crowd: Crowd) -> str:
    counts = {key: crowd.counts[key] for key in sorted(crowd.counts)}
    return f"channels, {name}: {PEOPLE} people, {len(crowd.active)} at the end: {counts}"


@pytest.mark.parametrize("name", HALLS)
async def test_forty_people_play(name: str, scale: Scale, figure: Figure) -> None:
    turns = scale(60, 6)
    async with HALLS[name](PEOPLE) as hall:
        crowd = Crowd(hall, turns)
        await hall.challenges(GAME, "clock:1d")
        await crowd.begin()
        while crowd.counts["turns"] < turns:
            if crowd.on_turn:
                await crowd.turn()
            else:
                await hall.waits(hours=crowd.luck.uniform(0, 3))
                await hall.answered(crowd.luck.choice)
        figure(_figures(name, crowd))
        await crowd.end()
        assert hall.match.phase is Phase.OVER
        assert any(f"played {turns} turns" in said for _, said in hall.platform.history(hall.place))


async def test_a_place_plays_another_on_the_other_platform(scale: Scale, figure: Figure) -> None:
    turns = scale(60, 6)
    async with both(PEOPLE) as halls:
        crowds = [Crowd(hall, number) for number, hall in enumerate(halls)]
        await halls[0].says(0, "seek", game=f"channel {GAME} clock:1d")
        await halls[1].says(0, "seek", game=GAME, options="channel", clock="1d")
        for crowd in crowds:
            await crowd.hall.settled()
            await crowd.begin()
        while sum(crowd.counts["turns"] for crowd in crowds) < turns:
            await next(crowd for crowd in crowds if crowd.on_turn).turn()
            for hall in halls:
                await hall.settled()
        for hall, crowd in zip(halls, crowds, strict=True):
            figure(_figures(f"{hall.account.uid.partition(':')[0]} against the other", crowd))
        await crowds[0].end()
        for hall, crowd in zip(halls, crowds, strict=True):
            await hall.settled()
            shown = [said for _, said in hall.platform.history(hall.place)]
            assert any(f"played {crowd.counts['turns']} turn" in said for said in shown)


# Kills: the bot is a process of its own, on a server that outlives it.

VOTING: Final = 12
CLOCK: Final = "clock:1h"  # longer than the proof takes: the captain ends talk and vote


class Killed:
    """A place whose bot is killed, and started again on what it left."""

    def __init__(self, platform: Platform, directory: Path, server: Path) -> None:
        self.platform, self._directory = platform, directory
        self._settings = {
            **platform.settings,
            "KLOP_WORKERS": "1",
            "KLOP_LOG": "error",
            "REDIS_URL": f"unix://{server}",
        }
        self.people: list[Any] = [platform.person(f"Voter{number}") for number in range(VOTING)]
        self.place: Any = platform.place(*self.people)
        self.kills = 0
        self.bot: BotProcess

    async def start(self, fault: str | None = None) -> None:
        self.bot = await BotProcess.start(
            self._directory / "data", self._directory / "log", self._settings, fault
        )
        await self.platform.connected(self.bot)

    async def restart(self, fault: str | None = None) -> None:
        """Kill it wherever it is, and start it anew."""
        await self.bot.end()
        self.kills += 1
        await self.start(fault)

    async def says(self, who: int, command: str, **options: Any) -> None:
        """Have a person type a command, again if it is lost, and return once it is answered."""
        private = len(self.platform.private(self.people[who], self.place))
        answered = await self.platform.send(self.people[who], self.place, command, **options)
        if isinstance(self.platform, Telegram):
            await self.platform.until(
                lambda: answered() or len(self.platform.private(self.people[who], self.place)) > private
            )
        else:
            await self.platform.until(answered)

    async def shows(self, said: str) -> str:
        def found() -> str | None:
            told = (each.replace("\\", "") for _, each in reversed(self.platform.messages(self.place)))
            return next((each for each in told if said in each), None)

        return str(await self.platform.until(found))

    async def press(self, who: int, label: str) -> Answered:
        shown: list[Any] = [each for each, _ in self.platform.messages(self.place)]
        board = next(each for each in reversed(shown) if label in self.platform.buttons(each))
        return await self.platform.press(self.people[who], board, self.platform.buttons(board)[label])

    def played(self) -> int:
        """How many turns of the place have been named at the place, as the board says it."""
        told = [said.replace("\\", "") for _, said in self.platform.history(self.place)]
        return len(
            {line for each in told for line in each.split("\n") if re.match(r"(Hall|#hall · \S+): ", line)}
        )


@pytest.mark.slow
@pytest.mark.parametrize("fault", DECIDING)
@pytest.mark.parametrize("name", PLATFORMS)
async def test_kills_lose_no_vote_and_no_move(name: str, fault: str, tmp_path: Path, figure: Figure) -> None:
    async with PLATFORMS[name]() as platform:
        with redis_server(tmp_path / "server") as server:
            hall = Killed(platform, tmp_path, server)
            await hall.start()
            try:
                await _killed(hall, fault)
            finally:
                await hall.bot.end()
    figure(f"channels, kills, {name}, {fault}: {hall.kills} kills, no vote and no move lost or doubled")


async def _killed(hall: Killed, fault: str) -> None:
    if isinstance(hall.platform, Telegram):
        await hall.says(0, "challenge", bot=f"@{NAME}", game=f"channel breakthrough 5x5 side:first {CLOCK}")
    else:
        klop = hall.platform.discord.bot
        options = {
            "game": "breakthrough",
            "options": "5x5 channel side:first",
            "clock": CLOCK.partition(":")[2],
        }
        await hall.says(0, "challenge", person=klop, **options)
    await hall.shows("Propose moves")
    for number, move in enumerate(("a2-a3", "b2-b3", "c2-c3")):
        await hall.says(number, "move", move=move)
        await hall.restart()  # as soon as the proposal is answered
    await hall.shows("C: c2-c3")
    await hall.says(0, "vote", choice="now")
    await hall.restart()
    await hall.shows("Vote until")
    votes = {who: "AB"[who % 3 == 0] for who in range(VOTING)}
    pressed = {who: await hall.press(who, letter) for who, letter in votes.items()}
    await asyncio.sleep(0.02)  # some are answered, some are handled, some wait
    await hall.restart(f"{fault}:1")
    for who, answered in pressed.items():
        if answered() is None and not hall.platform.queues:  # who sees no answer presses again
            pressed[who] = await hall.press(who, votes[who])
    await hall.shows(f"{VOTING} votes so far")
    await hall.says(0, "vote", choice="now")
    await asyncio.wait_for(hall.bot.gone.wait(), 90)  # it kills itself as it decides
    await hall.restart()
    if fault == "before-council":  # else the computer's answer may come with it, and is all that is told
        most = VOTING - sum(letter == "B" for letter in votes.values())
        await hall.shows(f"a2-a3 had {most} of {VOTING} votes; proposed by Voter0.")
    await hall.platform.until(hall.played)
    await hall.shows("Propose moves")  # the computer has moved, and the next turn begins
    assert hall.played() == 1
