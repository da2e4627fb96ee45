"""A bot on a loopback platform, and people who play there by what they see in their chats, while faults happen to the bot."""

from __future__ import annotations

import asyncio
import random
import re
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass, field, fields
from datetime import timedelta
from itertools import cycle
from pathlib import Path
from typing import Final

from bot.admin.attaching import attached
from bot.admin.replaying import replaying
from play.actions.seating import Join
from play.match import Closing, Ply
from play.opening import Challenge
from play.request import Request
from play.time.clock import Clock
from rules import GAMES
from storage.faults import POINTS
from storage.maintenance.verify import verify
from storage.redis.store import RedisStore
from tests.reliability.bot_process import BotProcess, Died
from tests.reliability.chats import NAMES, UNREACHED, Chat, Platform
from tests.reliability.evenings import Evening, evenings
from tests.reliability.load import table_on
from tests.support.waiting import eventually

ANYWHERE: Final = "anywhere"
AT_START: Final = ("after-open", "before-beat")
SHOWS_NOTHING: Final = ("after-commit", "after-read", "before-send")
"""What was committed waits to be shown where a bot is killed here."""
WITH_TIMERS: Final = ("before-fire", "after-fire", "after-settle")
PATIENCE: Final = 120.0
"""Seconds in which a bot must come to its point, and everything be shown at the end; on a crowded machine too."""
SIDE_BY_SIDE: Final = 3  # matches of two people
PLIES: Final = 8
TIMED: Final = 10  # rounds between two matches whose time runs out
FAILING: Final = (str(Path(__file__).with_name("failing_bot.py")),)
FIVE_MINUTES: Final = timedelta(minutes=5)
"""The shortest clock there is."""
AGAINST: Final = "engine:1 breakthrough board:4x5 side:first"

_CODE: Final = re.compile(r"#([a-z0-9]{6})\b")
_TURN: Final = re.compile(r"^(Ann|Bob|Klop, level 1)(?:, as planned)?: (.+)$", re.MULTILINE)
_ON_TURN: Final = "Turn: "
_OVER: Final = ("Victory: ", "A draw.")

AGAIN_AFTER: Final = 5.0
"""Seconds after which a person who was told that the matches are out of reach tries again, if nothing has changed."""

Turn = tuple[str, str]
"""Who played, and the notation of their moves."""

Step = tuple[int, str, str, str]
"""Who says which command with which arguments, and what is shown then."""

SCRIPTS: Final[tuple[tuple[tuple[Step, ...], tuple[str, ...]], ...]] = (
    (
        (
            (0, "challenge", "bob breakthrough board:5x6 clock:3d", "challenges"),
            (1, "accept", "", "begins"),
            (0, "move", "e2-e3", "Ann: e2-e3"),
            (0, "undo", "", "takes back: e2-e3"),
            (0, "move", "b2-b3", "Ann: b2-b3"),
            (1, "move", "b5-b4", "Bob: b5-b4"),
            (0, "draw", "", "Ann offers a draw"),
            (1, "draw", "no", "declines the draw"),
            (0, "takeback", "", "asks to take the last turn back"),
            (1, "takeback", "no", "declines the takeback"),
            (1, "takeback", "", "takes back: b5-b4"),
            (1, "move", "c5-c4", "Bob: c5-c4"),
            (1, "plan", "if a2-a3 then a5-a4", ""),
            (0, "pause", "", "asks for a pause"),
            (1, "pause", "yes", "the match is paused"),
            (1, "resume", "", "resumes the match"),
            (0, "move", "a2-a3", "Bob, as planned: a5-a4"),
            (1, "draw", "", "Bob offers a draw"),
            (0, "draw", "yes", "A draw."),
        ),
        ("b2-b3", "c5-c4", "a2-a3", "a5-a4"),
    ),
    (
        (
            (0, "new", "klopodavka players:2 board:8x8", "gathers players"),
            (1, "join", "", "takes a seat"),
            (0, "start", "", "begins"),
            (1, "draw", "", "offers a draw"),
            (0, "draw", "yes", "A draw."),
        ),
        (),
    ),
    (((0, "challenge", "bob lgame", "challenges"), (1, "decline", "", "declined")), ()),
)
"""What is said in a match besides moves, and the moves that it has in the end."""


@dataclass
class Tally:
    """What was found.

    Attributes:
        back: Seconds from the start of a process to the first message, where something waited to be shown.
        shown: The same from the moment it was connected.
    """

    kills: Counter[str] = field(default_factory=Counter)
    requests: int = 0
    repeated: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    matches: int = 0
    moves: int = 0
    lost: int = 0
    doubled: int = 0
    unannounced: int = 0
    merged: int = 0
    stale: int = 0
    boards: list[tuple[int, str]] = field(default_factory=list)  # all messages of a match with a stale one
    timers: int = 0
    timers_wrong: int = 0
    damaged: int = 0
    sent_again: int = 0
    sent_too_often: int = 0
    nonces_repeated: int = 0
    back: list[float] = field(default_factory=list)
    shown: list[float] = field(default_factory=list)

    def __str__(self) -> str:
        return (
            f"{self.matches} matches with {self.moves} moves: {self.lost} lost, {self.doubled} doubled,"
            f" {self.unannounced} unannounced, {self.merged} messages that name several turns; {self.stale} stale"
            f" boards; {self.timers} timers: {self.timers_wrong} wrong; {self.damaged} damaged; {self.sent_again}"
            f" messages seen twice, {self.nonces_repeated} not shown again under the same nonce"
        )

    def check(self) -> None:
        """Fail if something was lost, doubled, unannounced, stale, wrong or damaged."""
        assert not self.boards
        assert self.lost == self.doubled == self.unannounced == self.stale == 0
        assert self.timers_wrong == self.damaged == 0

    def add(self, other: Tally) -> None:
        """Add what was found elsewhere."""
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))


class Played:
    """A match in a chat, by what people see of it.

    Attributes:
        turns: What has been played, as far as it is known.
    """

    def __init__(self, chat: Chat, tally: Tally) -> None:
        self.chat = chat
        self.tally = tally
        self.turns: list[Turn] = []
        self.runs: list[int] = []  # the last message that was shown when a bot was started, for each start
        self._others = set(_codes(chat))
        self._asked: set[tuple[int, str, str]] = set()

    @property
    def code(self) -> str | None:
        """The code, once it is shown; of several the first."""
        return next((code for code in _codes(self.chat) if code not in self._others), None)

    @property
    def versions(self) -> Iterator[tuple[int, str]]:
        """The messages about this match, each as sent and as edited."""
        return ((number, said) for number, said in self.chat.history if f"#{self.code}" in said)

    @property
    def named(self) -> int:
        """How many of the turns are named in the chat, in their order."""
        found = 0
        for _, said in self.versions:
            for turn in _turns(said):
                found += found < len(self.turns) and turn == self.turns[found]
        return found

    @property
    def over(self) -> bool:
        """Whether the end is shown."""
        return any(word in said for _, said in self.versions for word in _OVER)

    def says(self, words: str) -> bool:
        """Whether words have been shown about this match; a pattern, over all messages."""
        return bool(re.search(words, "\n".join(said for _, said in self.versions), re.DOTALL))

    async def asked(self, bot: BotProcess, who: int, command: str, text: str = "") -> None:
        """Say something about this match."""
        self.tally.requests += 1
        await self.chat.say(bot, who, command, text, self.code or "")

    async def have(
        self, bot: BotProcess, asking: tuple[int, str, str], shown: Callable[[], object], *, again: bool
    ) -> None:
        """Say something unless it was said (`again` says it all the same), and return once the answer is shown.

        A person who is refused, as the matches are out of reach, waits a little, and says it again.
        """
        while not shown() and (again or asking not in self._asked):
            self._asked.add(asking)
            refused = len(self.chat.refused)
            await self.asked(bot, *asking)
            if len(self.chat.refused) == refused:
                break
            with suppress(TimeoutError):
                await eventually(lambda: shown() or bot.gone.is_set(), AGAIN_AFTER)
            if bot.gone.is_set():
                break
            again = True
        await self.until(bot, shown)
        self._asked.discard(asking)

    async def until(self, bot: BotProcess, shown: object) -> None:
        """Return once something is shown. Raises `Died` if the bot is gone before."""
        assert callable(shown)
        try:
            await eventually(lambda: shown() or bot.gone.is_set(), PATIENCE)
        except TimeoutError:
            raise AssertionError(
                f"nothing more is shown of {self.code}: {self.chat.history[-6:]}, {self.chat.refused[-6:]}"
            ) from None
        if not shown():
            raise Died

    @property
    def twins(self) -> dict[int, int]:
        """Messages that were sent again, each with the next message that tells the same."""
        posts = _posts(self.versions)
        return {
            older: number
            for older, before in posts.items()
            for number, said in sorted(posts.items(), reverse=True)  # the next one is the last to be kept
            if older < number and _same(before, said)
        }

    @property
    def stale(self) -> int:
        """How many boards seem to be the present one and are not, once the match is over."""
        twins, latest = self.twins, dict(self.versions)
        return sum(_ON_TURN in said and number not in twins for number, said in latest.items())

    def judged(self, log: Sequence[str]) -> None:
        """Hold what the chat shows against what was played."""
        played, wanted = self.logged(log)
        self.tally.matches += 1
        self.tally.moves += len(log)
        self.tally.lost += (Counter(played) - Counter(wanted)).total()
        self.tally.doubled += (Counter(wanted) - Counter(played)).total()
        assert played == wanted, (self.code, played, wanted)
        self.tally.unannounced += len(self.turns) - self.named
        self.tally.merged += sum(len(_turns(said)) > 1 for said in _posts(self.versions).values())
        runs = Counter(self._run(number) for number in self.twins.values())
        self.tally.sent_again += runs.total()
        self.tally.sent_too_often += sum(times - 1 for times in runs.values())
        self.tally.sent_too_often += sum(self._run(a) == self._run(b) for a, b in self.twins.items())
        self.tally.stale += self.stale
        self.tally.boards += list(self.versions) if self.stale else []

    def logged(self, log: Sequence[str]) -> tuple[list[str], list[str]]:
        """Return the moves that people know of, and those that are stored."""
        return " ".join(moves for _, moves in self.turns).split(), " ".join(log).split()

    def _run(self, number: int) -> int:
        """Which run of the bot sent a message."""
        return sum(number > last for last in self.runs)


def _codes(chat: Chat) -> Iterator[str]:
    return (found[1] for _, said in chat.history if (found := _CODE.search(said)))


def _posts(versions: Iterable[tuple[int, str]]) -> dict[int, str]:
    """Messages as they were first sent."""
    posts: dict[int, str] = {}
    for number, said in versions:
        posts.setdefault(number, said)
    return posts


def _turns(said: str) -> list[Turn]:
    return _TURN.findall(said)


def _told(said: str) -> set[str]:
    """What a message tells before its title."""
    return set(said.partition("#")[0].splitlines()[:-1])


def _same(before: str, after: str) -> bool:
    """Whether two messages tell the same: equal ones, or something that is told once among people."""
    if before == after:
        return True
    shared = _told(before) & _told(after)
    return bool(shared) and ("Klop" not in before or any("begins" in line for line in shared))


class AmongPeople(Played):
    """A match of two people who know what they will play; at times they play on before they see the answer."""

    def __init__(self, chat: Chat, tally: Tally, evening: Evening, luck: random.Random) -> None:
        super().__init__(chat, tally)
        invited, _, *moves = evening.requests
        self._invitation = invited["text"].removeprefix("/challenge ").strip()
        self._moves = [
            (NAMES.index(each["who"].capitalize()), each["text"].split(" ", 2)[2]) for each in moves
        ]
        self._said = 0
        self._luck = luck
        self.turns = [(NAMES[who], moves) for who, moves in self._moves]

    async def go_on(self, bot: BotProcess, *, queues: bool) -> bool:
        """Say the next thing, or things; whether the match goes on."""
        again = not queues
        if self.code is None:
            await self.have(bot, (0, "challenge", self._invitation), lambda: self.code, again=again)
        if not self.named and not self.says("begins"):
            refused = len(self.chat.refused)
            await self.chat.press(bot, 1, self.code or "", "Accept")
            await self.until(bot, lambda: self.says("begins") or len(self.chat.refused) > refused)
            if not self.says("begins"):
                return True
        if not queues:
            self.tally.repeated += self._said > self.named
            self._said = self.named  # what a dead bot was told and did not show is said again
        refused = len(self.chat.refused)
        for who, moves in self._moves[self._said : self._said + self._luck.choice((1, 1, 2, 4))]:
            await self.asked(bot, who, "move", moves)
            self._said += 1
        await self.until(bot, lambda: self.named >= self._said or len(self.chat.refused) > refused)
        if len(self.chat.refused) > refused:
            with suppress(TimeoutError):
                await eventually(lambda: self.named >= self._said or bot.gone.is_set(), AGAIN_AFTER)
            return True
        if self._said < len(self._moves) or self.over:
            return not self.over
        await self.have(bot, (0, "draw", ""), lambda: self.says("offers a draw"), again=again)
        await self.have(bot, (1, "draw", "yes"), lambda: self.over, again=again)
        return False


class Scripted(Played):
    """A match of a script: people who take back, offer, pause and decline."""

    def __init__(self, chat: Chat, tally: Tally, steps: Sequence[Step], log: Sequence[str]) -> None:
        super().__init__(chat, tally)
        self._steps, self._log = steps, log
        self._done = 0
        self.turns = [(NAMES[who], text) for who, command, text, _ in steps if command == "move"]
        if any(command == "plan" for _, command, *_ in steps):
            self.turns.append((NAMES[1], log[-1]))

    async def go_on(self, bot: BotProcess, *, queues: bool) -> bool:
        """Say the next thing; whether the match goes on."""
        who, command, text, shown = self._steps[self._done]
        asking = (who, command, text)
        if shown:
            await self.have(bot, asking, lambda: self.code and self.says(shown), again=not queues)
        while not shown:
            await self.asked(bot, *asking)
            if not any(UNREACHED in each for each in self.chat.refused[-1:]):
                break
        self._done += 1
        return self._done < len(self._steps)

    def logged(self, log: Sequence[str]) -> tuple[list[str], list[str]]:
        return list(self._log), list(log)


class AgainstEngine(Played):
    """A match against an engine, whose moves the person reads in the chat."""

    def __init__(self, chat: Chat, tally: Tally, luck: random.Random) -> None:
        super().__init__(chat, tally)
        self._luck = luck
        game = GAMES["breakthrough"]
        self._position = game.start(game.choose({"board": "4x5"}))

    async def go_on(self, bot: BotProcess, *, queues: bool) -> bool:
        """Play a move, and read the answer; whether the match goes on."""
        again = not queues
        if self.code is None:
            await self.have(bot, (0, "challenge", AGAINST), lambda: self.code, again=again)
        notation = GAMES["breakthrough"].notation
        if len(self.turns) % 2 == 0:
            move = self._luck.choice(self._position.legal_moves())
            self.turns.append((NAMES[0], notation.format(move)))
            self._position = self._position.play(move)
        if self.named < len(self.turns):
            said = (0, "move", self.turns[-1][1])
            await self.have(bot, said, lambda: self.named == len(self.turns), again=again)
        if self._position.outcome is None:
            await self.until(bot, lambda: self._answer() is not None)
            answer = self._answer()
            assert answer
            self.turns.append(answer)
            (move,) = notation.parse(answer[1], self._position)
            self._position = self._position.play(move)
        if self._position.outcome is None:
            return True
        await self.until(bot, lambda: self.over)
        return False

    def _answer(self) -> Turn | None:
        """The engine's turn that is named below the person's last one."""
        found = 0
        for _, said in self.versions:
            turns = _turns(said)
            for at, turn in enumerate(turns):
                found += found < len(self.turns) and turn == self.turns[found]
                if found == len(self.turns) and turn == self.turns[-1] and turns[at + 1 :]:
                    return turns[at + 1]
        return None


class Scenario:
    """One platform with its bot and a store.

    Args:
        server: The socket of a store that outlives its bots; None: the bot's own, which goes with it.
        directory: For data and log.
        seed: For everything that is drawn.
    """

    def __init__(
        self, platform: Platform, server: Path | None, directory: Path, seed: int, tally: Tally
    ) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self.platform, self.server = platform, server
        self.data, self.log = directory / "data", directory / "log"
        self.luck = random.Random(seed)
        self.tally = tally
        self.settings = {
            **platform.settings, "KLOP_WORKERS": "1", **({"REDIS_URL": f"unix://{server}"} if server else {}),
        }  # fmt: skip
        self.supply = evenings(f"h{seed}", seed, plies=PLIES)
        self.playing: list[Played] = []
        self.done: list[Played] = []
        self.timed: dict[str, Chat] = {}
        self.settled = False
        self.scripts = cycle(SCRIPTS)
        self.scripted = False  # whether matches with a script are played besides
        self.waits = False  # whether something is to be shown that no bot has shown

    async def killed_at(self, point: str) -> None:
        """Start the bot, and keep it busy until it dies at a point."""
        times = 1 if point in (*AT_START, *WITH_TIMERS) else self.luck.choice((1, 1, 2, 3, 5))
        bot = await self._started(None if point == ANYWHERE else f"{point}:{times}")
        back = asyncio.create_task(self._back(bot) if self.waits else asyncio.sleep(0))
        try:
            async with asyncio.timeout(PATIENCE):
                with suppress(Died):
                    await self._busy(bot, point)
                await bot.gone.wait()
        except TimeoutError:
            raise AssertionError(f"did not come to {point}:{times}\n{self._logged}") from None
        finally:
            await bot.end()
            await back
        assert bot.status == -9, f"the bot ended with {bot.status} and not at {point}\n{self._logged}"
        self.tally.kills[point] += 1
        self.waits = point in SHOWS_NOTHING

    async def busy(self, until: Callable[[], bool], environment: Mapping[str, str] | None = None) -> None:
        """Run a bot with faults, chosen by its environment, and keep it busy until there have been enough of them."""
        bot = await self._started(environment=environment, program=FAILING if environment else ())
        try:
            await self.platform.connected(bot)
            await self._unwarned(bot)
            rounds = 0
            while not until():
                self._fill()
                await self._round(bot)
                rounds += 1
                if rounds % TIMED == 1 and self._begun:
                    await self._time(1)
            await bot.end(signal.SIGTERM)
        except Died:
            raise AssertionError(f"the bot ended with {bot.status}\n{self._logged}") from None
        finally:
            await bot.end()
        assert bot.status == 0, self._logged

    async def _started(
        self,
        fault: str | None = None,
        environment: Mapping[str, str] | None = None,
        program: Sequence[str] = (),
    ) -> BotProcess:
        for played in (*self.playing, *self.done):
            played.runs.append(max((number for number, _ in played.chat.history), default=0))
        settings = {**self.settings, **(environment or {})}
        return await BotProcess.start(self.data, self.log, settings, fault, program)

    async def _back(self, bot: BotProcess) -> None:
        """Note how long it takes until people see what waited to be shown."""
        chats, began = [each.chat for each in self.playing], time.monotonic()
        known = [len(chat.history) for chat in chats]
        connected = self.platform.connections
        await eventually(lambda: bot.gone.is_set() or self.platform.connections > connected, 2 * PATIENCE)
        served = time.monotonic()
        await eventually(
            lambda: bot.gone.is_set() or [len(chat.history) for chat in chats] != known, 2 * PATIENCE
        )
        if not bot.gone.is_set():
            self.tally.back.append(time.monotonic() - began)
            self.tally.shown.append(time.monotonic() - served)

    @property
    def _logged(self) -> str:
        return self.log.read_text(errors="replace")[-3000:]

    async def _busy(self, bot: BotProcess, point: str) -> None:
        await self.platform.connected(bot)
        if not self.settled:
            self.settled = True
            await self._unwarned(bot)
        if point == ANYWHERE:
            asyncio.get_running_loop().call_later(self.luck.expovariate(1), bot.kill)
        if point in WITH_TIMERS:
            while not self._begun:
                self._fill()
                await self._round(bot)
            await self._time(2)
        while not bot.gone.is_set():
            self._fill()
            await self._round(bot)

    def _fill(self) -> None:
        if not any(isinstance(each, AgainstEngine) for each in self.playing):
            self.playing.append(AgainstEngine(self.platform.private(), self.tally, self.luck))
        while len(self.playing) <= SIDE_BY_SIDE:
            chat = self.platform.group()
            if self.scripted and not any(isinstance(each, Scripted) for each in self.playing):
                self.playing.append(Scripted(chat, self.tally, *next(self.scripts)))
            else:
                self.playing.append(AmongPeople(chat, self.tally, next(self.supply), self.luck))

    async def _round(self, bot: BotProcess) -> None:
        """Let every match go on once."""
        results = await asyncio.gather(
            *(each.go_on(bot, queues=self.platform.queues) for each in self.playing),  # type: ignore[attr-defined]
            return_exceptions=True,
        )
        for each, going in zip(list(self.playing), results, strict=True):
            if going is False:
                self.playing.remove(each)
                self.done.append(each)
        for result in results:
            if isinstance(result, BaseException):
                raise result

    async def _unwarned(self, bot: BotProcess) -> None:
        """Have the losing moves of a random game played without a question."""
        private = self.platform.private()
        for who in range(len(NAMES)):
            await private.say(bot, who, "settings", "warnings:off")

    def _store(self) -> AbstractAsyncContextManager[RedisStore]:
        return attached(f"unix://{self.server}" if self.server else None, self.data)

    @property
    def _begun(self) -> list[AmongPeople]:
        """The matches of two people who have moved."""
        return [each for each in self.playing if isinstance(each, AmongPeople) and each.named]

    async def _time(self, count: int) -> None:
        """Begin matches in a chat whose first turn began so long ago that its time is nearly up."""
        played = self._begun[0]
        async with self._store() as store:
            match = (await store.matches.load(played.code or "")).match
            one, other = (chair.player for chair in match.chairs)
            assert one
            assert other
            table = table_on(store)
            for _ in range(count):
                at = await store.now() - FIVE_MINUTES + timedelta(seconds=self.luck.uniform(0.1, 1.0))
                wanted = Challenge(match.addresses[0], "lgame", opponents=(other,), clock=Clock(FIVE_MINUTES))
                made = await table.open(wanted, Request(one, at))
                await table.act(made.match.id, Join(), Request(other, at))
                self.timed[made.match.id] = played.chat

    async def finish(self) -> None:
        """Let all matches be played and shown to their ends, and look at what came of them."""
        bot = await self._started()
        try:
            async with asyncio.timeout(PATIENCE):
                await self.platform.connected(bot)
                while self.playing:
                    await self._round(bot)
        except TimeoutError:
            left = [(type(each).__name__, each.code, each.chat.history[-3:]) for each in self.playing]
            await bot.end()
            raise AssertionError(f"not played to the end: {left}\n{self._logged}") from None
        try:
            with suppress(TimeoutError):
                await eventually(lambda: not any(each.stale for each in self.done), PATIENCE)
            async with self._store() as store:
                await self._judge(store)
            await bot.end(signal.SIGTERM)
        finally:
            await bot.end()
        assert bot.status == 0, self._logged
        assert not self.platform.invalid, self.platform.invalid
        self.tally.nonces_repeated += self.platform.nonces_repeated
        for played in self.done:
            self.tally.refused.update(played.chat.refused)

    async def _judge(self, store: RedisStore) -> None:
        for each in self.done:
            match = (await store.matches.load(each.code or "")).match
            each.judged([entry.text for entry in match.log if isinstance(entry, Ply)])
        for code, chat in self.timed.items():

            def shown(code: str = code, chat: Chat = chat) -> bool:
                return any(f"#{code}" in said and _OVER[0] in said for _, said in chat.history)

            with suppress(TimeoutError):
                await eventually(shown, PATIENCE)
            match = (await store.matches.load(code)).match
            self.tally.timers += 1
            right = match.result is not None and match.result.reason == Closing.TIME.value
            self.tally.timers_wrong += not (right and match.revision <= 5)  # a reminder may have come
            self.tally.unannounced += not shown()
        async for looked in verify(store, replaying(GAMES)):
            self.tally.damaged += looked.fault is not None


def places() -> Iterator[str]:
    """The points, by turns, without end."""
    while True:
        yield from (*POINTS, ANYWHERE)
