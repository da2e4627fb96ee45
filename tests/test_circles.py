"""Within a folder, modules import each other in one direction, those that are imported for their types alone included."""

from __future__ import annotations

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import bot
from tests.test_architecture import HOUSE

(HOME,) = {Path(folder).parent for folder in bot.__path__}
PACKAGES = sorted(
    ".".join(folder.relative_to(HOME).parts)
    for top in HOUSE
    for folder in (HOME / top, *(HOME / top).rglob("*"))
    if folder.is_dir() and len(list(folder.glob("*.py"))) > 2
)


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


@pytest.mark.parametrize("package", PACKAGES)
def test_modules_of_a_folder_import_each_other_in_one_direction(package: str) -> None:
    folder = HOME.joinpath(*package.split("."))
    modules = {path.stem: path for path in folder.glob("*.py") if path.stem not in ("__init__", "__main__")}
    graph = {name: imports(path, package) & modules.keys() for name, path in modules.items()}
    TopologicalSorter(graph).prepare()  # raises CycleError where there is a circle


def test_folders_are_looked_into() -> None:
    assert {"bot.chat", "play", "rules.core", "storage"} <= set(PACKAGES)
    assert "errors" in imports(HOME / "rules" / "core" / "options.py", "rules.core")
