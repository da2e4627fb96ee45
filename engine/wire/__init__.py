"""The line protocol for engines, both ends: see docs/engine-protocol.md."""

from engine.wire.client import EngineClient, EngineTimeout, ProtocolViolation, whole_turn
from engine.wire.protocol import MAX_LINE, PROTOCOL, WireError
from engine.wire.server import EngineServer

__all__ = [
    "MAX_LINE",
    "PROTOCOL",
    "EngineClient",
    "EngineServer",
    "EngineTimeout",
    "ProtocolViolation",
    "WireError",
    "whole_turn",
]
