"""Errors of storage beyond `play.errors`: a record that cannot be read, a server that cannot be used.

    StorageError
    ├── Damaged        a stored match cannot be read; a `PlayError` too, for commands meet it
    ├── BadDump        a backup cannot be read, or not be restored here
    └── CannotStart    there is no server that would keep matches safely

A server that does not answer at the moment is `play.errors.Unavailable`.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from play.errors import PlayError
from rules.core import Field, Phrase, Reason


class Damage(Reason):
    """Why a record cannot be read."""

    CHECKSUM = "storage.damage.checksum"  # the bytes are not those that were written
    NEWER = "storage.damage.newer"  # code, version, known: written by a newer program
    CONTENT = "storage.damage.content"  # whole, and yet not a match
    MISPLACED = "storage.damage.misplaced"  # it holds another match than its key says
    ARCHIVED = "storage.damage.archived"  # it is in an archive that is not here, or an older one
    # What belongs to a match, beside its record:
    BEHIND = "storage.damage.behind"  # an earlier revision than there has been, or none at all
    RESULT = "storage.damage.result"  # of an operation: a request that comes again would be misunderstood
    FACT = "storage.damage.fact"  # one that is still to be sent
    TIMERS = "storage.damage.timers"  # some are missing, or changed, or without a match
    SHOWN = "storage.damage.shown"  # which messages show its board
    VALUE = "storage.damage.value"  # the code is a whole key: of settings, ratings, a note
    STRAY = "storage.damage.stray"  # the code is a whole key, which is never looked up


class Dump(Reason):
    """Why a backup cannot be read or restored."""

    NO_DUMP = "storage.dump.no-dump"  # the file is not a backup
    NEWER = "storage.dump.newer"  # version, known: written by a newer program
    EARLIER = "storage.dump.earlier"  # of an earlier format
    BROKEN = "storage.dump.broken"  # cut short, or its bytes are not those that were written
    NOT_EMPTY = "storage.dump.not-empty"  # the store to restore into holds something


class StoreProblem(Reason):
    """Why the store cannot be opened. Each one's words name the remedy."""

    BAD_URL = "storage.trouble.bad-url"
    UNREACHABLE = "storage.trouble.unreachable"
    LOGIN = "storage.trouble.login"
    TOO_OLD = "storage.trouble.too-old"  # found, needed: versions
    CLUSTER = "storage.trouble.cluster"  # it is one, and the URL does not say so
    NO_CLUSTER = "storage.trouble.no-cluster"  # it is none, and the URL says so
    CLUSTER_DOWN = "storage.trouble.cluster-down"  # parts of it are missing
    NO_MASTER = "storage.trouble.no-master"  # no Sentinel names one
    REPLICA = "storage.trouble.replica"
    SETTING = "storage.trouble.setting"  # setting, found, needed: e.g. appendonly, no, yes
    FORMAT = "storage.trouble.format"  # it holds data of another version of the format
    IN_USE = "storage.trouble.in-use"  # directory, pid: another bot runs on the same data (pid 0: not known)
    NO_SERVER = "storage.trouble.no-server"  # known, needed: programs looked for, and the version
    DIRECTORY = "storage.trouble.directory"  # directory, text: it cannot be made, owned or locked
    NOT_PRIVATE = "storage.trouble.not-private"  # directory: others may read it, and it holds other files
    LEFT_RUNNING = "storage.trouble.orphan"  # directory, pid: a server left behind does not stop
    SERVER_FAILED = "storage.trouble.server-failed"  # log, text: the file, and its last line


class StorageError(Exception):
    """Base of this tree: a reason, and the fields that its words need."""

    def __init__(self, reason: Reason, /, **fields: Field) -> None:
        Exception.__init__(self, reason, fields)  # not super's: `Damaged` has another base, which says it too
        self.reason: Reason = reason
        self.fields: Mapping[str, Field | Phrase | timedelta | datetime] = fields  # as in `PlayError`

    def __str__(self) -> str:
        shown = ", ".join(f"{name}={value}" for name, value in self.fields.items())
        return f"{self.reason.value}({shown})"


class Damaged(StorageError, PlayError):
    """A stored match cannot be read. Nothing was changed."""

    def __init__(self, match_id: str, damage: Damage, /, **fields: Field) -> None:
        super().__init__(damage, code=match_id, **fields)
        self.match_id = match_id


class CannotStart(StorageError):
    """There is no server that would keep matches safely, for a `StoreProblem`."""


class BadDump(StorageError):
    """A backup cannot be read, or not be restored here, for a reason in `Dump`. Nothing was written."""
