"""The bot: the platforms that have tokens, or the local room, on one store."""

from __future__ import annotations

import asyncio
import getpass
import os
import shutil
import sys
import webbrowser
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from functools import partial
from importlib import import_module

from bot.clockwork import Clockwork, StoreClock
from bot.commands import REGISTRY
from bot.config import Config
from bot.desk.hooks import FORGOTTEN
from bot.desk.page_links import make_link
from bot.events.adjudication import Adjudicator
from bot.events.following import EventMatches
from bot.i18n import words as words_for
from bot.identity.posting import LinkPoster
from bot.on_console.courier import OutboxDrain, RoomCourier
from bot.on_console.line_parser import PLATFORM, place, player_named
from bot.on_console.rendering import WIDTH
from bot.on_console.room import Room, Screen
from bot.on_console.terminal import at_terminal, forget_lines, read_terminal
from bot.page.server import PageServer
from bot.platform import Platform, Services
from bot.puzzles.daily import DailyPoster
from bot.ratings.counting import Counts
from bot.roles import assemble, close, page_server, parts, searching, watching
from bot.seeking.pairing import Pairing
from bot.sender import Sender
from bot.sender.delivery import Delivery
from bot.sender.notices import NextTurnNotices
from bot.sender.ports import Courier
from bot.supervisor import Part, Supervisor
from bot.thinking.engine_programs import EngineProgram
from bot.thinking.pool import Pool
from bot.thinking.seats import Seats
from play.people import Account, Player
from rules import GAMES
from storage import open_store
from storage.maintenance.rewriting import Rewrites

ENGINES_ANSWER = 30.0  # seconds that the local room waits for an engine before it reads the next line
_PAGE_WAIT = 5.0  # seconds that the local room waits for the page before it prints its address


async def run_bot(config: Config) -> None:
    """Open the store, and serve the platforms that have tokens; without any, the local room."""
    # The platforms' libraries take as long to load as the embedded server takes to read thousands of matches.
    loading = asyncio.create_task(asyncio.to_thread(_adapters, config))
    async with open_store(config.store_url, config.data) as store:
        clock, pool = StoreClock(), Pool(config.workers or None, config.worker_memory)
        thinker = searching(config, store, pool)
        services = assemble(config, store, clock, thinker)
        clockwork = Clockwork(services.table, store, clock=clock)
        await clockwork.beat()
        programs = {name: EngineProgram(name, command) for name, command in (config.engines or {}).items()}
        seats = Seats(services.table, store, thinker, clock, programs=programs) if thinker else None
        services = replace(services, seats=seats)
        page = page_server(services)
        behind = [
            Part("the clockwork", clockwork.run),
            Part("rewriting the append-only file", Rewrites(store).run),
            *([Part("engines at the table", seats.run)] if seats else []),
            *parts(services, pool, page),
        ]
        platforms = [adapter(services) for adapter in await loading]
        behind += watching(config, store, platforms, thinker, announces=True)
        try:
            if platforms:
                couriers = [platform.courier for platform in platforms]
                async with _sender(services, couriers) as sender:
                    alone = len(platforms) == 1
                    await Supervisor().run(
                        [
                            Part("the sender", sender.run),
                            *_posters(services, couriers),
                            *behind,
                            *(_platform(each, needed=alone) for each in platforms),
                        ]
                    )
            else:
                await _local_room(services, behind, page)
        finally:
            await close(services)


def _platform(platform: Platform, *, needed: bool) -> Part:
    remedy = "if it goes on, update Klop and report the traceback; the other platforms are not affected"
    return Part(platform.name, platform.run, remedy, needed)


def _adapters(config: Config) -> list[Callable[[Services], Platform]]:
    """Return the adapters of the platforms that have tokens. The libraries of the others are not loaded."""
    tokens = {"on_discord": config.discord_token, "on_telegram": config.telegram_token}
    return [import_module(f"bot.{name}").Adapter for name, token in tokens.items() if token is not None]


@asynccontextmanager
async def _sender(services: Services, couriers: Sequence[Courier]) -> AsyncIterator[Sender]:
    """Deliver the messages of the outbox."""
    store = services.store
    sender = Sender(
        store.outgoing(),
        store.bucket(),
        services.composer,
        couriers,
        now=store.now,
        also=(
            Counts(services.table, store),
            EventMatches(services.table, store),
            _adjudicator(services),
            NextTurnNotices(services.table, store),
            *([services.seats] if services.seats else []),
        ),
    )
    try:
        yield sender
    finally:
        await sender.close()


def _adjudicator(services: Services) -> Adjudicator:
    """Return what notes and decides the open games of leagues; all that it knows is in the store."""
    return Adjudicator(services.table, services.store, services.thinker)


def _posters(services: Services, couriers: Sequence[Courier]) -> tuple[Part, ...]:
    """Return what works beside the sender: daily puzzles, questions about links, pairs of those who seek, open games of leagues."""
    store = services.store
    delivery = Delivery(
        store.outgoing(), store.bucket(), services.composer, now=store.now, sleep=asyncio.sleep
    )
    games = services.table.games
    daily = DailyPoster(store, games, delivery, couriers, services.language, thinker=services.thinker)
    links = LinkPoster(store, delivery, couriers, services.language)
    pairing = Pairing(services.table, store)
    return (
        Part("puzzles of the day", daily.run),
        Part("questions about links", links.run),
        Part("opponents", pairing.run),
        Part("open games of leagues", _adjudicator(services).run),
    )


async def _local_room(services: Services, behind: Sequence[Part], page: PageServer | None) -> None:
    config, words = services.config, words_for(services.language)
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
    async with _sender(services, couriers) as sender:
        drain = OutboxDrain(sender)
        FORGOTTEN(partial(forget_lines, config.data / "history"))
        _write(words("bot.console.welcome", room=config.room, name=speaker.name))
        completions = [*(f"/{name}" for name in REGISTRY.handlers), "/as", "/quit", *GAMES]
        behind = [Part("the sender", drain.run), *_posters(services, couriers), *behind]
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
                await room.hear(line)
                await _settled(services, drain)


async def _settled(services: Services, drain: OutboxDrain) -> None:
    """Return once all messages are delivered, and the engines have answered."""
    await drain.drain()
    while services.seats and await services.seats.settled(ENGINES_ANSWER):
        await drain.drain()


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
