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
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from bot.admin import administer
from bot.admin.commands import HELP, WITH_FILE
from bot.commands import REGISTRY
from bot.config import Config, ConfigError, read_config
from bot.desk.hooks import FORGOTTEN
from bot.desk.page_links import make_link
from bot.i18n import pick
from bot.i18n import words as words_for
from bot.logs import configure
from bot.on_console.courier import OutboxDrain, RoomCourier
from bot.on_console.line_parser import PLATFORM, place, player_named
from bot.on_console.rendering import WIDTH
from bot.on_console.room import Room, Screen
from bot.on_console.terminal import at_terminal, forget_lines, read_terminal
from bot.page.server import PageServer
from bot.platform import CannotConnect, Services
from bot.publishing import HELP as PUBLISHING
from bot.publishing import PUBLISH, publish
from bot.roles import make_sender, posters, run_engine, run_roles
from bot.supervisor import Part, Stop, Supervisor
from bot.version import version
from play.errors import Unavailable
from play.people import Account, Player
from rules import GAMES
from storage import StorageError

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
            key = "bot.setting.missing" if problem.role else key
            sys.stderr.write(words(key, name=problem.name, offered=problem.offered, role=problem.role) + "\n")
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
        asyncio.run(_until_stopped(config))
    except (StorageError, CannotConnect, Unavailable) as error:
        words = words_for(config.language)
        sys.stderr.write(words(error.reason, **error.fields) + "\n")
        return 2
    except BrokenPipeError:  # the reader of standard output has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        sys.stdout.write("\n")
    return 0


async def _until_stopped(config: Config) -> None:
    """Do what this process is to do until that is done, or until SIGTERM: then all is finished and closed in order."""
    stop = Stop()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop)
    with suppress(asyncio.CancelledError):
        if config.does("engine"):
            await run_engine(config)
        else:
            await run_roles(config, stop, _local_room, place(config.room))


def _read(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="klop", description="Runs the bot; see .env.example for all config."
    )
    parser.set_defaults(command=None)
    parser.add_argument("--version", action="store_true", help="print the version and the commit")
    parser.add_argument("--data", type=Path, help="the data directory (KLOP_DATA)")
    parser.add_argument(
        "--role",
        help="what this process does: all, engine, or some of gateway, webhook, sender and page (KLOP_ROLE)",
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


def _free_port(wanted: int = 8082) -> int:
    """Return a port of this machine to listen on: the wanted one, if it is free."""
    for port in (wanted, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            with suppress(OSError):
                probe.bind(("127.0.0.1", port))
                return int(probe.getsockname()[1])
    return wanted


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
    sender = make_sender(services, couriers)
    try:
        drain = OutboxDrain(sender)
        FORGOTTEN(partial(forget_lines, config.data / "history"))
        _write(words("bot.console.welcome", room=config.room, name=speaker.name))
        completions = [*(f"/{name}" for name in REGISTRY.handlers), "/as", "/quit", *GAMES]
        behind = [Part("the sender", drain.run), *posters(services, couriers), *behind]
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
    finally:
        await sender.close()


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
