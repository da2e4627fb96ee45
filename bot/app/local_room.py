"""The local room: the bot without any platform, for the person at the terminal."""

from __future__ import annotations

import asyncio
import getpass
import os
import shutil
import sys
import webbrowser
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

from bot.app.roles import make_sender, periodic_parts
from bot.app.supervisor import Part, Supervisor
from bot.chat.i18n import words as words_for
from bot.chat.page_links import make_link
from bot.chat.registry import FORGOTTEN
from bot.features.commands import REGISTRY
from bot.platforms.console.integration import PLATFORM, RoomSettings, place
from bot.platforms.console.rendering import WIDTH, OutboxDrain, RoomCourier, player_named
from bot.platforms.console.room import Room, Screen, at_terminal, forget_lines, read_terminal
from bot.platforms.platform import PlatformServices, WebServer
from engine.native import building, wanted
from play.people import Account, Player
from rules import GAMES

ENGINES_ANSWER = 30.0  # seconds that the local room waits for an engine before it reads the next line
_PAGE_WAIT = 5.0  # seconds that the local room waits for the page before it prints its address


async def local_room(services: PlatformServices, behind: Sequence[Part], page: WebServer | None) -> None:
    """Serve the person at the terminal, with the other parts behind it, until they leave."""
    config, words = services.config.of(RoomSettings), words_for(services.language)
    piped = not at_terminal()
    speaker = player_named(_user()) or Player(Account(PLATFORM, "guest"), "guest")
    width = WIDTH if piped else min(WIDTH, shutil.get_terminal_size().columns)
    room = Room(
        services.desk,
        services.store,
        name=config.room,
        speaker=speaker,
        language=services.language,
        screen=Screen(_write, config.board, piped, width),
    )
    couriers = [RoomCourier(place(config.room), room.show)]
    sender = make_sender(services, couriers)
    try:
        drain = OutboxDrain(sender)
        FORGOTTEN(partial(forget_lines, config.data / "history"))
        _write(words("bot.console.welcome", room=config.room, name=speaker.name))
        if page is None and not piped:
            _write(words("bot.console.browser"))
        if wanted() and building():
            _write(words("bot.console.building"))
        completions = [*(f"/{name}" for name in REGISTRY.handlers), "/as", "/quit", *GAMES]
        behind = [Part("the sender", drain.run), *periodic_parts(services, couriers), *behind]
        async with Supervisor().behind(behind):
            if page and config.page_url is not None:
                with suppress(TimeoutError):  # then the log says why
                    await asyncio.wait_for(page.listening.wait(), _PAGE_WAIT)
                url = await make_link(services.store.notes, config.page_url, speaker, "", services.language)
                _write(words("bot.console.page", url=url))
                if not piped and _has_screen():
                    await asyncio.to_thread(webbrowser.open, url)
            async for line in read_terminal(
                config.room, config.data / "history", completions, room.completions
            ):
                await room.answer(line)
                await drain.drain()
                while services.seats and await services.seats.settled(ENGINES_ANSWER):
                    await drain.drain()
    finally:
        await sender.close()


def _has_screen() -> bool:
    """Whether a browser with a window can be opened; without a screen, one in the terminal would take the room's place."""
    return sys.platform in ("darwin", "win32") or bool(
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "guest"


def _write(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
