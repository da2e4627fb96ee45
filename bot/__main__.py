"""`python -m bot`: wires everything, and is the one module that knows all others."""

from __future__ import annotations

import argparse
import asyncio
import getpass
import io
import os
import shutil
import signal
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

from bot.admin import administer
from bot.admin.commands import HELP, WITH_FILE
from bot.clockwork import Clockwork, StoreClock
from bot.config import Config, ConfigError, read_config
from bot.desk.commands import REGISTRY
from bot.desk.context import Resources
from bot.desk.desk import Desk
from bot.i18n import pick
from bot.i18n import words as words_for
from bot.logs import configure
from bot.on_console.courier import RoomCourier
from bot.on_console.draining import OutboxDrain
from bot.on_console.line_parser import PLATFORM, place, somebody
from bot.on_console.rendering import WIDTH
from bot.on_console.room import Room
from bot.on_console.terminal import at_terminal, typed
from bot.pictures import Pictures
from bot.platform import CannotConnect, Platform, Services
from bot.puzzles.daily import Dailies
from bot.ratings.counting import Counts
from bot.sender import Sender
from bot.sender.composer import Composer
from bot.sender.delivery import Delivery
from bot.sender.notices import Hearers, NextTurnNotices
from bot.sender.ports import Courier
from bot.thinking import Thinker
from bot.thinking.engine_programs import EngineProgram
from bot.thinking.pool import Pool
from bot.thinking.remote import RemoteSolver, RemoteWorker
from bot.thinking.seats import Seats
from play.chance import SystemChance
from play.people import Account, Player
from play.table import Table
from rules import GAMES
from storage import RedisStore, StorageError, open_store

Running: TypeAlias = Callable[[], Coroutine[Any, Any, None]]
"""Something that runs until it is cancelled."""

ENGINES_ANSWER = 30.0
"""Seconds that the local room waits for an engine before it hears the next line."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the bot.

    Returns:
        The exit status: 0, or 2 for settings it cannot run with.
    """
    options = _read(arguments)
    command, file = options.__dict__.pop("command"), options.__dict__.pop("file", None)
    chosen = {key: value for key, value in vars(options).items() if value is not None}
    try:
        settings = read_config(**chosen)
    except ConfigError as error:
        words = words_for(pick(chosen.get("language"), os.environ.get("KLOP_LANGUAGE")))
        for problem in error.problems:
            key = "bot.setting.one-of" if problem.offered else "bot.setting.bad"
            sys.stderr.write(words(key, name=problem.name, offered=problem.offered) + "\n")
        return 2
    configure(settings.log, _secrets(settings))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without emoji shows question marks instead
    try:
        if command:
            return asyncio.run(administer(command, settings, _write, file))
        asyncio.run(_until_told(_engine(settings) if settings.role == "engine" else _run(settings)))
    except (StorageError, CannotConnect) as error:
        words = words_for(settings.language)
        sys.stderr.write(words(error.reason, **error.fields) + "\n")
        return 2
    except BrokenPipeError:  # whoever read what is printed has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        sys.stdout.write("\n")
    return 0


async def _until_told(running: Coroutine[Any, Any, None]) -> None:
    """Run until done, or until the process is asked to end: then everything is closed in order."""
    task = asyncio.ensure_future(running)
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    with suppress(asyncio.CancelledError):
        await task


def _secrets(settings: Config) -> list[str]:
    """What must never be seen in a log."""
    held = (
        settings.redis_url,
        settings.discord_token,
        settings.telegram_token,
        settings.telegram_webhook_secret,
    )
    return [secret.get_secret_value() for secret in held if secret]


def _read(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="klop", description="Runs the bot; see .env.example for all settings."
    )
    parser.set_defaults(command=None)
    parser.add_argument("--data", type=Path, help="the data directory (KLOP_DATA)")
    parser.add_argument(
        "--role",
        choices=("bot", "engine"),
        help="the bot, or only searches for bots of this store (KLOP_ROLE)",
    )
    parser.add_argument("--room", help="the local room's name (KLOP_ROOM)")
    parser.add_argument(
        "--board", choices=("emoji", "ascii"), help="how boards look in the local room (KLOP_BOARD)"
    )
    parser.add_argument(
        "--language", choices=("uk", "ru", "en"), help="the language to begin with (KLOP_LANGUAGE)"
    )
    commands = parser.add_subparsers(title="for operators", dest="command", metavar="COMMAND")
    for name, what in HELP.items():
        command = commands.add_parser(name, help=what, description=what)
        if name in WITH_FILE:
            command.add_argument("file", type=Path, metavar="FILE")
    return parser.parse_args(arguments)


async def _run(settings: Config) -> None:
    """Open the store, and serve the platforms that there are tokens for; without any, the local room."""
    url = settings.redis_url.get_secret_value() if settings.redis_url else None
    # The platforms' libraries take as long to load as our own server takes to read thousands of matches.
    loading = asyncio.create_task(asyncio.to_thread(_adapters, settings))
    async with open_store(url, settings.data) as store:
        table = Table(store, GAMES, SystemChance())
        clock = StoreClock()
        clockwork = Clockwork(table, store, clock=clock)
        await clockwork.beat()
        pictures = Pictures()
        thinker = _thinker(settings, store)
        programs = {name: EngineProgram(name, command) for name, command in (settings.engines or {}).items()}
        seats = Seats(table, store, thinker, clock, outside=programs) if thinker else None
        services = Services(
            config=settings,
            table=table,
            store=store,
            desk=Desk(
                Resources(table, store, settings.language, pictures, thinker, frozenset(programs)), clock
            ),
            composer=Composer(table, store, settings.language, clock, hints=thinker is not None),
            now=clock,
            language=settings.language,
            pictures=pictures,
            seats=seats,
            thinker=thinker,
        )
        behind = [clockwork.run, *([seats.run] if seats else [])]
        platforms = [adapter(services) for adapter in await loading]
        try:
            if platforms:
                couriers = [platform.courier for platform in platforms]
                async with _sender(services, couriers) as sender:
                    running = [platform.run() for platform in platforms]
                    daily = _dailies(services, couriers).run()
                    await _together(sender.run(), daily, *(each() for each in behind), *running)
            else:
                await _local_room(services, behind)
        finally:
            pictures.close()
            if seats:
                await seats.close()
            if thinker:
                await thinker.close()


def _thinker(settings: Config, store: RedisStore) -> Thinker | None:
    """What the engines think with: workers here, or elsewhere while there are any; None: there are no engines."""
    if settings.workers == 0 and not settings.workers_elsewhere:
        return None
    here = Pool(settings.workers or None, settings.worker_memory)
    if not settings.workers_elsewhere:
        return Thinker(here)
    return Thinker(RemoteSolver(store.jobs(), here, store.now, settings.workers_elsewhere))


async def _engine(settings: Config) -> None:
    """Do the searches of bots that share the store."""
    url = settings.redis_url.get_secret_value() if settings.redis_url else None
    async with open_store(url, settings.data) as store:
        pool = Pool(settings.workers or None, settings.worker_memory)
        try:
            await RemoteWorker(store.jobs(), pool, store.now).run()
        finally:
            await pool.close()


def _adapters(settings: Config) -> list[Callable[[Services], Platform]]:
    """What connects to the platforms that there are tokens for. Their libraries are not loaded for the others."""
    tokens = {"on_discord": settings.discord_token, "on_telegram": settings.telegram_token}
    return [import_module(f"bot.{name}").Adapter for name, token in tokens.items() if token is not None]


@asynccontextmanager
async def _sender(services: Services, couriers: Sequence[Courier]) -> AsyncIterator[Sender]:
    """Tells everybody what happens."""
    store = services.store
    sender = Sender(
        store.outgoing(),
        store.bucket(),
        services.composer,
        couriers,
        now=store.now,
        also=Hearers(
            Counts(services.table),
            NextTurnNotices(services.table, store),
            *([services.seats] if services.seats else []),
        ),
    )
    try:
        yield sender
    finally:
        await sender.close()


def _dailies(services: Services, couriers: Sequence[Courier]) -> Dailies:
    """Posts the puzzle of the day."""
    store = services.store
    delivery = Delivery(
        store.outgoing(), store.bucket(), services.composer, now=store.now, sleep=asyncio.sleep
    )
    games = services.table.games
    return Dailies(store, games, delivery, couriers, services.language, thinker=services.thinker)


async def _together(*running: Coroutine[Any, Any, None]) -> None:
    """Run until one of them ends or fails; the others are ended then."""
    tasks = [asyncio.create_task(each) for each in running]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _local_room(services: Services, behind: Sequence[Running]) -> None:
    settings, words = services.config, words_for(services.language)
    piped = not at_terminal()
    speaker = somebody(_user()) or Player(Account(PLATFORM, "guest"), "guest")
    room = Room(
        services.desk, services.store, name=settings.room, speaker=speaker, language=services.language, style=settings.board,
        echo=piped, write=_write, width=WIDTH if piped else min(WIDTH, shutil.get_terminal_size().columns),
        told=lambda: _settled(services, teller),
    )  # fmt: skip
    couriers = [RoomCourier(place(settings.room), room.show)]
    async with _sender(services, couriers) as sender:
        teller = OutboxDrain(sender)
        _write(words("bot.console.welcome", room=settings.room, name=speaker.name))
        completions = [*(f"/{name}" for name in REGISTRY.specs), "/as", "/quit", *GAMES]
        async with _behind(teller.run(), _dailies(services, couriers).run(), *(each() for each in behind)):
            async for line in typed(settings.room, settings.data / "history", completions):
                await room.hear(line)


async def _settled(services: Services, teller: OutboxDrain) -> None:
    """Wait until everybody has been told everything, and the engines have answered."""
    await teller.told()
    while services.seats and await services.seats.settled(ENGINES_ANSWER):
        await teller.told()


@asynccontextmanager
async def _behind(*running: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Run something for as long as the context lasts."""
    tasks = [asyncio.create_task(each) for each in running]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "guest"


def _write(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
