"""The names of keys in Redis.

    klop:{17}:match:k7q2ab                    the record of a match; of one in the archive, its head
    klop:{17}:event:ek7q2ab                   the record of an event; what else is of it is called as a match's
    klop:{17}:op:k7q2ab:<operation>           what an operation did to it, for a week
    klop:{17}:shown:k7q2ab                    by address: which message shows its board
    klop:{17}:timers                          the timers of all matches of the tag, scored by when they are due
    klop:{17}:timers-of                       by match: its timers among them
    klop:{17}:timers-leased                   by timer: the process that fires it
    klop:{17}:out                             facts that are to be sent, a stream
    klop:{17}:in:telegram                     updates of a platform that are to be handled, a stream
    klop:{17}:in:telegram:ids                 the last ones' ids, scored by when they came
    klop:{17}:reader:out|in:telegram          the reader that has that stream
    klop:{17}:readers:out|in:telegram         on a cluster, the readers that have it, scored by when their leases end
    klop:at:<platform>:<place>:live|over      matches shown at a place, scored by their last change
    klop:of:<platform>:<uid>:live|over        matches of a person, likewise
    klop:at|of:<...>:<...>:event-live|-over   events, likewise
    klop:settings:at|of:<platform>:<...>      what a place or a person has chosen
    klop:rating:{<game>}                      by person: their rating in a game
    klop:rating:{<game>}:k7q2ab               what a match did to ratings, by seat: it has been counted
    klop:bound:<operation>                    which match an operation is about, for a week
    klop:note:<name>                          a small text, kept for some time
    klop:taken:{klop:note:<name>}:<call>      the text that a call took, for a minute
    klop:timeline:<name>                       small texts, scored by times
    klop:bucket:<name>                        a rate limit
    klop:dead                                 by address: since when nothing can be sent there
    klop:readers:out|in:telegram              the readers of those streams, scored by when their leases end
    klop:jobs[:<class>]                       searches for workers on any machine, a stream; those of moves without a class
    klop:answer:<id>                          the answer to one, for some minutes
    klop:workers[:<class>]                    the workers that take them, scored by when they last ran
    klop:aside                                entries of streams, and timers, that could not be handled, scored by when
    klop:lender:<key>                         of versions that had lent computers; not read
    klop:probe:{<tag>}                        nothing, for a second: whether the server takes writes
    klop:beat                                 the format of the store, scored by when the bot last ran
    klop:outages                              when the bot did not run

All keys of one match share a hash tag (`{17}`), one of 64, so that one script may write them all on a cluster too; so do
all ratings of one game. Lists hold hints: what is true of a match is in its record alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Final
from urllib.parse import quote, unquote
from zlib import crc32

from play.events.event import Event
from play.match import Match
from play.people import Account, Address
from play.ports import Operation, Timer

PREFIX: Final = "klop"
TAGS: Final = 64

DEAD: Final = f"{PREFIX}:dead"
BEAT: Final = f"{PREFIX}:beat"
FORMAT: Final = "1"
"""The format of keys and values, a number, which each heartbeat writes. A store with heartbeats of another format is refused at
start; all formats before 0.1.0 wrote `bot`."""
OUTAGES: Final = f"{PREFIX}:outages"
WAKE: Final = f"{PREFIX}:wake"
"""The channel that wakes other processes; see `storage.client.wakeups`."""
TIMERS: Final = "timers"
"""The name of the wakeup of those who wait for the next timer."""
ASIDE: Final = f"{PREFIX}:aside"
JOB_CLASSES: Final = ("move", "advice", "analysis", "system")
"""The classes of searches, the most urgent first."""

UNTAGGED: Final = (
    *("at", "of", "settings", "rating", "bound", "note", "taken", "timeline", "bucket"),
    *("dead", "readers", "beat", "outages", "probe"),
    *("jobs", "answer", "workers", "lender", "aside"),
)
"""What follows the prefix in keys without a tag."""

_ID: Final = re.compile(r"[a-z0-9]{6}", re.ASCII)
_EVENT_ID: Final = re.compile(r"e[a-z0-9]{6}", re.ASCII)
_OPERATION: Final = re.compile(r"[!-~]{1,100}", re.ASCII)
_HASH_TAG: Final = re.compile(r"\{([^}]+)\}")
_TIMER: Final = re.compile(r"[a-z0-9-]{1,40}", re.ASCII)
_LIST: Final = re.compile(rf"{PREFIX}:(at|of):([^:]*):([^:]*):(?:event-)?(?:live|over)", re.ASCII)


MATCHES: Final = f"{PREFIX}:{{*}}:match:*"
EVENTS: Final = f"{PREFIX}:{{*}}:event:*"
"""Patterns of the records of matches and of events."""


def is_match_id(text: str) -> bool:
    """Return whether a text has the form of a match's id."""
    return _ID.fullmatch(text) is not None


def is_event_id(text: str) -> bool:
    """Return whether a text has the form of an event's id."""
    return _EVENT_ID.fullmatch(text) is not None


def is_id(text: str) -> bool:
    """Return whether a text has the form of a match's id or an event's."""
    return is_match_id(text) or is_event_id(text)


def probe_key(key: str) -> str:
    """Return the key that is written, in the slot of another key, to find out whether the server takes writes."""
    tag = _HASH_TAG.search(key)
    return f"{PREFIX}:probe:{{{tag[1] if tag else key}}}"


@lru_cache(maxsize=4096)
def tag_of(match_id: str) -> int:
    """Return the tag of a match or an event."""
    if not is_id(match_id):
        raise ValueError(f"no match id: {match_id!r}")
    return crc32(match_id.encode()) % TAGS


def tagged(rest: str, tag: int) -> str:
    """Return a key with a tag."""
    return f"{PREFIX}:{{{tag}}}:{rest}"


def kind_of(key: str) -> tuple[str, str]:
    """Return the word that says what a key holds, and the id of its match; empty if it has none."""
    _, *rest = key.split(":", 4)
    if len(rest) > 1 and rest[0].startswith("{"):
        return rest[1], rest[2] if len(rest) > 2 and is_id(rest[2]) else ""
    return rest[0] if rest else "", ""


def match_key(match_id: str) -> str:
    """Return the key of the record of a match, or an event."""
    kind = "event" if is_event_id(match_id) else "match"
    return tagged(f"{kind}:{match_id}", tag_of(match_id))


def operation_key(match_id: str, operation_id: str) -> str:
    """Return the key of an operation's result."""
    return tagged(f"op:{match_id}:{operation_id}", tag_of(match_id))


def shown_key(match_id: str) -> str:
    """Return the key of the messages that show a match."""
    return tagged(f"shown:{match_id}", tag_of(match_id))


timers_key: Final = partial(tagged, "timers")
timers_of_key: Final = partial(tagged, "timers-of")
timers_leased_key: Final = partial(tagged, "timers-leased")
"""Return the key of the timers of a tag, of those of each match, of those that are leased, each with the process that has it."""


@lru_cache(maxsize=4096)
def keys_of(match_id: str) -> tuple[str, str, str, str]:
    """Return the keys of a match's record, and of its tag: timers, timers of each match, stream."""
    tag = tag_of(match_id)
    return match_key(match_id), timers_key(tag), timers_of_key(tag), OUT.stream(tag)


def _of_class(kind: str, job_class: str) -> str:
    # Workers of versions without classes take the searches of moves.
    return f"{PREFIX}:{kind}" if job_class == JOB_CLASSES[0] else f"{PREFIX}:{kind}:{job_class}"


jobs_key: Final = partial(_of_class, "jobs")
workers_key: Final = partial(_of_class, "workers")
"""Return the key of the searches of a class, of the workers that take them."""


@dataclass(frozen=True, slots=True)
class Streams:
    """The keys of the streams of one direction: `out`, or `in:` and a platform."""

    name: str

    def stream(self, tag: int) -> str:
        """Return the key of the stream of a tag."""
        return tagged(self.name, tag)

    def reader(self, tag: int) -> str:
        """Return the key of the reader that has that stream."""
        return tagged(f"reader:{self.name}", tag)

    @property
    def readers(self) -> str:
        """The key of all readers of these streams."""
        return f"{PREFIX}:readers:{self.name}"

    def readers_of(self, tag: int) -> str:
        """Return the key of the readers of that stream, on a cluster."""
        return tagged(f"readers:{self.name}", tag)

    def ids(self, tag: int) -> str:
        """Return the key of the ids of the entries that came last."""
        return tagged(f"{self.name}:ids", tag)


OUT: Final = Streams("out")


def inbox(platform: str) -> Streams:
    """Return the keys of the streams of a platform's updates."""
    return Streams(f"in:{quote(platform, safe='')}")


def tag_of_chat(chat: str) -> int:
    """Return the tag of a chat's updates."""
    return crc32(chat.encode()) % TAGS


@lru_cache(maxsize=4096)
def list_keys(whose: Account | Address, kind: str = "") -> tuple[str, str]:
    """Return the keys of the lists of a person or a place: of live matches, and of finished ones; of events by their `kind`."""
    base = f"{PREFIX}:{whose_words(whose)}:{kind}"
    return f"{base}live", f"{base}over"


event_list_keys: Final = partial(list_keys, kind="event-")


def whose_list(key: str) -> Account | Address | None:
    """Return the person or place of a list's key; None for another key."""
    found = _LIST.fullmatch(key)
    if found is None:
        return None
    kind = Account if found[1] == "of" else Address
    return kind(unquote(found[2]), unquote(found[3]))


def lists_of(match: Match | Event) -> Iterator[tuple[str, str]]:
    """Yield the lists of live and of finished ones of every place and person of a match or event."""
    named = event_list_keys if isinstance(match, Event) else list_keys
    return map(named, (*dict.fromkeys(match.addresses), *match.people()))


def settings_key(whose: Account | Address) -> str:
    """Return the key of the settings of a person or a place."""
    return f"{PREFIX}:settings:{whose_words(whose)}"


def ratings_key(game: str) -> str:
    """Return the key of the ratings of a game."""
    return f"{PREFIX}:rating:{{{quote(game, safe='')}}}"


RATINGS: Final = f"{PREFIX}:rating:{{*}}"  # the pattern of all of those


def person_field(person: Account) -> str:
    """Return the field of a person in a hash."""
    return f"{quote(person.platform, safe='')}:{quote(person.uid, safe='')}"


def replaced_field(person: Account) -> str:
    """Return the field of the rating that a person's own one replaced when their account was linked to another."""
    return f"{person_field(person)}:replaced"


def counted_key(game: str, match_id: str) -> str:
    """Return the key of what a match did to ratings."""
    return f"{ratings_key(game)}:{match_id}"


def _named(kind: str, name: str) -> str:
    return f"{PREFIX}:{kind}:{quote(name, safe='')}"


bound_key: Final = partial(_named, "bound")
note_key: Final = partial(_named, "note")
timeline_key: Final = partial(_named, "timeline")
bucket_key: Final = partial(_named, "bucket")
answer_key: Final = partial(_named, "answer")
"""Return the key of the match that an operation is about, a note, a timeline, a rate limit, the answer to a job, by its name."""


def taken_key(name: str, call: str) -> str:
    """Return the key of what a call took of a note; the note's whole key is its hash tag, so both are in one slot."""
    return f"{PREFIX}:taken:{{{note_key(name)}}}:{call}"


@lru_cache(maxsize=4096)
def whose_words(whose: Account | Address) -> str:
    """Return a person or a place as part of a key."""
    # Quoted, so that no name can hold a colon or a brace: it would be another key, or choose a slot.
    if isinstance(whose, Account):
        return f"of:{quote(whose.platform, safe='')}:{quote(whose.uid, safe='')}"
    return f"at:{quote(whose.platform, safe='')}:{quote(whose.place, safe='')}"


def check_operation(operation: Operation) -> Operation:
    """Return the operation, if its id can be part of a key.

    Raises:
        ValueError: it is empty, too long, or not plain ASCII.
    """
    if not _OPERATION.fullmatch(operation.id):
        raise ValueError(f"no operation id: {operation.id!r}")
    return operation


def check_timer(timer: Timer) -> Timer:
    """Return the timer, if it can be stored.

    Raises:
        ValueError: its name is not a short word, or its time has no zone.
    """
    if not _TIMER.fullmatch(timer.name):
        raise ValueError(f"no timer's name: {timer.name!r}")
    if timer.at.tzinfo is None:
        raise ValueError(f"a time without a zone: {timer.at!r}")
    return timer
