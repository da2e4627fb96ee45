"""A place that plays: how a turn comes about, who has a say, and what is told of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final

import pytest

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.view import Message, View
from bot.chat.visitor import Visitor
from bot.features.channels.council import Council, Stage, Why
from bot.features.channels.keeping import Councils, forget
from play.actions.agreeing import Answer, AskPause, OfferDraw, Resume
from play.actions.playing import MakeMove
from play.actions.seating import Join
from play.facts import Deliberated
from play.files import matchfile
from play.match import Ask, Match, Phase, is_engine
from play.opening import Challenge, Lobby
from play.people import Account, Address, Player, channel
from play.request import Action, Request
from tests.bot.world import ANN, BOB, CEM, DAN, EVE, HALL, ROOM, SETTINGS, World

PLACE: Final = channel(ROOM)
US: Final = Player(PLACE, "#room")
BEGINS: Final = "/challenge engine:1 channel breakthrough 5x5 side:first"


class Channel:
    """The people of a room who play in its name."""

    def __init__(self, language: str = "en") -> None:
        self.world = World(language)
        self.councils = Councils(self.world.desk._services)

    @property
    def match(self) -> Match:
        stored = self.world.store.matches.stored.values()
        return next(match for match in reversed(stored) if match.seat_of(PLACE) is not None)

    def visitor(self, who: Player, where: Address = ROOM, **more: Any) -> Visitor:
        return replace(self.world.visitor(who, where), place_name=f"#{where.place}", **more)

    async def say(self, who: Player, *lines: str, where: Address = ROOM, **more: Any) -> Sequence[Message]:
        said: Sequence[Message] = ()
        for line in lines:
            said = await self.world.desk.answer(self.visitor(who, where, **more), line)
        return said

    async def told(self, who: Player, *lines: str, where: Address = ROOM, **more: Any) -> str:
        return text(await self.say(who, *lines, where=where, **more))

    async def press(
        self, who: Player, verb: Verb, argument: str = "", match: Match | None = None
    ) -> Sequence[Message]:
        match = match or self.match
        button = CallbackData(verb, match.id, match.revision, argument)
        return await self.world.desk.press(self.visitor(who, buttons=True), button)

    async def act(self, who: Player, action: Action[Any], match: Match | None = None) -> Sequence[Message]:
        await self.world.table.act((match or self.match).id, action, Request(who, self.world.now))
        return await self.world.desk.drained()

    async def wait(self, **length: float) -> Sequence[Message]:
        """Time passes, and what is due is looked at."""
        self.world.now += timedelta(**length)
        await self.councils.tick()
        return await self.world.desk.drained()

    async def voted(self, turn: str = "", *, who: Player = ANN) -> Sequence[Message]:
        """A turn is proposed, any if none is said, and decided once its time is up."""
        await self.say(who, f"/move #{self.match.id} {turn or self.legal()}")
        return await self.wait(hours=24)

    def legal(self) -> str:
        """A legal turn, whole."""
        position, played = self.world.table.position(self.match), list[str]()
        notation = self.world.table.games[self.match.game].notation
        after = position
        while not played or (
            not after.outcome and after.to_move == position.to_move and after.plies_left != after.turn_length
        ):
            move = after.legal_moves()[0]
            played.append(notation.format(move))
            after = after.play(move)
        return " ".join(played)

    async def answered(self) -> Sequence[Message]:
        """The computer moves."""
        match = self.match
        mover = match.player(self.world.table.position(match).to_move)
        assert is_engine(mover.account)
        return await self.act(mover, MakeMove(self.legal()))

    async def council(self) -> Council:
        return await self.councils.present(self.match, PLACE)

    @property
    def turns(self) -> list[str]:
        return [entry.text for entry in self.match.log if hasattr(entry, "text")]


def text(said: Iterable[Message]) -> str:
    return "\n".join(line for each in said for line in (*each.view.lines, *each.view.after))


def keys(view: View) -> list[str]:
    return [each.label for each in view.controls]


async def playing(line: str = BEGINS, *, turns: int = 0) -> Channel:
    room = Channel()
    await room.say(ANN, line)
    for _ in range(turns):
        await room.voted()
        await room.answered()
    return room


async def test_a_turn_is_proposed_voted_on_and_played() -> None:
    room = await playing()
    await room.say(ANN, "/move a2-a3")
    await room.say(BOB, "/move b2-b3")
    await room.wait(hours=13)
    for who, letter in ((ANN, "b"), (BOB, "B"), (CEM, "а")):  # the last one is Cyrillic
        await room.say(who, f"/vote {letter}")
    [board] = [each for each in await room.wait(hours=13) if each.to == ROOM]
    assert board.view.lines[0] == "b2-b3 had 2 of 3 votes; proposed by bob."
    assert room.turns == ["b2-b3"]
    assert "Move" not in keys(board.view)  # the computer is on turn


async def test_the_answer_of_the_computer_comes_with_how_the_place_decided() -> None:
    room = await playing()
    await room.voted("b2-b3", who=BOB)
    [board] = await room.answered()
    assert board.view.lines[0] == "Too few votes, so the first proposal is played: b2-b3, by bob."
    assert keys(board.view)[0] == "Propose"


REFUSED: Final[Sequence[tuple[Sequence[tuple[Player, str]], tuple[Player, str], str]]] = (
    ([], (BOB, "/vote b"), "Nothing has been proposed yet"),
    ([(ANN, "/move a2-a3")], (BOB, "/vote b"), "There is no proposal “b”. There are: A."),
    ([(ANN, "/move a2-a3")], (BOB, "/vote bob"), "There is no proposal “bob”"),
    ([(ANN, "/move a2-a3")], (BOB, "/vote a"), "The vote has not begun yet"),
    ([(ANN, "/move a2-a3"), (ANN, "/move b2-b3")], (ANN, "/move c2-c3"), "You have proposed 2 moves"),
    ([(ANN, "/move a2-a3")], (BOB, "/vote now"), "Only ann, the captain,"),
    ([(ANN, "/move a2-a3")], (BOB, "/vote veto a"), "Only ann, the captain,"),
    ([(ANN, "/move a2-a3")], (BOB, "/vote captain cem"), "Only ann, the captain,"),
    ([], (ANN, "/vote now"), "Nothing has been proposed yet"),
    ([(ANN, "/move a2-a3"), (ANN, "/vote now")], (BOB, "/move b2-b3"), "Proposals are closed"),
    (
        [(BOB, "/move a2-a3"), (BOB, "/move b2-b3"), (ANN, "/vote veto a")],
        (ANN, "/vote veto b"),
        "The veto of this game has been used",
    ),
    ([(BOB, "/move a2-a3"), (ANN, "/vote veto a")], (CEM, "/move a2-a3"), "You cannot choose proposal A"),
    ([], (BOB, "/vote in"), "There is nothing to join"),
    ([], (BOB, "/resign"), "Only ann, the captain,"),
    ([], (BOB, "/draw"), "Only ann, the captain,"),
    ([], (ANN, "/vote captain nobody-here-1"), "nobody-here-1"),
    ([], (ANN, "/move a2-a5"), "a2"),
)


@pytest.mark.parametrize(("before", "asked", "expected"), REFUSED, ids=[each[2][:24] for each in REFUSED])
async def test_what_is_refused_says_what_to_do(
    before: Sequence[tuple[Player, str]], asked: tuple[Player, str], expected: str
) -> None:
    room = await playing()
    for who, line in before:
        await room.say(who, line)
    assert expected in await room.told(*asked)


async def test_there_are_eight_letters() -> None:
    room = await playing()
    moves = [f"{a}2-{b}3" for a, b in ("aa", "bb", "cc", "dd", "ee", "ab", "bc", "cd", "de")]
    for at, move in enumerate(moves[:8]):
        assert f"Proposal {'ABCDEFGH'[at]}" in await room.told((ANN, BOB, CEM, DAN)[at // 2], f"/move {move}")
    assert "There are 8 proposals already" in await room.told(EVE, f"/move {moves[8]}")


async def test_in_a_crowd_a_proposal_is_seconded() -> None:
    room = Channel()
    for number in range(7):
        await room.say(Player(Account("console", f"p{number}"), f"p{number}"), "/games")
    await room.say(ANN, BEGINS, "/move a2-a3")
    assert "not seconded yet" in await room.told(BOB, "/vote")
    assert "somebody else has to second it" in await room.told(ANN, "/vote a")
    assert "Seconded" in await room.told(BOB, "/vote a")
    await room.say(CEM, "/move b2-b3")
    await room.wait(hours=13)
    assert "nobody has seconded it" in await room.told(DAN, "/vote b")


async def test_only_who_was_seen_before_the_first_turn_takes_part() -> None:
    room = await playing(turns=1)
    assert "Proposal A" in await room.told(ANN, f"/move {room.legal()}")
    assert "Only people who were here before" in await room.told(EVE, f"/move {room.legal()}")
    long_ago: dict[str, Any] = {"member_since": room.world.now - timedelta(days=30)}
    assert "Proposal A" in await room.told(EVE, f"/move {room.legal()}", **long_ago)
    assert "Proposal" in await room.told(DAN, f"/move {room.legal()}", plain=True)  # the room of the console


async def test_people_elsewhere_have_no_say() -> None:
    room = await playing()
    await room.say(ANN, "/move a2-a3")
    assert "no move to make" in await room.told(DAN, f"/vote #{room.match.id} a", where=HALL)
    assert (await room.say(DAN, "/vote a", where=HALL))[0].refused


async def test_who_is_kept_out_has_no_say() -> None:
    room = await playing()
    await room.say(ANN, "/exclude bob", admin=True)
    before = await room.council()
    assert (await room.say(BOB, "/move a2-a3"))[0].refused
    assert await room.council() == before


async def test_a_letter_of_an_old_board_is_not_a_vote_for_another_move() -> None:
    room = await playing(turns=1)
    before = room.match
    await room.say(BOB, f"/move {room.legal()}")
    await room.wait(hours=25)
    await room.answered()
    await room.say(ANN, f"/move {room.legal()}", "/vote now")
    [said] = await room.press(BOB, Verb.BALLOT, "A", before)
    assert said.refused
    assert not (await room.council()).turn.votes  # type: ignore[union-attr]


async def test_the_captain_resigns_once_sure() -> None:
    room = await playing(turns=1)
    [asked] = await room.say(ANN, "/resign")
    [sure] = asked.view.buttons
    assert (await room.world.desk.press(room.visitor(BOB), sure.data))[0].refused
    await room.world.desk.press(room.visitor(ANN), sure.data)
    assert room.match.phase is Phase.OVER


async def test_an_admin_names_a_captain_for_one_who_left() -> None:
    room = await playing()
    assert "The captain is cem now." in await room.told(BOB, "/vote captain cem", admin=True)
    assert "Only cem, the captain," in await room.told(ANN, "/draw")


async def test_a_captain_of_one_match_has_no_say_in_another() -> None:
    room = await playing()
    first = room.match
    await room.say(BOB, BEGINS)
    assert "Only ann, the captain" in await room.told(BOB, f"/resign #{first.id} yes")
    await room.say(BOB, f"/resign #{room.match.id} yes")
    assert [match.phase for match in room.world.store.matches.stored.values()] == [Phase.PLAYING, Phase.OVER]


async def test_of_two_matches_a_vote_asks_which() -> None:
    room = await playing()
    first = room.match
    await room.say(ANN, BEGINS, f"/move #{first.id} a2-a3")
    [asked] = await room.say(BOB, "/vote a", buttons=True)
    assert len(asked.view.buttons) == 2
    assert "The vote has not begun" in await room.told(BOB, f"/vote #{first.id} a")


async def test_own_matches_come_first_then_those_of_the_place() -> None:
    room = await playing()
    own = await room.world.begin("breakthrough", {"board": "5x5"}, people=(CEM, DAN))
    await room.say(CEM, "/move a2-a3")
    assert len(room.world.store.matches.stored[own.id].log) == 1
    assert "Proposal A: b2-b3" in await room.told(CEM, "/move b2-b3")  # in theirs it is Dan's turn


async def test_against_a_person_of_the_place() -> None:
    room = await playing("/challenge bob channel breakthrough 5x5 side:first")
    await room.say(BOB, "/accept")
    [board] = await room.voted(who=CEM)
    assert "Move" in keys(board.view)  # Bob's
    await room.act(BOB, MakeMove(room.legal()))
    await room.say(CEM, f"/move {room.legal()}")
    await room.act(BOB, OfferDraw())
    assert "Only ann, the captain" in await room.told(CEM, "/draw yes")
    assert "Proposal B" in await room.told(CEM, "/move e2-e3")  # the talk goes on
    [offered] = await room.press(ANN, Verb.YES, Ask.DRAW.value)
    assert room.match.phase is Phase.OVER
    assert "The channel played 1 turn. Proposed by: cem 1." in offered.view.after


async def test_a_turn_that_is_taken_back_is_talked_about_again() -> None:
    room = await playing("/challenge bob channel breakthrough 5x5 side:first")
    await room.say(BOB, "/accept")
    await room.voted("a2-a3")
    assert "Only ann, the captain" in await room.told(CEM, "/takeback")
    await room.act(BOB, MakeMove("c4-c3"))
    await room.say(ANN, "/takeback")
    await room.act(BOB, Answer(Ask.TAKEBACK, True))
    council = await room.council()
    assert (room.turns, council.played) == ([], ())
    assert council.turn is not None
    assert council.turn.proposals == ()
    await room.voted("b2-b3")
    assert room.turns == ["b2-b3"]


async def test_a_pause_takes_nothing_of_the_talk() -> None:
    room = await playing("/challenge bob channel breakthrough 5x5 side:first clock:1d")
    await room.say(BOB, "/accept")
    await room.say(CEM, "/move a2-a3")
    await room.act(BOB, AskPause())
    await room.say(ANN, "/pause yes")
    assert room.match.paused
    await room.wait(days=3)
    await room.act(BOB, Resume())
    await room.wait(hours=1)
    council = await room.council()
    assert council.turn is not None
    assert council.turn.stage(room.world.now) is Stage.TALK
    assert [each.turn for each in council.turn.proposals] == ["a2-a3"]
    await room.wait(hours=23)
    assert room.turns == ["a2-a3"]  # before the flag falls


async def test_a_member_has_the_place_play_again_and_leads_it() -> None:
    room = await playing()
    first = room.match
    await room.say(ANN, "/resign yes")
    await room.press(CEM, Verb.REMATCH, "same", first)
    assert room.match.rematch_of == first.id
    assert (await room.council()).captain.name == "cem"


async def test_who_opens_a_match_leads_it_whatever_others_ask_meanwhile() -> None:
    room = await playing("/challenge bob channel breakthrough 5x5 side:first")
    await room.say(CEM, BEGINS)
    first = next(iter(room.world.store.matches.stored.values()))
    await room.act(BOB, Join(), first)
    assert (await room.councils.present(await room.world.table.get(first.id), PLACE)).captain.name == "ann"


async def test_a_challenge_without_a_game_asks_in_the_name_of_the_place() -> None:
    room = Channel()
    [asked] = await room.say(ANN, "/challenge channel relay", buttons=True)
    assert "against the computer" in asked.view.lines[0]
    game = next(each for each in asked.view.buttons if each.label == "L-game")
    await room.world.desk.press(room.visitor(BOB, buttons=True), game.data)
    assert (room.match.game, [is_engine(each) for each in room.match.people()]) == ("lgame", [False, True])
    assert (await room.council()).relay


async def test_forty_votes_make_few_edits(monkeypatch: pytest.MonkeyPatch) -> None:
    room = await playing()
    await room.say(ANN, "/move a2-a3", "/vote now")
    await room.wait(seconds=2)
    shown, announce = list[object](), room.world.store.matches.announce

    async def counted(fact: Any) -> None:
        shown.append(fact)
        await announce(fact)

    monkeypatch.setattr(room.world.store.matches, "announce", counted)
    for number in range(40):  # in a minute
        await room.say(Player(Account("console", f"p{number}"), f"p{number}"), "/vote a")
        await room.wait(seconds=1.5)
    assert len((await room.council()).turn.votes) == 40  # type: ignore[union-attr]
    assert len(shown) <= 7


async def test_the_table_says_how_often_the_engine_agreed_once_it_was_asked() -> None:
    room = await playing(turns=2)
    await room.say(ANN, "/resign yes")
    await Councils.note(room.world.store, room.match, PLACE, (1, 2, room.turns[0]))
    told = await room.told(BOB, "/vote table")
    assert "The engine would have played 1 of the 2 turns." in told
    assert f"The best find: {room.turns[0]} (ann)." in told


async def test_a_match_that_nobody_plays_any_more_is_ended_by_the_captain() -> None:
    room = await playing("/challenge bob channel breakthrough 5x5 side:first")
    await room.say(BOB, "/accept")
    await room.voted()
    room.world.now += timedelta(days=8)
    assert "Only ann, the captain" in await room.told(CEM, "/end")
    await room.say(ANN, "/end")
    assert room.match.phase is Phase.OVER


async def test_a_challenge_to_the_place_is_accepted_by_anyone_there() -> None:
    room = Channel()
    made = Challenge(HALL, "breakthrough", {"board": "5x5"}, opponents=[US], also=[ROOM])
    invited = (await room.world.table.open(made, Request(DAN, room.world.now))).match
    await room.press(CEM, Verb.ACCEPT, match=invited)
    assert room.match.phase is Phase.PLAYING
    assert (await room.council()).captain.name == "cem"


async def test_a_place_that_proposes_nothing_resigns_the_second_time() -> None:
    room = await playing()
    [board] = await room.wait(hours=25)
    assert "so the computer moved" in board.view.lines[0]
    await room.answered()
    [over] = await room.wait(hours=25)
    assert room.match.phase is Phase.OVER
    assert "Nobody here had proposed a move, twice in a row." in over.view.after


async def test_in_a_relay_the_actions_of_a_turn_are_shared() -> None:
    room = await playing("/challenge engine:1 channel:relay klopodavka 6x6 side:first")
    await room.say(BOB, "/vote in")
    movers = []
    while room.world.table.position(room.match).to_move in room.match.seats_of(PLACE):
        runner = (await room.council()).runner()
        assert runner is not None
        mover, other = (ANN, BOB) if runner.name == "ann" else (BOB, ANN)
        move = room.legal().split()[0]
        assert f"It is {mover.name}’s turn" in await room.told(other, f"/move {move}")
        await room.say(mover, f"/move {move}")
        movers.append(mover.name)
    assert abs(movers.count("ann") - movers.count("bob")) <= 1
    assert [each.by.name for each in (await room.council()).played] == movers


async def test_a_relay_skips_who_does_not_move() -> None:
    room = await playing("/challenge engine:1 channel:relay breakthrough 5x5 side:first")
    await room.say(BOB, "/vote in")
    first = (await room.council()).runner()
    await room.wait(hours=37)
    second = (await room.council()).runner()
    assert first is not None
    assert second is not None
    assert {first.name, second.name} == {"ann", "bob"}
    assert "nobody votes" in await room.told(ANN, "/vote a")
    await room.wait(hours=37)
    council = await room.council()
    assert [each.why for each in council.played] == [Why.ENGINE]


async def test_a_place_has_one_of_three_seats() -> None:
    room = await playing("/new klopodavka players:3 channel")
    for who in (BOB, CEM):
        await room.say(who, f"/join #{room.match.id}")
    await room.press(ANN, Verb.START)
    assert room.match.phase is Phase.PLAYING
    for _ in range(6):
        mover = room.match.player(room.world.table.position(room.match).to_move)
        if mover.account == PLACE:
            await room.voted()
        else:
            await room.act(mover, MakeMove(room.legal()))
    assert len((await room.council()).played) == 2


@pytest.mark.parametrize(("game", "chosen"), SETTINGS, ids=str)
async def test_any_game_is_played_to_its_end(game: str, chosen: Mapping[str, str]) -> None:
    room = Channel()
    seats = room.world.table.games[game].seats(room.world.table.games[game].choose(chosen))
    lobby = Lobby(ROOM, game, chosen)
    opened = (await room.world.table.open(lobby, Request(US, room.world.now))).match
    people = (BOB, CEM, DAN)[: seats - 1]
    for who in people:
        await room.act(who, Join(), opened)
    if room.match.phase is Phase.OPEN:
        await room.press(ANN, Verb.START)
    for _ in range(60):
        if not room.match.live:
            break
        mover = room.match.player(room.world.table.position(room.match).to_move)
        if mover.account == PLACE:
            played = len(room.match.log)
            await room.voted()
            assert len(room.match.log) > played
        else:
            await room.act(mover, MakeMove(room.legal()))
    assert {each.why for each in (await room.council()).played} == {Why.FIRST}


async def test_two_processes_play_a_turn_once() -> None:
    room = await playing()
    await room.say(ANN, "/move a2-a3")
    room.world.now += timedelta(hours=25)
    other = Councils(room.world.desk._services)
    decided = room.match
    council = await room.council()
    await room.councils._look(decided.id, PLACE, room.world.now)
    assert (await room.council()).turn is None
    played = replace(council.turn, chosen="a2-a3") if council.turn else None
    assert played is not None
    await other._play(decided, PLACE, council, played)  # it had decided the same
    assert room.turns == ["a2-a3"]


async def test_a_process_that_ends_after_it_decided_leaves_the_turn_to_be_played(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    room = await playing()
    await room.say(ANN, "/move a2-a3")
    with monkeypatch.context() as patched:
        patched.setattr(Councils, "_play", _ends)
        with pytest.raises(SystemError):
            await room.wait(hours=25)
    assert "decided already" in await room.told(ANN, "/move b2-b3")
    await room.wait(seconds=2)
    assert room.turns == ["a2-a3"]


async def _ends(*_: object) -> None:
    raise SystemError


async def test_a_match_that_has_just_changed_is_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    room = await playing()
    await room.say(ANN, "/move a2-a3")
    before = room.match
    await room.act(next(p for p in before.players() if is_engine(p.account)), OfferDraw())
    stale = Deliberated(before, ROOM)
    announce = room.world.store.matches.announce

    async def announced(_fact: object) -> None:
        await announce(stale)

    with monkeypatch.context() as patched:
        patched.setattr(room.world.store.matches, "announce", announced)
        await room.wait(hours=1)
    await room.wait(hours=24)
    assert room.turns == ["a2-a3"]


async def test_nothing_is_asked_of_the_store_where_nothing_is_due(monkeypatch: pytest.MonkeyPatch) -> None:
    room = await playing()
    await room.wait(minutes=1)
    read, timelines = list[str](), room.world.store.timelines
    original = timelines.read

    async def counted(name: str, **more: Any) -> Sequence[str]:
        read.append(name)
        return await original(name, **more)

    monkeypatch.setattr(timelines, "read", counted)
    monkeypatch.setattr(timelines, "cut", _ends)
    monkeypatch.setattr(room.world.store.notes, "read", _ends)
    await room.wait(seconds=2)
    assert [name for name in read if name != "adjudication"] == ["councils"]  # that is another's


async def test_a_shared_match_file_does_not_tell_which_chat_played() -> None:
    room = await playing(turns=1)
    written = matchfile.export(room.match, own=())
    assert "channel" not in written.replace('"#room"', "")
    assert ROOM.place not in written.replace('"#room"', "")


async def test_no_hint_and_no_question_for_a_proposal() -> None:
    room = await playing()
    assert (await room.say(ANN, "/hint"))[0].refused
    [said] = await room.say(ANN, f"/move {room.legal()}")
    assert not said.view.buttons


async def test_a_person_who_is_forgotten_is_named_no_more() -> None:
    room = await playing("/challenge engine:1 channel:relay breakthrough 5x5 side:first", turns=1)
    await room.say(ANN, "/vote remind:on")
    await forget(room.world.store, ANN.account, ())
    assert await room.world.store.timelines.read(f"reminded:{ROOM}") == []
    assert "ann" not in str(await room.council())
    await room.wait(hours=40)  # nobody is left who could be drawn
    assert [each.why for each in (await room.council()).played] == [Why.RELAY, Why.ENGINE]


@pytest.mark.parametrize(
    ("language", "line", "expected"),
    [
        ("uk", "/голос вето а", "Вето накладено"),
        ("uk", "/голос зараз", "Голосування почалося"),
        ("ru", "/голос таблица", "Канал сделал 1 ход"),
        ("ru", "/vote сейчас", "Голосование началось"),
    ],
)
async def test_words_are_those_of_the_language(language: str, line: str, expected: str) -> None:
    room = Channel(language)
    await room.say(ANN, BEGINS)
    await room.voted(who=BOB)
    await room.answered()
    await room.say(BOB, f"/move {room.legal()}")
    assert expected in await room.told(ANN, line)
