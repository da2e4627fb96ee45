"""Random requests by random people; what must hold after each is in `tests.support.matches`."""

from __future__ import annotations

from collections.abc import Coroutine
from datetime import timedelta
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from play.actions.agreeing import Answer, AskPause, AskTakeback, OfferDraw, Resume, Undo
from play.actions.leaving import Claim, Leave, Resign, Substitute
from play.actions.planning import MakePlan
from play.actions.playing import MakeMove
from play.actions.renaming import Watch
from play.actions.seating import Decline, Join, Start, Withdraw
from play.errors import PlayError, Stale
from play.facts import Fact, Flagged, TimeIsUp
from play.files.matchfile import Import, export
from play.match import Ask, Closing, Match, Offer, Phase
from play.opening import Challenge, Lobby, rematch
from play.people import Address, Player
from play.replay import Course
from play.request import CLOCKWORK, Action, Request
from play.time.clock import Outage, left
from play.time.firing import fire
from play.time.vacation import BUDGET, end_vacation, take_vacation
from rules.core import RulesError, Seat, walk
from tests.support.desk import ANN, BOB, CEM, DAN, EVE, GAMES, HALL, ROOM, Desk
from tests.support.matches import check_match, check_times

PEOPLE = st.sampled_from([ANN, BOB, CEM, DAN, EVE])
CHOICES = st.sampled_from(
    [
        ("notches", {}),
        ("notches", {"players": "4", "board": "7x4"}),
        ("notches", {"preset": "duel"}),
        ("notches", {"variant": "first"}),
        ("pairs", {"players": "4", "board": "7x4"}),
        ("lgame", {}),
        ("breakthrough", {"board": "3x4"}),
    ]
)
CLOCKS = st.sampled_from([None, None, "1d", "2d+12h/3d", "1d+1h vacation", "1d soft", "12h soft vacation"])
PLANS = st.sampled_from(
    ["", "nonsense", "if a1 then a2", "if a7-a6 then b2-b3", "if a3-a2 then c2-c3; if b3-b2 then a2-a3"]
)
WRONG = st.sampled_from([("notches", {"players": "11"}), ("chess", {}), ("lgame", {"board": "9x9"})])
SEEN = st.sampled_from([None, None, None, 0, -1])
TEXTS = st.sampled_from(["a1", "a1 a2", "nonsense", "", "\x00", "L a1-a3-b3", "a2-a3"])


def run(asked: Coroutine[Any, Any, Any]) -> Any:
    """A request to a table whose store never waits."""
    try:
        asked.send(None)
    except StopIteration as done:
        return done.value
    raise AssertionError("the store waited")


class Evening(RuleBasedStateMachine):
    """A room where everybody tries everything."""

    def __init__(self) -> None:
        super().__init__()
        self.desk = Desk()
        self.ids: list[str] = ["nosuch"]

    def request(self, asked: Coroutine[Any, Any, Any]) -> Any:
        """Ask for something, and check what became of the store."""
        before = self.desk.stored()
        try:
            fact = run(asked)
        except (PlayError, RulesError) as refusal:
            self.check_refused(refusal, before)
            return None
        if fact is None:
            assert self.desk.stored() == before
            return None
        after = self.desk.stored()
        changed = {match_id for match_id in after if after[match_id] != before.get(match_id)}
        assert changed == {fact.match.id}
        old = before.get(fact.match.id)
        assert fact.match == after[fact.match.id]
        assert fact.match.revision == (old.revision if old else 0) + 1
        assert old is None or old.live or old.addresses != fact.match.addresses, "what is over stays"
        if fact.match.id not in self.ids:
            self.ids.append(fact.match.id)
        return fact

    def check_refused(self, refusal: PlayError | RulesError, before: dict[str, Match]) -> None:
        """A refusal changed nothing, and one for staleness shows what there is."""
        assert self.desk.stored() == before
        assert not isinstance(refusal, Stale) or refusal.match == before[refusal.match.id]

    @initialize(first=CHOICES, second=CHOICES, clocks=st.tuples(CLOCKS, CLOCKS))
    def arrive(
        self,
        first: tuple[str, dict[str, str]],
        second: tuple[str, dict[str, str]],
        clocks: tuple[str | None, str | None],
    ) -> None:
        """Two matches are under way when it begins."""
        for (game, chosen), clock in zip((first, second), clocks, strict=True):
            seats = GAMES[game].seats(GAMES[game].choose(chosen))
            match = run(
                self.desk.party(*(ANN, BOB, CEM, DAN)[:seats], game=game, clock=clock, **chosen)  # type: ignore[arg-type]
            )
            self.ids.append(match.id)
            for _ in range(3):
                move = self.desk.table.position(match).legal_moves()[0]
                match = run(self.desk.play(match, GAMES[game].notation.format(move)))

    def pick(self, data: st.DataObject) -> str:
        """Mostly a match under way, or one of the latest."""
        under_way = [match.id for match in self.desk.stored().values() if match.phase is Phase.PLAYING]
        return data.draw(st.sampled_from([*under_way[-3:] * 2, *self.ids[-2:], self.ids[0]]), label="match")

    def person(self, data: st.DataObject, match_id: str) -> Player:
        """Mostly a person whom the match concerns."""
        match = self.desk.stored().get(match_id)
        chairs = match.chairs if match else ()
        concerned = [who for chair in chairs for who in (chair.player, chair.reserved) if who]
        return data.draw(st.sampled_from([*concerned, *concerned, DAN, EVE]), label="who")

    def seen(self, data: st.DataObject, match_id: str) -> int | None:
        """Mostly what is there, or nothing said; sometimes an old revision."""
        choice = data.draw(SEEN, label="seen")
        match = self.desk.stored().get(match_id)
        return match.revision if choice == -1 and match else choice

    @rule(
        host=PEOPLE,
        choice=CHOICES,
        others=st.lists(PEOPLE, max_size=3),
        side=st.sampled_from(["first", "second", "random", "3"]),
        clock=CLOCKS,
    )
    def challenge(
        self,
        host: Player,
        choice: tuple[str, dict[str, str]],
        others: list[Player],
        side: str,
        clock: str | None,
    ) -> None:
        game, chosen = choice
        asked = self.desk.open(host, Challenge(ROOM, game, chosen, opponents=others, side=side, clock=clock))
        self.request(asked)

    @rule(host=PEOPLE, choice=WRONG)
    def challenge_to_nonsense(self, host: Player, choice: tuple[str, dict[str, str]]) -> None:
        game, chosen = choice
        assert self.request(self.desk.open(host, Challenge(ROOM, game, chosen))) is None

    @rule(host=PEOPLE, choice=CHOICES, clock=CLOCKS)
    def open_lobby(self, host: Player, choice: tuple[str, dict[str, str]], clock: str | None) -> None:
        self.request(self.desk.open(host, Lobby(ROOM, *choice, clock=clock)))

    @rule(data=st.data(), team=st.sampled_from([None, None, 1, 2, 7]))
    def join(self, data: st.DataObject, team: int | None) -> None:
        match_id = self.pick(data)
        who = self.person(data, match_id)
        self.request(self.desk.act(match_id, who, Join(team), seen=self.seen(data, match_id)))

    @rule(data=st.data())
    def fill(self, data: st.DataObject) -> None:
        """Everybody who is awaited comes."""
        match_id = self.pick(data)
        for who in (ANN, BOB, CEM, DAN, EVE):
            self.request(self.desk.act(match_id, who, Join()))
        self.request(self.desk.act(match_id, self.host(match_id), Start()))

    def offer(self, match_id: str) -> Offer | None:
        match = self.desk.stored().get(match_id)
        return match.offer if match else None

    @rule(
        data=st.data(),
        what=st.sampled_from([OfferDraw(), AskPause()])
        | st.builds(AskTakeback, st.none() | st.integers(1, 9)),
    )
    def agree(self, data: st.DataObject, what: Action[Fact]) -> None:
        """One asks, and all say yes."""
        match_id = self.pick(data)
        who = self.person(data, match_id)
        self.request(self.desk.act(match_id, who, what))
        for other in (ANN, BOB, CEM, DAN):
            if offer := self.offer(match_id):
                self.request(self.desk.act(match_id, other, Answer(offer.ask, True)))

    def host(self, match_id: str) -> Player:
        match = self.desk.stored().get(match_id)
        return match.host if match else ANN

    @rule(
        data=st.data(),
        what=st.sampled_from(
            [
                *(Decline(), Withdraw(), Leave(), Start(), Undo(), AskTakeback(), OfferDraw(), Resign()),
                *(AskPause(), Resume(), Claim(), Substitute()),
            ]
        ),
    )
    def ask(self, data: st.DataObject, what: Action[Fact]) -> None:
        match_id = self.pick(data)
        who = self.person(data, match_id)
        self.request(self.desk.act(match_id, who, what, seen=self.seen(data, match_id)))

    @rule(data=st.data(), ask=st.sampled_from(Ask), yes=st.sampled_from([True, True, True, False]))
    def answer(self, data: st.DataObject, ask: Ask, yes: bool) -> None:
        match_id = self.pick(data)
        offer = self.offer(match_id)
        who = self.person(data, match_id)
        ask = offer.ask if offer and data.draw(st.booleans(), label="fitting") else ask
        self.request(self.desk.act(match_id, who, Answer(ask, yes), seen=self.seen(data, match_id)))

    @rule(data=st.data(), text=TEXTS)
    def type(self, data: st.DataObject, text: str) -> None:
        match_id = self.pick(data)
        who = self.person(data, match_id)
        self.request(self.desk.act(match_id, who, MakeMove(text)))

    @rule(data=st.data(), count=st.integers(1, 8))
    def play_on(self, data: st.DataObject, count: int) -> None:
        """Legal plies by the player on turn, some of them picked step by step."""
        match_id = self.pick(data)
        for _ in range(count):
            match = self.desk.stored().get(match_id)
            if match is None or match.phase is not Phase.PLAYING:
                return
            if match.paused:
                self.request(self.desk.act(match_id, self.person(data, match_id), Resume()))
                return
            course = self.desk.table.course(match)
            moves = course.position.legal_moves()
            move = moves[data.draw(st.integers(0, len(moves) - 1), label="move")]
            who = match.chairs[course.position.to_move].player
            assert who
            fact = self.request(self.playing(match, who, move, data.draw(st.booleans(), label="picked")))
            assert fact is not None, "a legal ply by the player on turn is played"

    def playing(self, match: Match, who: Player, move: Any, picked: bool) -> Coroutine[Any, Any, Any]:
        course = self.desk.table.course(match)
        table, game = self.desk.table, course.game
        if not picked:
            return table.act(match.id, MakeMove(game.notation.format(move)), Request(who, self.desk.at))
        path, _ = walk(lambda chosen: game.fork(course.position, chosen), game.notation.steps(move))
        chosen = game.fork(course.position, path).move
        text = game.notation.format(chosen)
        return table.act(match.id, MakeMove(text), Request(who, self.desk.at, match.revision))

    @rule(data=st.data())
    def rematch(self, data: st.DataObject) -> None:
        match_id = self.pick(data)
        self.request(rematch(self.desk.table, match_id, Request(self.person(data, match_id), self.desk.at)))

    @rule(data=st.data(), where=st.sampled_from([ROOM, HALL, Address("x", "y")]), on=st.booleans())
    def watch(self, data: st.DataObject, where: Address, on: bool) -> None:
        self.request(self.desk.act(self.pick(data), CLOCKWORK, Watch(where, on=on)))

    @rule(hours=st.sampled_from([0, 1, 6, 13, 25, 49, 100, 1700]), down=st.booleans(), late=st.booleans())
    def time_passes(self, hours: int, down: bool, late: bool) -> None:
        """Hours go by; the bot may be down for them, or its timers fire only at their end."""
        until = self.desk.now + timedelta(hours=hours)
        if down and hours:
            outage = Outage(self.desk.now, until)
            self.desk.table.outages = (*self.desk.table.outages, outage)
        if down or late:
            self.desk.now = until
        while due := run(self.desk.store.timers.due(until, until, 1)):
            (timer,) = due
            self.desk.now = max(self.desk.now, timer.timer.at)
            before = self.desk.stored()[timer.match_id]
            fact = self.request(
                fire(self.desk.table, timer.match_id, timer.timer.name, self.desk.table.now(self.desk.now))
            )
            run(self.desk.store.timers.settle(timer))
            self.check_flag(before, fact)
        self.desk.now = until

    def check_flag(self, before: Match, fact: Any) -> None:
        """A player who was flagged had nothing left, and could not be saved."""
        if isinstance(fact, Flagged | TimeIsUp):
            assert before.times
            assert before.clock
            assert left(before.times, before.times.seat, self.desk.table.now(self.desk.now)) <= timedelta()
            if before.clock.vacation:
                player = before.chairs[before.times.seat].player
                assert player
                spent = run(self.desk.store.settings.get(player.account)).vacation.spent
                assert spent == BUDGET

    @rule(who=PEOPLE, length=st.sampled_from(["3h", "2d", "20d"]), on=st.booleans())
    def vacation(self, who: Player, length: str, on: bool) -> None:
        table = self.desk.table
        try:
            if on:
                run(take_vacation(table, Request(who, self.desk.at), length))
            else:
                run(end_vacation(table, Request(who, self.desk.at)))
        except PlayError:
            return

    @rule(data=st.data(), leaves=st.booleans(), who=st.sampled_from([DAN, EVE]))
    def take_over(self, data: st.DataObject, leaves: bool, who: Player) -> None:
        """A player leaves, or has left; another takes the seat."""
        match_id = self.pick(data)
        if leaves:
            self.request(self.desk.act(match_id, self.person(data, match_id), Resign()))
        self.request(self.desk.act(match_id, who, Substitute()))

    @rule(data=st.data())
    def claim(self, data: st.DataObject) -> None:
        match_id = self.pick(data)
        for who in (ANN, BOB, CEM):
            self.request(self.desk.act(match_id, who, Claim()))

    @rule(data=st.data(), text=PLANS)
    def plan(self, data: st.DataObject, text: str) -> None:
        match_id = self.pick(data)
        self.request(self.desk.act(match_id, self.person(data, match_id), MakePlan(text)))

    def foreseen(self, data: st.DataObject, course: Course, depth: int) -> list[tuple[str, str]]:
        """One way on from a position: what is played, and what is answered."""
        lines: list[tuple[str, str]] = []
        words: list[str] = []
        position = course.position
        while not position.outcome and len(lines) < depth:
            moves = position.legal_moves()
            move = moves[data.draw(st.integers(0, min(2, len(moves) - 1)), label="foreseen")]
            words.append(course.game.notation.format(move))
            position = position.play(move)
            if len(words) == 2:
                lines.append((words[0], words[1]))
                words = []
        return lines

    @rule(data=st.data(), depth=st.integers(1, 3))
    def plan_something_possible(self, data: st.DataObject, depth: int) -> None:
        """The player who is not on turn in a match of two plans for a line that can come."""
        match = self.desk.stored().get(self.pick(data))
        if match is None or match.phase is not Phase.PLAYING or len(match.chairs) != 2:
            return
        course = self.desk.table.course(match)
        seat = Seat(1 - course.position.to_move)
        lines = self.foreseen(data, course, depth) if course.position.turn_length == 1 else []
        text = " ".join(f"if {when} then {then}" for when, then in lines)
        who = match.chairs[seat].player
        assert who
        if not text:
            return
        assert self.request(self.desk.act(match, who, MakePlan(text)))
        other = match.chairs[course.position.to_move].player
        assert other
        for when, then in lines[: data.draw(st.integers(0, depth), label="come true")]:
            if match.paused:
                return
            fact = self.request(self.desk.act(match, other, MakeMove(when)))
            assert fact
            if fact.match.result:
                return
            (answer,) = fact.answers
            assert (answer.seat, [ply.text for ply in answer.plies]) == (seat, [then])

    @rule(data=st.data())
    def take_home(self, data: st.DataObject) -> None:
        """Out by the file and in again."""
        match_id = self.pick(data)
        who = self.person(data, match_id)
        try:
            text = export(run(self.desk.table.get(match_id)))
        except PlayError:
            return
        fact = self.request(self.desk.open(who, Import(text, HALL)))
        assert fact is not None
        old = self.desk.stored()[match_id]
        closed = old.result is not None and old.result.reason == Closing.SILENCE.value
        # What was closed for silence goes on from its file.
        assert (fact.match.log, fact.match.result) == (old.log, None if closed else old.result)

    @invariant()
    def every_match_makes_sense(self) -> None:
        for match in list(self.desk.stored().values())[-2:]:
            check_match(self.desk, match)
            check_times(self.desk, match)


TestEvening = Evening.TestCase
TestEvening.settings = settings(max_examples=50, stateful_step_count=40, deadline=None)
