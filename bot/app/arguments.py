"""The arguments of the command line, read before the rest of the bot is loaded: help is printed at once."""

from __future__ import annotations

import argparse
import socket
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from bot.version import program

_ADMIN: Final[Mapping[str, str]] = {
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
"""The commands that `bot.app.admin` runs, and `healthcheck`, each with its help."""

_ARGUMENTS: Final[Mapping[str, str]] = {
    "backup": "FILE",
    "restore": "FILE",
    "replay": "ID",
    "drop": "ID",
    "systemd": "[UNIT]",
}
"""The commands with an argument, and what it is; in brackets if it may be left out."""

PUBLISH: Final = "publish"
SETTINGS: Final = "settings"
_COMMANDS: Final = {
    **_ADMIN,
    SETTINGS: "print all settings of .env and of the environment, with what each is for",
    PUBLISH: "set the bot's name, descriptions and commands on the chat platforms, in three languages",
}


def read_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return what the arguments ask for; print help, or what is wrong with them, and end the process."""
    parser = argparse.ArgumentParser(
        prog=program(), description=f"Runs the bot; {program()} settings explains all settings."
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
        if argument := _ARGUMENTS.get(name):
            command.add_argument(
                "argument", metavar=argument.strip("[]"), nargs="?" if argument.startswith("[") else None
            )
    options = parser.parse_args(arguments)
    if options.__dict__.pop("page"):
        listen = f"127.0.0.1:{_free_port()}"
        options.page_url, options.page_listen = f"http://{listen}", listen
    return options


def _free_port(wanted: int = 8082) -> int:
    for port in (wanted, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            with suppress(OSError):
                probe.bind(("127.0.0.1", port))
                return int(probe.getsockname()[1])
    return wanted
