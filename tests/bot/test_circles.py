"""Within a folder, modules import each other in one direction, those that are imported for their types alone included."""

from __future__ import annotations

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import bot.desk

ROOT = Path(bot.desk.__file__).parent.parent
FOLDERS = ("on_discord", "on_telegram", "on_console", "sender", "presenter", "desk")


def imports(path: Path, package: str) -> set[str]:
    """The modules of its own folder that a module imports, anywhere in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            parts = node.module.removeprefix(package).lstrip(".")
            if node.module.startswith(f"{package}."):
                found.add(parts.split(".")[0])
            elif node.module == package:
                found |= {name.name for name in node.names}
    return found


@pytest.mark.parametrize("folder", FOLDERS)
def test_modules_of_a_folder_import_each_other_in_one_direction(folder: str) -> None:
    package = f"bot.{folder}"
    modules = {path.stem: path for path in (ROOT / folder).glob("*.py") if path.stem != "__init__"}
    graph = {name: imports(path, package) & modules.keys() for name, path in modules.items()}
    assert any(graph.values())
    TopologicalSorter(graph).prepare()  # raises CycleError where there is a circle
