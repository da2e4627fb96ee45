"""The client's modules that need no browser, in the node of Playwright's driver."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Final

from playwright._impl._driver import compute_driver_executable

import bot.platforms.page

STATIC: Final = Path(bot.platforms.page.__file__).parent / "static"
TESTS: Final = Path(__file__).parent / "client"


def test_the_connection_in_virtual_time() -> None:
    node = compute_driver_executable()[0]
    ran = subprocess.run(
        [node, "--test", TESTS / "wire.test.mjs"],
        env={**os.environ, "WIRE": str(STATIC / "wire.js"), "NODE_NO_WARNINGS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
