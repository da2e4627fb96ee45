"""Puts native search cores into a wheel that is built where a C++ compiler is found.

A wheel made without one is for any machine, and its engines search in plain Python.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class NativeCores(BuildHookInterface[Any]):
    """Runs `engine/build.py` before the files of a wheel are gathered."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build what can be built; a wheel that holds compiled modules is tagged for this machine."""
        root = Path(self.root)
        builder = _builder(root / "engine" / "build.py")
        if version == "editable" or self.target_name != "wheel":
            return
        builder.build(root / "engine", say=self.app.display_info)
        modules = [builder.built(source) for source in builder.sources(root / "engine")]
        found = [module.relative_to(root).as_posix() for module in modules if module.is_file()]
        if found:
            build_data["artifacts"] += found
            build_data["pure_python"] = False
            build_data["infer_tag"] = True


def _builder(path: Path) -> ModuleType:
    """The module, from its file: the package around it is not installed yet."""
    spec = importlib.util.spec_from_file_location("klop_engine_build", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"no module in {path}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look themselves up
    spec.loader.exec_module(module)
    return module
