"""`python -m bot`: read the configuration, and put the bot together."""

from __future__ import annotations

import argparse
import asyncio
import gc
import getpass
import io
import os
import shutil
import signal
import socket
import sys
import webbrowser
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from bot.admin import administer
from bot.admin.commands import HELP, WITH_FILE
from bot.clockwork import Clockwork, StoreClock
from bot.commands import REGISTRY
from bot.config import Config, ConfigError, read_config
from bot.desk.hooks import FORGOTTEN
from bot.desk.page_links import make_link
from bot.events.adjudication import Adjudicator
from bot.events.following import EventMatches
from bot.i18n import pick
from bot.i18n import words as words_for
from bot.identity.posting import LinkPoster
from bot.logs import configure
from bot.on_console.courier import OutboxDrain, RoomCourier
from bot.on_console.line_parser import PLATFORM, place, player_named
from bot.on_console.rendering import WIDTH
from bot.on_console.room import Room, Screen
from bot.on_console.terminal import at_terminal, forget_lines, read_terminal
from bot.page.server import PageServer
from bot.platform import CannotConnect, Platform, Services
from bot.publishing import HELP as PUBLISHING
from bot.publishing import PUBLISH, publish
from bot.puzzles.daily import DailyPoster
from bot.ratings.counting import Counts
from bot.roles import assemble, close, page_server, parts, run_engine, run_page, searching, watching
from bot.seeking.pairing import Pairing
from bot.sender import Sender
from bot.sender.delivery import Delivery
from bot.sender.notices import NextTurnNotices
from bot.sender.ports import Courier
from bot.supervisor import Part, Supervisor
from bot.thinking.engine_programs import EngineProgram
from bot.thinking.pool import Pool
from bot.thinking.seats import Seats
from bot.version import version
from play.errors import Unavailable
from play.people import Account, Player
from rules import GAMES
from storage import StorageError, open_store
from storage.maintenance.archiving import Archiver
from storage.maintenance.rewriting import Rewrites

ENGINES_ANSWER = 30.0  # seconds that the local room waits for an engine before it reads the next line
_PAGE_WAIT = 5.0  # seconds that the local room waits for the page before it prints its address


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the bot; return the exit status: 0, or 2 if it cannot run with its configuration."""
    options = _read(arguments)
    command, file = options.__dict__.pop("command"), options.__dict__.pop("file", None)
    if options.__dict__.pop("version"):
        _write(f"klop {version()}")
        return 0
    chosen = {key: value for key, value in vars(options).items() if value is not None}
    try:
        config = read_config(**chosen)
    except ConfigError as error:
        words = words_for(pick(chosen.get("language"), os.environ.get("KLOP_LANGUAGE")))
        for problem in error.problems:
            key = "bot.setting.one-of" if problem.offered else "bot.setting.bad"
            sys.stderr.write(words(key, name=problem.name, offered=problem.offered) + "\n")
        return 2
    configure(config.log, config.secrets)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without emoji shows question marks instead
    try:
        if command:
            done = (
                publish(config, _write) if command == PUBLISH else administer(command, config, _write, file)
            )
            return asyncio.run(done)
        gc.freeze()  # what is loaded stays: to look through it for garbage takes 60 ms
        asyncio.run(_until_stopped(_role(config)))
    except (StorageError, CannotConnect, Unavailable) as error:
        words = words_for(config.language)
        sys.stderr.write(words(error.reason, **error.fields) + "\n")
        return 2
    except BrokenPipeError:  # the reader of standard output has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        sys.stdout.write("\n")
    return 0


async def _until_stopped(running: Coroutine[Any, Any, None]) -> None:
    """Run until done, or until SIGTERM: then all is closed in order."""
    task = asyncio.ensure_future(running)
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    with suppress(asyncio.CancelledError):
        await task


def _read(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="klop", description="Runs the bot; see .env.example for all config."
    )
    parser.set_defaults(command=None)
    parser.add_argument("--version", action="store_true", help="print the version and the commit")
    parser.add_argument("--data", type=Path, help="the data directory (KLOP_DATA)")
    parser.add_argument(
        "--role",
        choices=("bot", "engine", "page"),
        help="the bot, or for bots of this store only searches, or only the board page (KLOP_ROLE)",
    )
    parser.add_argument("--room", help="the local room's name (KLOP_ROOM)")
    parser.add_argument(
        "--board", choices=("emoji", "ascii"), help="how boards look in the local room (KLOP_BOARD)"
    )
    parser.add_argument(
        "--language", choices=("uk", "ru", "en"), help="the language to begin with (KLOP_LANGUAGE)"
    )
    parser.add_argument(
        "--page", action="store_true", help="open the local room in the browser, on this machine alone"
    )
    commands = parser.add_subparsers(title="for operators", dest="command", metavar="COMMAND")
    for name, what in {**HELP, **PUBLISHING}.items():
        command = commands.add_parser(name, help=what, description=what)
        if name in WITH_FILE:
            command.add_argument("file", type=Path, metavar="FILE")
    options = parser.parse_args(arguments)
    if options.__dict__.pop("page"):
        listen = f"127.0.0.1:{_free_port()}"
        options.page_url, options.page_listen = f"http://{listen}", listen
    return options


def _role(config: Config) -> Coroutine[Any, Any, None]:
    """Return what this process is to do."""
    match config.role:
        case "engine":
            return run_engine(config)
        case "page":
            return run_page(config, place(config.room))
        case _:
            return _run(config)


async def _run(config: Config) -> None:
    """Open the store, and serve the platforms that have tokens; without any, the local room."""
    # The platforms' libraries take as long to load as the embedded server takes to read thousands of matches.
    loading = asyncio.create_task(asyncio.to_thread(_adapters, config))
    async with open_store(config.store_url, config.data, config.archive_folder) as store:
        clock, pool = StoreClock(), Pool(config.workers or None, config.worker_memory)
        thinker = searching(config, store, pool)
        services = assemble(config, store, clock, thinker)
        clockwork = Clockwork(services.table, store, clock=clock)
        await clockwork.beat()
        programs = {name: EngineProgram(name, command) for name, command in (config.engines or {}).items()}
        seats = Seats(services.table, store, thinker, clock, programs=programs) if thinker else None
        services = replace(services, seats=seats)
        page = page_server(services, place(config.room))
        behind = [
            Part("the clockwork", clockwork.run),
            Part("rewriting the append-only file", Rewrites(store).run),
            *([Part("the archive", Archiver(store).run)] if store.archive else []),
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


def _free_port(wanted: int = 8082) -> int:
    """Return a port of this machine to listen on: the wanted one, if it is free."""
    for port in (wanted, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            with suppress(OSError):
                probe.bind(("127.0.0.1", port))
                return int(probe.getsockname()[1])
    return wanted


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


if __name__ == "__main__":
    sys.exit(main())
