"""The keys of lent computers: a file with a line for each, which the operator may edit."""

from __future__ import annotations

import hashlib
import hmac
import logging
import os
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bot.thinking.jobs import JobClass

CLASSES: Final = (JobClass.ADVICE, JobClass.ANALYSIS)
"""What a new key allows: a wrong answer spoils a hint or an analysis. Moves and puzzles are for those who are trusted."""

AT_ONCE: Final = 4  # jobs that a new key allows at once
MOST_AT_ONCE: Final = 64

NAME: Final = re.compile(r"[a-z][a-z0-9-]{0,31}", re.ASCII)
_DIGEST: Final = re.compile(r"[0-9a-f]{64}", re.ASCII)
_HEAD: Final = "# name, SHA-256 of the key, classes, jobs at once; delete a line to revoke its key\n"

_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Lender:
    """A key: the name of its line, the classes of jobs that it allows, the most urgent first, and how many at once."""

    name: str
    digest: str
    classes: tuple[JobClass, ...]
    at_once: int

    @property
    def id(self) -> str:
        """Its name in the store, which a later key of the same name does not have."""
        return f"{self.name}.{self.digest[:16]}"

    @property
    def worker(self) -> str:
        """Its name among the workers; those of processes have other ones."""
        return f"lent:{self.name}"


class Lenders:
    """The keys of a file, read again when it changes."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stamp: object = None
        self._lenders: Mapping[str, Lender] = {}

    def of(self, key: str) -> Lender | None:
        """Return whose key it is; None if it is no key, or not any more."""
        self._refresh()
        digest, found = _digest(key), None
        for lender in self._lenders.values():
            if hmac.compare_digest(lender.digest, digest):
                found = lender
        return found

    def all(self) -> Sequence[Lender]:
        """Return the keys, in the order of their lines."""
        self._refresh()
        return tuple(self._lenders.values())

    def _refresh(self) -> None:
        try:
            state = self._path.stat()
            stamp = (state.st_ino, state.st_size, state.st_mtime_ns)
            if stamp == self._stamp:
                return
            lines = self._path.read_text(encoding="utf-8").splitlines()
        except (OSError, ValueError) as error:
            if self._lenders or self._stamp is None:
                _log.warning("no keys of lent computers: %s", error)
            self._stamp, self._lenders = "", {}
            return
        self._stamp, self._lenders = stamp, _read(lines)


def _read(lines: list[str]) -> Mapping[str, Lender]:
    found = {}
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            name, digest, classes, at_once = line.split()
            wanted = {JobClass(each) for each in classes.split(",")}
            lender = Lender(name, digest, tuple(each for each in JobClass if each in wanted), int(at_once))
            if not (
                NAME.fullmatch(name)
                and _DIGEST.fullmatch(digest)
                and 0 < lender.at_once <= MOST_AT_ONCE
                and name not in found
            ):
                raise ValueError(name)  # noqa: TRY301 - any other mistake of a line is one too
        except ValueError:
            _log.warning(
                "line %s of the keys of lent computers is not understood: its key is refused", number
            )
        else:
            found[name] = lender
    return found


def new_key(path: Path, name: str) -> str:
    """Add a key to the file, which gets mode 0600, and return it; it is stored nowhere.

    Raises:
        ValueError: it is no name.
        FileExistsError: there is a key of that name.
        OSError: the file cannot be written.
    """
    if not NAME.fullmatch(name):
        raise ValueError(name)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    there = path.read_text(encoding="utf-8") if path.exists() else _HEAD
    if any(line.split()[:1] == [name] for line in there.splitlines()):
        raise FileExistsError(name)
    key = secrets.token_urlsafe(24)
    if not there.endswith("\n"):
        there += "\n"
    line = f"{name} {_digest(key)} {','.join(CLASSES)} {AT_ONCE}\n"
    new = path.with_suffix(".new")
    new.unlink(missing_ok=True)
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(there + line)
    new.replace(path)
    return key


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()
