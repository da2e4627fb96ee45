"""Engines at the table, hints, people who want to be forgotten, and admins who end a match."""

from __future__ import annotations

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.thinking import Thinker
from bot.chat.thinking.seats import Seats
from tests.bot.on_discord.playing import begun, latest, public
from tests.bot.thinking.helpers import Inline
from tests.platforms.discord.harness import DiscordHarness


async def test_moves_against_an_engine_stay_in_one_message_until_a_command_is_typed_in_the_channel() -> None:
    async with DiscordHarness(thinker=Thinker(Inline())) as home:
        ann = home.person("ann")
        await ann.types(
            "challenge", person=home.discord.bot, game="breakthrough", options="board:4x5 side:first"
        )
        board, engines = latest(ann), Seats(home.table, home.store, Thinker(Inline()), lambda: home.now)
        (match,) = home.matches.values()

        async def answered() -> None:
            assert engines.look(home.matches[match.id])
            while await engines.settled(20):
                pass
            await home.settle()

        await ann.presses(board, "Move")
        revision = home.matches[match.id].revision
        move = CallbackData(Verb.MOVE, match.id, revision, "a2-a3").pack()
        await ann.presses(ann.private()[-1], move, forged=True)
        await answered()
        assert latest(ann).id == board.id
        assert "Ann: a2-a3" in latest(ann).content
        course = home.table.course(home.matches[match.id])
        legal = course.game.notation.format(course.position.legal_moves()[0])
        await ann.types("move", move=legal)
        fresh = latest(ann)
        assert fresh.id > board.id
        await answered()
        assert latest(ann).id == fresh.id
        assert f"Ann: {legal}" in latest(ann).content
        await engines.close()


async def test_a_hint_is_private_first_its_idea_then_the_turn() -> None:
    async with DiscordHarness(thinker=Thinker(Inline())) as home:
        ann, bob = await begun(home, "lgame", "")
        seen = len(public(ann))
        await ann.presses(latest(ann), "More…")
        await ann.presses(ann.private()[-1], "Hint")
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
