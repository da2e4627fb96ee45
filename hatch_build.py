"""Add the commit to a build, and native search cores to a wheel that is built where a C++ compiler is found.

A wheel without the cores is for any machine: its engines search in plain Python. `KLOP_PURE_WHEEL=1` builds that one.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Build(BuildHookInterface[Any]):
    """Runs before the files of a build are gathered, and after it."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the commit; for a wheel, build what can be built, and tag a wheel with compiled modules for this machine."""
        root = Path(self.root)
        if version == "editable":
            return
        self._add_commit(root, build_data)
        if self.target_name != "wheel" or os.environ.get("KLOP_PURE_WHEEL"):
            return
        builder = _module(root / "engine" / "build.py")
        builder.build(root / "engine", say=self.app.display_info)
        modules = [builder.built(source) for source in builder.sources(root / "engine")]
        found = [module.relative_to(root).as_posix() for module in modules if module.is_file()]
        if found:
            build_data["artifacts"] += found
            build_data["pure_python"] = False
            build_data["infer_tag"] = True

    def _add_commit(self, root: Path, build_data: dict[str, Any]) -> None:
        """Write the commit into a file of the build; one built from a source archive has the archive's."""
        versions = _module(root / "bot" / "version.py")
        commit = versions.commit(root)
        if commit:
            self._folder = tempfile.TemporaryDirectory()  # deleted with this hook
            file = Path(self._folder.name, "commit.txt")
            file.write_text(commit + "\n", "ascii")
            build_data["force_include"][str(file)] = versions.COMMIT_FILE


def _module(path: Path) -> ModuleType:
    """Load a module from its file: the package around it is not installed yet."""
    spec = importlib.util.spec_from_file_location(f"klop_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"no module in {path}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look themselves up
    spec.loader.exec_module(module)
    return module
