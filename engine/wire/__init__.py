"""The line protocol for engines, both ends: see docs/engine-protocol.md."""

from engine.wire.client import Client, Hung, Offence
from engine.wire.server import Server
from engine.wire.words import LONGEST, PROTOCOL, WireError

__all__ = ["LONGEST", "PROTOCOL", "Client", "Hung", "Offence", "Server", "WireError"]
