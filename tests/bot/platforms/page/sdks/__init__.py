"""What the hosts say that tests imitate (`hosts.json`), and what their official SDKs send and understand of it (`sdks.json`).

`record.mjs` writes the latter; it says how.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

_HERE: Final = Path(__file__).parent

HOSTS: Final[dict[str, Any]] = json.loads((_HERE / "hosts.json").read_text("utf-8"))
RECORDED: Final[dict[str, Any]] = json.loads((_HERE / "sdks.json").read_text("utf-8"))


def sent(name: str) -> Any:
    """Return a message as the SDK sends it."""
    message, _ = RECORDED["sent"][name]
    return message
