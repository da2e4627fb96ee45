"""Engines at the table, hints, people who want to be forgotten, and admins who end a match."""

from __future__ import annotations

from bot.thinking import Thinker
from tests.bot.on_discord.playing import begun, latest, public
from tests.bot.thinking.helpers import Inline
from tests.platforms.discord.harness import DiscordHarness


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
