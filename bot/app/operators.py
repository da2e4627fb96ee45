"""Commands for operators, such as `klop verify` and `klop backup FILE`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from bot.chat.i18n import words as words_for
from bot.config import Config

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
    from bot.app.admin import run  # noqa: PLC0415 - 300 ms that a bot without these commands does not need

    return await run(command, settings, write, argument)
