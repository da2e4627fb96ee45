"""How matches go on in a chat: of two people, by a script of requests, and against an engine."""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from rules import GAMES
from tests.reliability.bot_process import BotProcess
from tests.reliability.chats import NAMES, UNREACHED, Chat
from tests.reliability.evenings import Evening
from tests.reliability.played import AGAIN_AFTER, Played, Turn, turns_in
from tests.reliability.tally import Tally
from tests.support.waiting import eventually

AGAINST: Final = "engine:1 breakthrough board:4x5 side:first"

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
            if len(self.chat.refused) > refused:
                break  # the next one may be legal without this one, and then the match is another
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
            turns = turns_in(said)
            for at, turn in enumerate(turns):
                found += found < len(self.turns) and turn == self.turns[found]
                if found == len(self.turns) and turn == self.turns[-1] and turns[at + 1 :]:
                    return turns[at + 1]
        return None
