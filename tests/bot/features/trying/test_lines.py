"""Lines that a reader tries beside a match: from any turn, for both sides, and the first turn of one played."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import LANGUAGES
from bot.chat.view import Button, Message, SquareButton
from bot.features.trying import lines
from play.actions.leaving import Resign
from play.actions.playing import MakeMove
from play.match import Match
from play.people import Player
from play.request import Request
from play.settings import Settings
from rules import GAMES
from tests.bot.world import ANN, BOB, CEM, ROOM, World
from tests.platforms.discord.harness import DiscordHarness, begun, latest
from tests.platforms.telegram.harness import keys, telegram_bot, words
from tests.support.stores import set_settings


class Reader:
    """A person with the board of a line before them."""

    def __init__(self, world: World, who: Player = ANN) -> None:
        self.world = world
        self.who = who
        self.shown: Message

    async def say(self, line: str) -> Message:
        (self.shown,) = await self.world.say(self.who, line)
        return self.shown

    async def press(self, data: CallbackData | str) -> Message:
        if isinstance(data, str):
            data = self.key(data).data
        (self.shown,) = await self.world.desk.press(self.world.visitor(self.who), data)
        return self.shown

    async def picks(self, *tokens: str) -> None:
        """Pick a ply of one step after another."""
        for at in range(len(tokens)):
            wanted = "/".join(tokens[: at + 1])
            data = next(each for each in self.ways if each.verb is Verb.LINE_PICK and each.argument == wanted)
            await self.press(data)

    def key(self, label: str) -> Button:
        return next(each for each in self.shown.view.buttons if each.label.startswith(label))

    @property
    def labels(self) -> Sequence[str]:
        return [each.label for each in self.shown.view.buttons]

    @property
    def ways(self) -> list[CallbackData]:
        view = self.shown.view
        cells = [cell for row in (view.grid.rows if view.grid else ()) for cell in row]
        keys: list[Button | SquareButton] = [*view.buttons, *cells]
        return [each.data for each in keys if each.data is not None]

    @property
    def text(self) -> str:
        return "\n".join((*self.shown.view.lines, *self.shown.view.after))


async def play(world: World, match: Match, *moves: str) -> Match:
    for move in moves:
        mover = match.player(world.table.position(match).to_move)
        await world.table.act(match.id, MakeMove(move), Request(mover, world.now))
        match = await world.table.get(match.id)
    return match


async def menu(world: World, who: Player, match: Match) -> list[str]:
    more = CallbackData(Verb.MORE, match.id, match.revision)
    (shown,) = await world.desk.press(world.visitor(who), more)
    return [each.label for each in shown.view.buttons]


@pytest.mark.parametrize("who", [ANN, CEM], ids=["player", "spectator"])
async def test_both_sides_are_moved_on_a_board_that_others_do_not_see(who: Player) -> None:
    world = World()
    match = await play(world, await world.begin("breakthrough", {}), "a2-a3", "a7-a6")
    assert "What if…" in await menu(world, who, match)
    reader = Reader(world, who)
    await reader.press(CallbackData(Verb.WHAT_IF, match.id, match.revision))
    assert "from the position now" in reader.text
    await reader.picks("b2", "b3")
    await reader.picks("b7", "b6")
    assert "Tried: b2-b3 / b7-b6" in reader.text
    assert ("Play this: b2-b3" in reader.labels) is (who == ANN)
    await reader.press("Back")
    assert "Tried: b2-b3\n" in reader.text
    await reader.say("/whatif b7-b5")
    assert reader.shown.refused
    assert " · " in reader.text, "moves that would do"
    await reader.say("/якби б7-б6")
    assert "Tried: b2-b3 / b7-b6" in reader.text
    (theirs,) = await world.say(BOB, f"/whatif #{match.id}")
    assert not any("Tried" in line for line in theirs.view.lines), "each has a line of their own"
    assert len((await world.table.get(match.id)).log) == 2


async def test_play_this_is_a_claim_on_the_position_from_which_the_line_began() -> None:
    world = World()
    match = await world.begin("breakthrough", {})
    reader = Reader(world)
    await reader.say("/whatif b2-b3")
    early = reader.key("Play this: b2-b3").data
    assert early.seen == match.revision
    await reader.say("/whatif b7-b6")
    await reader.press("Play this: b2-b3")
    match = await world.table.get(match.id)
    assert [entry.text for entry in match.log] == ["b2-b3"]  # type: ignore[union-attr]
    match = await play(world, match, "a7-a6")
    await reader.say("/whatif")
    assert "Tried" not in reader.text, "a line of an earlier position is not gone on with unasked"
    await reader.say("/whatif 1 a2-a3")
    assert "from turn 1" in reader.text
    assert not [label for label in reader.labels if label.startswith("Play this")]
    await world.desk.press(world.visitor(ANN), early)
    assert len((await world.table.get(match.id)).log) == 2, "an old key plays nothing"
    bob = Reader(world, BOB)
    await bob.say(f"/whatif #{match.id} c2-c3")
    assert not [label for label in bob.labels if label.startswith("Play this")], "it is not their turn"


async def test_a_key_of_a_board_that_has_changed_shows_the_line_as_it_is() -> None:
    world = World()
    early = await world.begin("breakthrough", {})
    reader = Reader(world)
    await reader.say("/whatif")
    stale = next(each for each in reader.ways if each.verb is Verb.LINE_PICK)
    await reader.picks("b2", "b3")
    back, line = reader.key("Back").data, reader.text
    await reader.press(stale)
    assert reader.text == line
    await reader.press(back)
    await reader.press(back)  # delivered again
    assert "Tried" not in reader.text
    await reader.picks("b2", "b3")
    held = CallbackData(Verb.WHAT_IF, early.id, early.revision, "back")
    await reader.press(held)
    assert "Tried: b2-b3\n" in reader.text, "nor a key that is forged"


async def test_a_line_reaches_back_to_every_turn_and_on_to_the_end() -> None:
    world = World()
    match = await play(world, await world.begin("breakthrough", {"board": "4x5"}), "a2-a3", "a4-b3", "c2-b3")
    match = (await world.table.act(match.id, Resign(), Request(ANN, world.now))).match
    reader = Reader(world)
    await reader.press(CallbackData(Verb.WHAT_IF, match.id, match.revision, "3"))
    assert "from turn 3" in reader.text
    await reader.press("From turn 2")
    await reader.press("From turn 1")
    assert not [label for label in reader.labels if label.startswith("From turn")]
    await reader.say("/whatif 4")
    while any(each.verb is Verb.LINE_PICK for each in reader.ways):
        data = [each for each in reader.ways if each.verb is Verb.LINE_PICK]
        await reader.press(data[-1])
    assert " won." in reader.text
    await reader.press("Back")
    assert " won." not in reader.text
    await reader.press("From the beginning")
    assert "Tried" not in reader.text
    await reader.say("/whatif 9")
    assert reader.shown.refused
    assert "turn 3" in reader.text


async def test_a_long_line_goes_no_further(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "LONGEST", 2)
    world = World()
    await world.begin("breakthrough", {})
    reader = Reader(world)
    for move in ("a2-a3", "a7-a6", "b2-b3"):
        await reader.say(f"/whatif {move}")
    assert "2 moves are the most" in reader.text
    assert "b2-b3" not in reader.text
    assert not any(each.verb is Verb.LINE_PICK for each in reader.ways)
    await reader.press(replace(reader.key("Back").data, verb=Verb.LINE_PICK, argument="b2/b3"))
    assert "b2-b3" not in reader.text, "a key that was forged"


async def test_a_typed_move_that_may_be_several_is_asked_back() -> None:
    world = World()
    await world.begin("breakthrough", {})
    reader = Reader(world)
    await reader.say("/whatif b3")
    assert len(reader.labels) > 1, reader.text
    await reader.press(reader.shown.view.buttons[0].data)
    assert "Tried: a2-b3" in reader.text


@pytest.mark.parametrize("game", GAMES)
async def test_each_game_is_played_on_by_its_keys(game: str) -> None:
    world = World()
    await world.begin(game, {})
    reader = Reader(world)
    await reader.say("/whatif")
    for _ in range(20):
        await reader.press(next(each for each in reader.ways if each.verb is Verb.LINE_PICK))
    assert "Tried" in reader.text


@pytest.mark.parametrize("language", LANGUAGES)
async def test_who_plays_a_rated_match_or_one_without_hints_tries_no_moves(language: str) -> None:
    world = World(language)
    rated = await world.begin("breakthrough", {}, rated=True)
    for match in (rated, await world.begin("breakthrough", {})):
        if match is not rated:
            await set_settings(world.store, ROOM, Settings(hints=False, language=language))
        reader = Reader(world)
        assert (await reader.say(f"/whatif #{match.id}")).refused
        labels = await menu(world, ANN, match)
        assert not [each for each in labels if each.endswith("…")]
        assert not (await Reader(world, CEM).say(f"/whatif #{match.id}")).refused
        await world.table.act(match.id, Resign(), Request(BOB, world.now))
        assert not (await reader.say(f"/whatif #{match.id}")).refused


async def test_what_there_is_no_line_in() -> None:
    world = World()
    assert (await Reader(world).say("/whatif")).refused
    said = await world.say(ANN, "/challenge bob breakthrough")
    code = next(each.view.code for each in said if each.view.code)
    assert (await Reader(world).say(f"/whatif #{code}")).refused


async def test_on_telegram_it_is_a_board_in_the_private_chat() -> None:
    async with telegram_bot() as f:
        ann, _, room = await f.begun()
        await f.press(ann, f.board(room), "More…")
        await f.press(ann, f.board(room), "What if…")
        board = f.api.last(ann)
        assert "What if…" in words(board)
        before = len(f.api.shown(ann))
        for _ in range(2):
            pick = next(
                str(key["callback_data"])
                for key in keys(f.api.last(ann))
                if "wk:" in str(key.get("callback_data"))
            )
            await f.tap(ann, f.api.last(ann), pick)
        assert len(f.api.shown(ann)) == before, "all in one message"
        assert "Tried: " in words(f.api.last(ann))
        await f.press(ann, f.api.last(ann), lambda label: label.startswith("Play this"))
        (match,) = f.matches
        assert len(match.log) == 1


async def test_on_discord_it_is_a_board_for_one() -> None:
    async with DiscordHarness() as home:
        ann, bob = await begun(home)
        await ann.presses(latest(ann), "More…")
        await ann.presses(ann.private()[-1], "What if…")
        board = ann.private()[-1]
        assert "What if…" in board.content
        for _ in range(2):
            pick = next(
                str(each["custom_id"])
                for each in ann.private()[-1].pressed()
                if "wk:" in str(each["custom_id"])
            )
            await ann.presses(ann.private()[-1], pick)
        assert "Tried: " in ann.private()[-1].content
        assert not any("Tried" in each.content for each in bob.private())
        play = next(
            str(each["label"]) for each in ann.private()[-1].pressed() if "Play this" in str(each["label"])
        )
        await ann.presses(ann.private()[-1], play)
        assert len(next(iter(home.matches.values())).log) == 1
