"""What a process loads before it serves: nothing that its role or command does not need."""

from __future__ import annotations

import subprocess
import sys
from typing import Final

import pytest

from bot.chat.i18n.catalogue import ROOT
from rules import GAMES
from tests.bot.process import environment

_PLATFORMS: Final = {
    "discord",
    "telegram",
    "prompt_toolkit",
    "bot.platforms.discord.adapter",
    "bot.platforms.telegram.adapter",
}
_SPECIALISTS: Final = {f"engine.{game}" for game in GAMES}
_SERVED: Final = {
    "aiohttp",
    "redis",
    "PIL",
    "pebble",
    "storage",
    "bot.features.commands",
    "bot.platforms.page.server",
}


def loaded(modules: str) -> set[str]:
    """Return the names of all modules that a process has after it has imported some."""
    done = subprocess.run(
        [sys.executable, "-c", f"import {modules}, sys; print(*sys.modules)"],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    return set(done.stdout.split())


@pytest.mark.parametrize(
    ("modules", "spared"),
    [
        (
            "bot.app.local_room, bot.app.roles",
            _PLATFORMS | _SPECIALISTS | {"prometheus_client", "bot.app.admin"},
        ),
        ("bot.app.command_line", _PLATFORMS | _SPECIALISTS | _SERVED),
        ("bot.app.healthcheck", (_PLATFORMS | _SPECIALISTS | _SERVED) - {"aiohttp"}),
    ],
)
def test_what_is_not_needed_is_not_loaded(modules: str, spared: set[str]) -> None:
    names = loaded(modules)
    assert modules.split(", ", maxsplit=1)[0] in names
    assert not spared & names
