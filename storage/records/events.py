"""The body of an event's record, version 1: its fields, and each entry of its log after the name of its kind."""

from __future__ import annotations

from dataclasses import fields
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Any, Final, get_type_hints

import msgspec

from play.events.entries import Entry
from play.events.event import Event, Setup
from play.events.forms import ENTRIES
from play.people import Address, Player


def _mirror(kind: type[Entry]) -> type[msgspec.Struct]:
    """Return a struct with the fields of an entry, tagged with its name."""
    hints = get_type_hints(kind)
    mirrored = [(field.name, hints[field.name]) for field in fields(kind)]
    return msgspec.defstruct(
        kind.__name__, mirrored, frozen=True, array_like=True, tag_field="entry", tag=kind.__name__
    )


_MIRRORS: Final = {kind: _mirror(kind) for kind in ENTRIES}
_KINDS: Final = {mirror: kind for kind, mirror in _MIRRORS.items()}


class _Head(msgspec.Struct, array_like=True, frozen=True, forbid_unknown_fields=True):
    id: str
    setup: Setup
    host: Player
    addresses: tuple[Address, ...]
    opened: datetime
    log: msgspec.Raw


_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(_Head).decode
_decode_log: Final = msgspec.msgpack.Decoder(tuple[reduce(or_, _KINDS), ...]).decode  # type: ignore[misc]


def write(event: Event) -> bytes:
    """Return the body of an event; all but its revision."""
    log = _encode([_written(entry) for entry in event.log])
    return _encode(_Head(event.id, event.setup, event.host, event.addresses, event.opened, msgspec.Raw(log)))


def read(plain: bytes, revision: int) -> Event:
    """Return the event in a body.

    Raises:
        ValueError, LookupError, TypeError, OverflowError: the body is not one.
    """
    head = _decode(plain)
    log = tuple([_read(mirror) for mirror in _decode_log(head.log)])
    event = Event(head.id, head.setup, head.host, head.addresses, head.opened, log, revision)
    _ = event.state  # a log that does not replay is no event
    return event


def _written(entry: Entry) -> msgspec.Struct:
    mirror = _MIRRORS[type(entry)]
    if entry.at.tzinfo is None:
        raise ValueError(f"a time without a zone: {entry.at!r}")
    return mirror(*[getattr(entry, name) for name in mirror.__struct_fields__])


def _read(mirror: Any) -> Entry:
    return _KINDS[type(mirror)](**{name: getattr(mirror, name) for name in mirror.__struct_fields__})
