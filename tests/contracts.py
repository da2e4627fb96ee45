"""Contracts of the house that import-linter does not have: see `.importlinter`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import cast

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output
from importlinter.contracts.layers import Layer, LayersContract


class HouseContract(LayersContract):
    """Layers of root packages that name every package beside the configuration file.

    The layers contract of import-linter is exhaustive inside a container only, and a house of several root packages
    has none: no contract would check a new folder.
    """

    type_name = "house"

    outside = fields.SetField(subfield=fields.StringField(), required=False)

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """The layers, and the folders that are none of them."""
        checked = super().check(graph, verbose)
        layers = cast(list[Layer], self.layers)
        declared = {tail.name for layer in layers for tail in layer.module_tails}
        # A layer that is no root package is not in the graph: no contract would check it either.
        watched = declared & set(self.session_options["root_packages"])
        outside = cast(set[str] | None, self.outside) or set()
        undeclared = top_level(Path.cwd()) - watched - outside
        checked.metadata["undeclared_modules"] |= undeclared
        checked.kept = checked.kept and not undeclared
        return checked


class GamesContract(Contract):
    """What is in a game's folder is imported by that game's folders only; likewise in a platform's.

    A game has a folder of its name in each of several packages: its rules may be seen by its engines, and by nothing
    else outside. The protected contract of import-linter cannot say that for games it has not heard of.
    """

    type_name = "games"

    folders = fields.ListField(subfield=fields.StringField())
    common = fields.SetField(subfield=fields.StringField(), required=False)
    outside = fields.SetField(subfield=fields.StringField(), required=False)

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Every import of a game's module from outside the folders of that game."""
        folders = cast(list[str], self.folders)
        common = cast(set[str] | None, self.common) or set()
        outside = cast(set[str] | None, self.outside) or set()
        strays = [
            (importer, module)
            for module in sorted(graph.modules)
            if (game := _game_of(module, folders, common))
            for importer in sorted(graph.find_modules_that_directly_import(module))
            if importer not in outside and _game_of(importer, folders, common) != game
        ]
        return ContractCheck(kept=not strays, metadata={"strays": strays})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Who imports what of which game."""
        for importer, module in check.metadata["strays"]:
            output.print_error(f"- {importer} -> {module}", bold=False)
        output.new_line()


def _game_of(module: str, folders: list[str], common: set[str]) -> str | None:
    """The game whose folder a module is in."""
    for package in folders:
        game = module.removeprefix(f"{package}.").partition(".")[0]
        if module.startswith(f"{package}.") and f"{package}.{game}" not in common:
            return game
    return None


class HomesContract(Contract):
    """Each library is imported directly in its home only, one package or a few, and every library has such a home.

    Python's own modules are free unless one is given a home.
    """

    type_name = "homes"

    homes = fields.ListField(subfield=fields.StringField())

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Every import of a library from outside its home."""
        homes = dict(_pair(line) for line in cast(list[str], self.homes))
        roots = set(self.session_options["root_packages"])
        strays = []
        for module in sorted(graph.modules):
            library = module.partition(".")[0]
            if library in roots or (library in sys.stdlib_module_names and library not in homes):
                continue
            home = homes.get(library)
            strays += [
                (importer, library, home)
                for importer in sorted(graph.find_modules_that_directly_import(module))
                if home is None or not f"{importer}.".startswith(tuple(f"{each}." for each in home.split()))
            ]
        return ContractCheck(kept=not strays, metadata={"strays": strays})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Who imports what, and where that belongs."""
        for importer, library, home in check.metadata["strays"]:
            place = f"its home is {home}" if home else "it has no home yet"
            output.print_error(f"- {importer} -> {library}: {place}", bold=False)
        output.new_line()


def top_level(folder: Path) -> set[str]:
    """The packages and modules that lie in a folder, hidden ones left out."""
    found = {path.stem for path in folder.glob("*.py")}
    for path in folder.iterdir():
        if path.is_dir() and path.name.isidentifier() and next(path.rglob("*.py"), None):
            found.add(path.name)
    return found


def _pair(line: str) -> tuple[str, str]:
    library, _, home = line.partition("->")
    return library.strip(), home.strip()
