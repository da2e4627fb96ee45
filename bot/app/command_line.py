"""What the command line asks for: read the configuration, and run the bot or a command, among them those for operators.

What only one role or command needs is imported when that is run: it is most of the time until a process serves.
"""

from __future__ import annotations

import asyncio
import gc
import io
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, TypeAlias

from bot.app.arguments import PUBLISH, SETTINGS
from bot.app.logs import configure
from bot.app.settings import ConfigError, ignored, read_config
from bot.chat.i18n import Words, words_of
from bot.chat.i18n import words as words_for
from bot.config import CannotRun, Config
from bot.version import version

if TYPE_CHECKING:
    from argparse import Namespace

    from bot.app.supervisor import StopSignal
    from play.errors import Unavailable
    from storage import RedisStore
    from storage.errors import StorageError

    _Roles: TypeAlias = Callable[[Config, RedisStore, StopSignal], Awaitable[None]]


async def administer(
    command: str, settings: Config, write: Callable[[str], None], argument: str | None = None
) -> int:
    """Run a command for operators; return the exit status: 0 if all is well, 1 if something needs repair, 2 if the command failed."""
    if command == "healthcheck":  # a container asks every 30 s: not by loading the store and the games
        from bot.app.healthcheck import healthcheck  # noqa: PLC0415

        return await healthcheck(settings.metrics_address, words_for(settings.language), write)
    from bot.app import admin  # noqa: PLC0415 - 300 ms that a bot without these commands does not need

    return await admin.run(command, settings, write, argument)


def run(options: Namespace) -> int:
    """Do what the arguments ask for; return the exit status: 0, or 2 if the configuration does not allow it."""
    command, argument = options.__dict__.pop("command"), options.__dict__.pop("argument", None)
    if options.__dict__.pop("version"):
        _write(f"klop {version()}")
        return 0
    if command == SETTINGS:  # also where the configuration is invalid
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


async def _command(command: str, config: Config, argument: str | None) -> int:
    if command == PUBLISH:
        from bot.app.setup import publish  # noqa: PLC0415 - 400 ms that no other command needs

        return await publish(config, _write)
    return await administer(command, config, _write, argument)


def _refusals() -> tuple[type[StorageError | CannotRun | Unavailable], ...]:
    """Return the exceptions with words for the operator: late, when their modules are loaded anyway."""
    from play.errors import Unavailable  # noqa: PLC0415
    from storage.errors import StorageError  # noqa: PLC0415

    return StorageError, CannotRun, Unavailable


def _write(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
