"""Matches to begin with."""

from __future__ import annotations

from tests.platforms.discord.harness import DiscordHarness, Settled
from tests.platforms.discord.world import Message


async def begun(
    home: DiscordHarness, game: str = "breakthrough", options: str = "board:5x5", **more: str
) -> tuple[Settled, Settled]:
    """Ann and Bob in the middle of nothing: a match has begun, and Ann is on turn."""
    ann, bob = home.person("ann"), home.person("bob")
    await ann.types("challenge", person=bob.user, game=game, options=options, **more)
    await bob.presses(latest(ann), "Accept")
    return ann, bob


def latest(who: Settled) -> Message:
    """Return the latest public message where a person is."""
    return [each for each in who.sees() if each.only is None][-1]


def public(who: Settled) -> list[Message]:
    """Return all public messages where a person is."""
    return [each for each in who.sees() if each.only is None]
