"""The line protocol for engines, both ends: see docs/engine-protocol.md."""

from engine.wire.client import EngineClient, EngineTimeout, ProtocolViolation, whole_turn
from engine.wire.protocol import MAX_LINE, PROTOCOL, EngineServer, WireError
