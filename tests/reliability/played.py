"""Matches in chats, of two people and against an engine, and what was lost, doubled, unannounced, stale or damaged there."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields
from itertools import pairwise
from typing import Any, Final

from rules import GAMES
from rules.core import Game
from tests.reliability.chats import NAMES, Chat
from tests.reliability.load import GAMES_PLAYED
from tests.reliability.processes import BotDied, BotProcess
from tests.support.waiting import eventually


@dataclass
class Tally:
    """What was found.

    Attributes:
        back: Seconds from the start of a process to the first message, where something waited to be shown.
        shown: The same from the moment it was connected.
        ends: Seconds from SIGTERM to the end of a process.
        cut_off: Requests that a bot acknowledged and did not answer before it was killed.
        unanswered: Those of them that no later bot answered in time.
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
    again: list[str] = field(default_factory=list)  # what was seen twice: all messages of those matches
    orphans: int = 0  # boards sent just before a kill that no bot knows of; a later board tells more
    sent_too_often: int = 0
    nonces_repeated: int = 0
    back: list[float] = field(default_factory=list)
    shown: list[float] = field(default_factory=list)
    ends: list[float] = field(default_factory=list)
    cut_off: int = 0
    unanswered: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return (
            f"{self.matches} matches with {self.moves} moves: {self.lost} lost, {self.doubled} doubled,"
            f" {self.unannounced} unannounced, {self.merged} messages that name several turns; {self.stale} stale"
            f" boards; {self.timers} timers: {self.timers_wrong} wrong; {self.damaged} damaged; {self.sent_again}"
            f" messages seen twice, {self.orphans} boards left by a kill, {self.nonces_repeated} not shown again under the same nonce;"
            f" of {self.cut_off} requests that were acknowledged and cut off {len(self.unanswered)} without an answer"
        )

    def check(self) -> None:
        """Fail if something was lost, doubled, unannounced, stale, wrong or damaged."""
        assert not self.unanswered, "\n".join(self.unanswered)
        assert not self.boards, "\n---\n".join(f"message {number}: {said}" for number, said in self.boards)
        assert self.lost == self.doubled == self.unannounced == self.stale == 0
        assert self.timers_wrong == self.damaged == 0

    def check_once(self) -> None:
        """Fail if a message was seen twice, or left by a bot."""
        assert not self.again, "\n---\n".join(self.again)
        assert self.sent_again == self.orphans == 0

    def add(self, other: Tally) -> None:
        """Add what was found elsewhere."""
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))


# A match in a chat, by what people see of it, and what the chat shows held against what is stored.


PATIENCE: Final = 120.0
"""Seconds in which a bot must come to its point, and everything be shown at the end; on a crowded machine too."""
PLIES: Final = 8  # of two people, after which they agree on a draw
OVER: Final = (" won.", "A draw.")

_CODE: Final = re.compile(r"#([a-z0-9]{6})\b")
_ENGINE: Final = "Klop, level 1"
_TURN: Final = re.compile(rf"^(Ann|Bob|{_ENGINE})(?:, as planned)?: (.+)$", re.MULTILINE)
_PRESENT: Final = ("Turn: ", "is thinking")  # words of a board as it is now
AGAIN_AFTER: Final = 5.0
"""Seconds after which a person who was told that the matches are out of reach tries again, if nothing has changed."""

Turn = tuple[str, str]
"""Who played, and the notation of their moves."""


class Played:
    """A match in a chat, by what people see of it.

    Attributes:
        turns: What has been played, as far as it is known.
    """

    def __init__(self, chat: Chat, tally: Tally) -> None:
        self.chat = chat
        self.tally = tally
        self.turns: list[Turn] = []
        self.runs: list[int] = []  # how much the chat had seen when a bot was started, for each start
        self._others = set(_codes(chat))
        self._asked: set[str] = set()

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
            for turn in turns_in(said):
                found += found < len(self.turns) and turn == self.turns[found]
        return found

    @property
    def over(self) -> bool:
        """Whether the end is shown."""
        return any(word in said for _, said in self.versions for word in OVER)

    def says(self, words: str) -> bool:
        """Whether words have been shown about this match; a pattern, over all messages."""
        return bool(re.search(words, "\n".join(said for _, said in self.versions), re.DOTALL))

    async def go_on(self, bot: BotProcess) -> bool:
        """Say the next thing, or things; whether the match goes on."""
        raise NotImplementedError

    async def asked(self, bot: BotProcess, who: int, command: str, **options: str) -> None:
        """Say something about this match."""
        self.tally.requests += 1
        await self.chat.say(bot, who, command, match=self.code or "", **options)

    async def have(
        self, bot: BotProcess, who: int, command: str, shown: Callable[[], object], **options: str
    ) -> None:
        """Say something, unless it was said and the platform keeps it, and return once the answer is shown.

        A person who is refused, as the matches are out of reach, waits a little, and says it again.
        """
        asking, again = f"{who} {command} {options}", not self.chat.queues
        while not shown() and (again or asking not in self._asked):
            self._asked.add(asking)
            refused = len(self.chat.refused)
            await self.asked(bot, who, command, **options)
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
        """Return once something is shown. Raises `BotDied` if the bot is gone before."""
        assert callable(shown)
        try:
            await eventually(lambda: shown() or bot.gone.is_set(), PATIENCE)
        except TimeoutError:
            raise AssertionError(
                f"nothing more is shown of {self.code}: {self.chat.history[-6:]}, {self.chat.refused[-6:]}"
            ) from None
        if not shown():
            raise BotDied

    @property
    def twins(self) -> dict[int, int]:
        """Messages that were sent again, each with the next message that tells the same."""
        posts = _posts(self.versions)
        often = {f"{who}: {moves}" for (who, moves), times in Counter(self.turns).items() if times > 1}
        return {
            older: number
            for older, before in posts.items()
            for number, said in sorted(posts.items(), reverse=True)  # the next one is the last to be kept
            if older < number and _same(before, said, often)
        }

    @property
    def orphans(self) -> set[int]:
        """Boards that look like the present one, and that no bot knows of: sent just before a kill, and not stored.

        Such a one is the last message of its run about the match, and no later run has changed it. A platform that cannot be
        asked for its messages leaves one at most for each kill.
        """
        said = [(at, *each) for at, each in enumerate(self.chat.history) if f"#{self.code}" in each[1]]
        posted = {number: at for at, number, _ in reversed(said)}
        changed = {number: at for at, number, _ in said}
        latest = dict(self.versions)
        found = set()
        for began, ended in pairwise((0, *self.runs)):
            sent = [number for number, at in posted.items() if began <= at < ended]
            last = max(sent, key=posted.__getitem__, default=None)
            if last is not None and changed[last] < ended and _is_present(latest[last]):
                found.add(last)
        return found

    @property
    def stale(self) -> int:
        """How many boards seem to be the present one and are not, once the match is over."""
        known, latest = self.twins.keys() | self.orphans, dict(self.versions)
        return sum(_is_present(said) and number not in known for number, said in latest.items())

    def judged(self, log: Sequence[str]) -> None:
        """Hold what the chat shows against what was played."""
        played, wanted = " ".join(moves for _, moves in self.turns).split(), " ".join(log).split()
        self.tally.matches += 1
        self.tally.moves += len(log)
        self.tally.lost += (Counter(played) - Counter(wanted)).total()
        self.tally.doubled += (Counter(wanted) - Counter(played)).total()
        assert played == wanted, (self.code, played, wanted)
        self.tally.unannounced += len(self.turns) - self.named
        self.tally.merged += sum(len(turns_in(said)) > 1 for said in _posts(self.versions).values())
        run = self._run_of()
        runs = Counter(run[number] for number in self.twins.values())
        self.tally.sent_again += runs.total()
        self.tally.again += [
            f"{self.twins}",
            *(f"{number}: {said}" for number, said in self.versions),
        ] * bool(runs)
        self.tally.orphans += len(self.orphans - self.twins.keys())
        self.tally.sent_too_often += sum(times - 1 for times in runs.values())
        self.tally.sent_too_often += sum(run[a] == run[b] for a, b in self.twins.items())
        self.tally.stale += self.stale
        self.tally.boards += list(self.versions) if self.stale else []

    def _run_of(self) -> dict[int, int]:
        sent: dict[int, int] = {}
        for at, (number, _) in enumerate(self.chat.history):
            sent.setdefault(number, sum(at >= began for began in self.runs))
        return sent


def _codes(chat: Chat) -> Iterator[str]:
    return (found[1] for _, said in chat.history if (found := _CODE.search(said)))


def _posts(versions: Iterable[tuple[int, str]]) -> dict[int, str]:
    posts: dict[int, str] = {}
    for number, said in versions:
        posts.setdefault(number, said)
    return posts


def turns_in(said: str) -> list[Turn]:
    return _TURN.findall(said)


def _is_present(said: str) -> bool:
    """Whether a message looks like the present board of its match."""
    return any(words in said for words in _PRESENT)


def _told(said: str) -> set[str]:
    return set(said.partition("#")[0].splitlines()[:-1])


def _same(before: str, after: str, often: Collection[str]) -> bool:
    """Whether two messages tell the same: equal ones, or something that is told once among people.

    Moves that a person plays `often` are told as often, where the board is a picture in the same words.
    """
    if _told(before) and _told(before).issubset(often):
        return False
    if before == after:
        return True
    shared = (_told(before) & _told(after)).difference(often)
    return bool(shared) and (_ENGINE not in before or any("begins" in line for line in shared))


class AmongPeople(Played):
    """A match of two people who know what they will play; at times they play on before they see the answer."""

    def __init__(self, chat: Chat, tally: Tally, luck: random.Random) -> None:
        super().__init__(chat, tally)
        self._luck = luck
        self._said = 0
        self._game, chosen = luck.choice(GAMES_PLAYED)
        self._options = " ".join(f"{option}:{value}" for option, value in chosen.items())
        self._moves = drawn(GAMES[self._game], chosen, luck)
        self.turns = [(NAMES[who], moves) for who, moves in self._moves]

    async def go_on(self, bot: BotProcess) -> bool:
        if self.code is None:
            await self.have(
                bot, 0, "challenge", lambda: self.code, person="Bob", game=self._game, options=self._options
            )
        if not self.named and not self.says("begins"):
            refused = len(self.chat.refused)
            await self.chat.press(bot, 1, self.code or "", "Accept")
            await self.until(bot, lambda: self.says("begins") or len(self.chat.refused) > refused)
            if not self.says("begins"):
                return True
        if not self.chat.queues:
            self.tally.repeated += self._said > self.named
            self._said = self.named  # what a dead bot was told and did not show is said again
        refused = len(self.chat.refused)
        for who, moves in self._moves[self._said : self._said + self._luck.choice((1, 1, 2, 4))]:
            await self.asked(bot, who, "move", move=moves)
            self._said += 1
            if len(self.chat.refused) > refused:
                break  # the next one may be legal without this one, and then the match is another
        await self.until(bot, lambda: self.named >= self._said or len(self.chat.refused) > refused)
        if len(self.chat.refused) > refused:
            with suppress(TimeoutError):
                await eventually(lambda: self.named >= self._said or bot.gone.is_set(), AGAIN_AFTER)
            return True
        if self._said < len(self._moves) or self.over:
            return not self.over
        await self.have(bot, 0, "draw", lambda: self.says("offers a draw"))
        await self.have(bot, 1, "draw", lambda: self.over, answer="yes")
        return False


def drawn(
    game: Game[Any, Any, Any], chosen: Mapping[str, str], luck: random.Random
) -> Sequence[tuple[int, str]]:
    """Return the turns of a match, each the number of its player and their moves."""
    position = game.start(game.choose(chosen))
    turns: list[tuple[int, str]] = []
    turn: list[str] = []
    played = 0
    while position.outcome is None and played < PLIES:
        seat, move = position.to_move, luck.choice(position.legal_moves())
        turn.append(game.notation.format(move))
        position = position.play(move)
        if position.to_move != seat or position.outcome is not None or len(turn) == 3:
            turns.append((int(seat), " ".join(turn)))
            played += len(turn)
            turn.clear()
    return turns


class AgainstEngine(Played):
    """A match against an engine, whose moves the person reads in the chat."""

    def __init__(self, chat: Chat, tally: Tally, luck: random.Random) -> None:
        super().__init__(chat, tally)
        self._luck = luck
        game = GAMES["breakthrough"]
        self._position = game.start(game.choose({"board": "4x5"}))

    async def go_on(self, bot: BotProcess) -> bool:
        if self.code is None:
            options = "engine:1 board:4x5 side:first"
            await self.have(bot, 0, "challenge", lambda: self.code, game="breakthrough", options=options)
        notation = GAMES["breakthrough"].notation
        if len(self.turns) % 2 == 0:
            move = self._luck.choice(self._position.legal_moves())
            self.turns.append((NAMES[0], notation.format(move)))
            self._position = self._position.play(move)
        if self.named < len(self.turns):
            await self.have(bot, 0, "move", lambda: self.named == len(self.turns), move=self.turns[-1][1])
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
        found = 0
        for _, said in self.versions:
            turns = turns_in(said)
            for at, turn in enumerate(turns):
                found += found < len(self.turns) and turn == self.turns[found]
                if found == len(self.turns) and turn == self.turns[-1] and turns[at + 1 :]:
                    return turns[at + 1]
        return None
