"""Engines at the table, hints, people who want to be forgotten, and admins who end a match."""

from __future__ import annotations

import pytest

from bot.thinking import Thinker
from bot.thinking.seats import Seats
from play.match import Ply
from storage import MemoryStore
from tests.bot.on_discord.playing import begun, latest, public
from tests.bot.thinking.helpers import Inline
from tests.platforms.discord.harness import DiscordHarness
from tests.platforms.discord.people import CannotDo


async def test_an_engine_is_seen_thinking_and_then_calls_the_next_player(home: DiscordHarness) -> None:
    ann = home.person("ann")
    await ann.types("challenge", game="breakthrough", options="board:5x5", engine="2", side="second")
    board = latest(ann)
    assert board.content.endswith("Klop, level 2 is thinking…")
    assert not board.pings
    engines = Seats(home.table, home.store, Thinker(Inline()), lambda: home.now, sleep=home._pass)
    (match,) = home.matches.values()
    assert engines.look(match)
    for _ in range(5):  # a turn of one ply needs one
        if not await engines.settled(20):
            break
    await home.settle()
    (match,) = home.matches.values()
    assert [type(entry) for entry in match.log] == [Ply]
    assert "thinking" not in board.content
    assert latest(ann).content.endswith("Turn: Ann")
    assert latest(ann).pings == (ann.user.id,)
    await engines.close()


async def test_a_hint_is_private_first_its_idea_then_the_turn() -> None:
    async with DiscordHarness(thinker=Thinker(Inline())) as home:
        ann, bob = await begun(home, "lgame", "")
        seen = len(public(ann))
        await ann.presses(latest(ann), "Hint")
        idea = ann.private()[-1]
        assert "Hint: " in idea.content
        assert idea.files["board.png"]
        assert not bob.private()
        await ann.presses(idea, "Show the move")
        turn = ann.private()[-1]
        assert "L " in turn.content
        (play,) = [each["label"] for each in turn.pressed() if (each.get("label") or "").startswith("Play ")]
        await ann.presses(turn, play)
        (match,) = home.matches.values()
        assert len(match.log) == 1
        assert len(public(ann)) == seen + 1
        await ann.types("hint")
        assert "whose turn it is" in ann.private()[-1].content


async def test_who_wants_to_be_forgotten_is(home: DiscordHarness) -> None:
    ann, bob = await begun(home)
    await ann.types("settings", theme="dark")
    await ann.types("forgetme")
    (match,) = home.matches.values()
    assert match.live
    await ann.presses(ann.private()[-1], 0)
    (match,) = home.matches.values()
    assert not match.live
    assert str(ann.user.id) not in repr(match)
    assert {chair.player.name for chair in match.chairs if chair.player} >= {"Bob"}
    assert isinstance(home.store, MemoryStore)
    chosen = home.store.settings._settings
    assert not [each for each in chosen if getattr(each, "uid", "") == str(ann.user.id)]
    await bob.types("board", match=match.id)
    assert "Ann" not in bob.private()[-1].content


async def test_an_administrator_ends_a_match_where_that_was_chosen(home: DiscordHarness) -> None:
    ann, _ = await begun(home)
    board = latest(ann)
    with pytest.raises(CannotDo):  # it is not offered to her
        await ann.types("end")
    eve = home.person("eve")
    home.guild.admins.add(eve.user.id)
    await eve.types("end")
    assert "players alone" in eve.private()[-1].content
    await eve.types("config", end="admins")
    await eve.types("end")
    (match,) = home.matches.values()
    assert not match.live
    assert not board.pressed()
    assert "somebody who runs this chat" in latest(ann).content
