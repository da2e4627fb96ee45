"""The command line: read arguments and configuration, and run what they ask for, among it the commands for operators.

What only one role or command needs is imported when that is run: it is most of the time until a process serves.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import io
import os
import signal
import socket
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from bot.app.logs import configure
from bot.app.settings import ConfigError, ignored, read_config
from bot.chat.i18n import Words, words_of
from bot.chat.i18n import words as words_for
from bot.config import CannotRun, Config
from bot.platforms import CHATS
from bot.version import version

if TYPE_CHECKING:
    from bot.app.supervisor import StopSignal
    from play.errors import Unavailable
    from storage import RedisStore
    from storage.errors import StorageError

    _Roles: TypeAlias = Callable[[Config, RedisStore, StopSignal], Awaitable[None]]


HELP: Final[Mapping[str, str]] = {
    "verify": "replay every match and report damage",
    "reindex": "rebuild the lists of people's and chats' matches",
    "healthcheck": "ask the bot that runs here whether it is ready (KLOP_METRICS_LISTEN)",
    "setup": "ask for the tokens, try them, and write .env",
    "systemd": "print a unit for systemd that runs this installation: klop.service, or UNIT, for backups klop-backup.service and klop-backup.timer",
    "doctor": "look at everything the bot needs, and say how to mend what is amiss",
    "replay": "put back what could not be handled and is set aside, as klop doctor shows it: one ID, or all",
    "drop": "delete what is set aside: one ID, or all",
    "backup": "write everything into a new file, or into a folder of backups; the bot may run",
    "restore": "bring a backup, or the newest of a folder, into an empty store",
}
"""Every command for operators, with its help."""

ADMIN: Final = tuple(HELP)

ARGUMENTS: Final[Mapping[str, str]] = {
    "backup": "FILE",
    "restore": "FILE",
    "replay": "ID",
    "drop": "ID",
    "systemd": "[UNIT]",
}
"""The commands with an argument, and what it is; in brackets if it may be left out."""


async def administer(
    command: str, settings: Config, write: Callable[[str], None], argument: str | None = None
) -> int:
    """Run one of `ADMIN`; return the exit status: 0 if all is well, 1 if something needs repair, 2 if the command failed."""
    if command == "healthcheck":  # a container asks every 30 s: not by loading the store and the games
        from bot.app.healthcheck import healthcheck  # noqa: PLC0415

        return await healthcheck(settings.metrics_address, words_for(settings.language), write)
    from bot.app import admin  # noqa: PLC0415 - 300 ms that a bot without these commands does not need

    return await admin.run(command, settings, write, argument)


_PUBLISH: Final = "publish"
_SETTINGS: Final = "settings"
_COMMANDS: Final = {
    **HELP,
    _SETTINGS: "print all settings of .env and of the environment, with what each is for",
    _PUBLISH: f"set the bot's name, descriptions and commands on {' and '.join(chat.name for chat in CHATS)}, in three languages",
}


def run(arguments: Sequence[str] | None = None) -> int:
    """Do what the arguments ask for; return the exit status: 0, or 2 if the configuration does not allow it."""
    options = _read(arguments)
    command, argument = options.__dict__.pop("command"), options.__dict__.pop("argument", None)
    if options.__dict__.pop("version"):
        _write(f"klop {version()}")
        return 0
    if command == _SETTINGS:  # also where the configuration is invalid
        from bot.app.setup import packaged  # noqa: PLC0415 - no other command needs it this early

        _write(packaged(".env.example"))
        return 0
    chosen = {key: value for key, value in vars(options).items() if value is not None}
    try:
        config = read_config(**chosen)
    except ConfigError as error:
        _complain(error, words_of(chosen.get("language"), os.environ.get("KLOP_LANGUAGE")))
        return 2
    configure(config.log, config.secrets)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without emoji shows question marks instead
    try:
        if command:
            gc.enable()
            return asyncio.run(_command(command, config, argument))
        asyncio.run(_serve(config))
    except _refusals() as error:
        words = words_for(config.language)
        sys.stderr.write(words(error.reason, **error.fields) + "\n")
        return 2
    except BrokenPipeError:  # the reader of standard output has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        sys.stdout.write("\n")
    return 0


def _complain(error: ConfigError, words: Words) -> None:
    for problem in error.problems:
        key = "bot.setting.one-of" if problem.offered else "bot.setting.bad"
        key = "bot.setting.missing" if problem.role else key
        key = "bot.setting.bad-line" if problem.line else key
        key = "bot.setting.unreadable" if problem.unreadable else key
        fields = {"name": problem.name, "offered": problem.offered, "role": problem.role}
        sys.stderr.write(words(key, **fields, line=problem.line) + "\n")


async def _serve(config: Config) -> None:
    from bot.app.supervisor import StopSignal  # noqa: PLC0415
    from storage import open_store  # noqa: PLC0415 - 200 ms that no command needs

    for key, fields in ignored():
        sys.stderr.write(words_for(config.language)(key, **fields) + "\n")
    stop = StopSignal()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop)
    # The rest takes as long to load as the embedded server takes to read thousands of matches.
    loading = asyncio.create_task(asyncio.to_thread(_loaded))
    with suppress(asyncio.CancelledError):
        if config.does("engine"):
            run_engine, _ = await loading
            await run_engine(config)
            return
        async with open_store(config.store_url, config.data, config.archive_folder, waits=True) as store:
            _, run_roles = await loading
            await run_roles(config, store, stop)


def _loaded() -> tuple[Callable[[Config], Awaitable[None]], _Roles]:
    from bot.app.local_room import local_room  # noqa: PLC0415 - 400 ms that no command needs
    from bot.app.roles import run_engine, run_roles  # noqa: PLC0415

    def run(config: Config, store: RedisStore, stop: StopSignal) -> Awaitable[None]:
        return run_roles(config, store, stop, local_room)

    gc.enable()
    gc.freeze()  # what is loaded stays: to look through it for garbage takes 60 ms
    return run_engine, run


def _read(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="klop", description="Runs the bot; klop settings explains all settings."
    )
    parser.set_defaults(command=None)
    parser.add_argument("--version", action="store_true", help="print the version and the commit")
    parser.add_argument("--data", type=Path, help="the data directory (KLOP_DATA)")
    parser.add_argument(
        "--role",
        help="what this process does: all, engine, or some of gateway, webhook, sender and page (KLOP_ROLE)",
    )
    parser.add_argument("--room", help="the local room's name")
    parser.add_argument("--board", choices=("emoji", "ascii"), help="how boards look in the local room")
    parser.add_argument(
        "--language", choices=("uk", "ru", "en"), help="the language to begin with (KLOP_LANGUAGE)"
    )
    parser.add_argument(
        "--page", action="store_true", help="open the local room in the browser, on this machine alone"
    )
    commands = parser.add_subparsers(title="for operators", dest="command", metavar="COMMAND")
    for name, what in _COMMANDS.items():
        command = commands.add_parser(name, help=what, description=what)
        if argument := ARGUMENTS.get(name):
            command.add_argument(
                "argument", metavar=argument.strip("[]"), nargs="?" if argument.startswith("[") else None
            )
    options = parser.parse_args(arguments)
    if options.__dict__.pop("page"):
        listen = f"127.0.0.1:{_free_port()}"
        options.page_url, options.page_listen = f"http://{listen}", listen
    return options


async def _command(command: str, config: Config, argument: str | None) -> int:
    if command == _PUBLISH:
        from bot.app.setup import publish  # noqa: PLC0415 - 400 ms that no other command needs

        return await publish(config, _write)
    return await administer(command, config, _write, argument)


def _refusals() -> tuple[type[StorageError | CannotRun | Unavailable], ...]:
    """Return the exceptions with words for the operator: late, when their modules are loaded anyway."""
    from play.errors import Unavailable  # noqa: PLC0415
    from storage.errors import StorageError  # noqa: PLC0415

    return StorageError, CannotRun, Unavailable


def _free_port(wanted: int = 8082) -> int:
    for port in (wanted, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            with suppress(OSError):
                probe.bind(("127.0.0.1", port))
                return int(probe.getsockname()[1])
    return wanted


def _write(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
