"""The check of the catalogues: what a reader would stumble over, and whether they hold exactly what the program asks for.

`python -m scripts.catalogues` prints a line for each problem and exits with status 1 if there is any. What the program asks
for is read from its enums, games and modules.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Final

from bot.chat.i18n.catalogue import FALLBACK, LANGUAGES, ROOT, files, folders
from bot.features.commands import catalogue_keys
from rules import GAMES
from rules.core import MAX_SEATS, AnyGame, OneOf, Reason
from scripts.catalogue_texts import (
    CatalogueEntry,
    Problem,
    all_fields,
    check_file,
    check_text,
    compare,
    read,
    repeated,
)

PACKAGES: Final = ("rules", "play", "engine", "render", "storage", "bot")


@dataclass(frozen=True, slots=True)
class Needs:
    """What the program asks for, and where it does.

    Attributes:
        families: Patterns of which each must match at least one key.
        fields: The values that come with a key, where that is known.
        undeclared: Templates of keys put together at run time whose members no module declares in `KEYS`.
    """

    required: Mapping[str, Path | str]
    families: Mapping[re.Pattern[str], Path | str] = field(default_factory=dict)
    optional: frozenset[str] = frozenset()
    fields: Mapping[str, frozenset[str]] = field(default_factory=dict)
    undeclared: Mapping[str, Path | str] = field(default_factory=dict)


def problems(folders: Sequence[Path], needs: Needs) -> Iterator[Problem]:
    """Everything that is wrong with the `.po` files in some folders, which have to hold what the program needs."""
    spoken: dict[str, dict[str, CatalogueEntry]] = {}
    for language in LANGUAGES:
        spoken[language] = {}
        for path in files(language, folders):
            faults = list(check_file(path, language))
            yield from faults
            if any(fault.fatal for fault in faults):
                continue
            for entry in read(path, language):
                other = spoken[language].setdefault(entry.key, entry)
                if other.path != path:
                    yield Problem(path, entry.key, f"also in {other.path.name}")
                yield from check_text(entry, language)
    yield from _strangers(folders)
    yield from compare(spoken)
    yield from repeated(spoken)
    yield from check_keys(spoken, needs)


def _strangers(folders: Iterable[Path]) -> Iterator[Problem]:
    for folder in folders:
        known = {path for language in LANGUAGES for path in files(language, [folder])}
        for path in sorted(folder.iterdir()):
            if path not in known and not path.name.startswith("."):
                yield Problem(path, "", "no catalogue of a language there is")


def check_keys(spoken: Mapping[str, Mapping[str, CatalogueEntry]], needs: Needs) -> Iterator[Problem]:
    """Keys that are asked for and not there, there and not asked for, or that name values which never come.

    The languages are compared elsewhere: here the first of them that has a key speaks for it.
    """
    there: dict[str, CatalogueEntry] = {}
    for language in (FALLBACK, *spoken):
        for key, entry in spoken.get(language, {}).items():
            there.setdefault(key, entry)
    yield from _wanted(there, needs)
    yield from _unwanted(there, needs)
    for entries in spoken.values():
        for key in sorted(needs.fields.keys() & entries.keys()):
            with suppress(ValueError):  # said by check_text
                for name in sorted(all_fields(entries[key]) - needs.fields[key] - {"program"}):
                    yield Problem(entries[key].path, key, f"names {{{name}}}, which does not come with it")


def _wanted(there: Mapping[str, CatalogueEntry], needs: Needs) -> Iterator[Problem]:
    for key, where in sorted(needs.required.items()):
        if key not in there:
            yield Problem(where, key, "is asked for, and no catalogue has it")
    for template, where in needs.undeclared.items():
        yield Problem(where, template, "is put together, and no KEYS declares its members")
    for family, where in needs.families.items():
        if not any(map(family.match, there)):
            yield Problem(where, family.pattern, "no key in the catalogues is like this")


def _unwanted(there: Mapping[str, CatalogueEntry], needs: Needs) -> Iterator[Problem]:
    for key, entry in sorted(there.items()):
        if key in needs.required or key in needs.optional:
            continue
        if not any(family.match(key) for family in needs.families):
            yield Problem(entry.path, key, "is not asked for")


_FIELDS: Final = re.compile(r"([a-z_]+(?:, [a-z_]+)*)\s*(?:[:;(.].*)?\Z", re.DOTALL)
_MEMBER: Final = re.compile(r'^ +[A-Z_0-9]+ = \(?\s*"([a-z0-9.-]+)"(?:[ ]*#[ ]*(.*?))?$', re.MULTILINE)
_TAIL: Final = "[a-z0-9-]+(?:[.][a-z0-9-]+)*"
_HOLE: Final = "{}"
_DECLARED: Final = "KEYS"


def needs(
    games: Mapping[str, AnyGame], packages: Sequence[Path], known: Mapping[str, Iterable[str]] | None = None
) -> Needs:
    """Return the keys that the program asks for: those in the texts of all modules in some folders, and those of the games.

    `known` are sets of keys of which every member is known, by what they all begin with: such as `bot.slash.`. Keys that
    modules put together at run time count for nothing there.
    """
    prefixes = ("core", "match", "storage", "bot", *games)
    required: dict[str, Path | str] = {}
    families: dict[re.Pattern[str], Path | str] = {}
    put_together: dict[str, Path] = {}
    members: set[str] = set()
    optional: set[str] = set()
    fields: dict[str, frozenset[str]] = {}
    for path in modules(packages):
        text = path.read_text("utf-8")
        tree = ast.parse(text, str(path))
        for key in literals(tree, prefixes):
            required.setdefault(key, path)
        for template in templates(tree, prefixes):
            put_together.setdefault(template, path)
        for template, built in _members_of(path, tree):
            members.add(template)
            required |= dict.fromkeys(built, path)
        fields |= declared(text, tree)
    for keys in (known or {}).values():
        required |= dict.fromkeys(keys, "bot.features.commands")
    undeclared = {
        template: path
        for template, path in put_together.items()
        if template not in members and not template.startswith(tuple(known or ()))
    }
    for key, where in _reasons():
        required.setdefault(key, where)
    for game in games.values():
        required |= dict.fromkeys(of_game(game), f"rules.{game.key}")
        optional |= maybe_of_game(game)
        families |= dict.fromkeys(_rules_of_game(game), f"rules.{game.key}")
    return Needs(required, families, frozenset(optional), fields, undeclared)


def modules(packages: Iterable[Path]) -> Iterator[Path]:
    """The modules in some folders and below."""
    for package in packages:
        yield from sorted(package.rglob("*.py"))


def literals(tree: ast.AST, prefixes: Sequence[str]) -> Iterator[str]:
    """Texts that are keys. The dotted name of a module is none, and a docstring never is."""
    spelled = re.compile(rf"(?:{'|'.join(map(re.escape, prefixes))})(?:\.[a-z0-9]+(?:-[a-z0-9]+)*)+\Z")
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and spelled.match(node.value):
            inside = ROOT.joinpath(*node.value.split("."))
            if not (inside.is_dir() or inside.with_name(f"{inside.name}.py").is_file()):
                yield node.value


def templates(tree: ast.AST, prefixes: Sequence[str]) -> Iterator[str]:
    """Keys put together from a fixed beginning and what is known only at run time, as f-strings or with a plus: `bot.moved.{}`."""
    begins = tuple(f"{prefix}." for prefix in prefixes)
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = [part.value if isinstance(part, ast.Constant) else _HOLE for part in node.values]
        elif (
            isinstance(node, ast.BinOp)
            and isinstance(node.op, ast.Add)
            and isinstance(node.left, ast.Constant)
        ):
            parts = [node.left.value, _HOLE]
        else:
            continue
        template = "".join(part for part in parts if isinstance(part, str))
        if (
            template.startswith(begins)
            and parts[0] not in begins  # the name of a module
            and _HOLE in parts
            and re.fullmatch(r"[a-z0-9.{}-]+", template)
        ):
            yield template


def _members_of(path: Path, tree: ast.Module) -> Iterator[tuple[str, set[str]]]:
    if not any(
        isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == _DECLARED for node in tree.body
    ):
        return
    name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for template, holes in getattr(importlib.import_module(name), _DECLARED).items():
        yield template, {template.format(*each) for each in product(*holes)}


def _reasons() -> Iterator[tuple[str, str]]:
    for enum in _enums():
        for member in enum:
            yield member.value, enum.__module__


def declared(text: str, tree: ast.AST) -> Iterator[tuple[str, frozenset[str]]]:
    """The fields that each reason of a module comes with, by the comment beside it; not where that is prose."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and any(
            ast.unparse(base) in ("Reason", "Ending") for base in node.bases
        ):
            body = "\n".join(text.splitlines()[node.lineno : node.end_lineno])
            for key, comment in _MEMBER.findall(body):
                if not comment:
                    yield key, frozenset()
                elif found := _FIELDS.match(comment):
                    yield key, frozenset(found[1].split(", "))


def of_game(game: AnyGame) -> Iterator[str]:
    """The keys that every game has words for."""
    for part in ("name", "aliases", "summary", *(() if game.topics else ("rules",))):
        yield f"{game.key}.{part}"
    for option in game.schema.options:
        yield f"{game.key}.option.{option.key}"
        if isinstance(option, OneOf):
            for word in option.offered:
                yield f"{game.key}.value.{option.key}.{word}"
    for preset in game.schema.presets:
        yield f"{game.key}.preset.{preset}"
    for task in game.lesson:
        for part in ("", ".right", ".wrong", ".hint"):
            yield f"{game.key}.lesson.{task.key}{part}"
    for name, _ in game.cups:
        yield f"{game.key}.cup.{name}"
    for key in game.odds:
        yield f"{game.key}.odds.{key}"


def _rules_of_game(game: AnyGame) -> Iterator[re.Pattern[str]]:
    """The families of keys that a game's rules have at least one of: for each topic, and for each word but a default."""
    topics = "|".join(map(re.escape, game.topics))
    for topic in game.topics:
        yield re.compile(rf"{game.key}[.]rules[.]{re.escape(topic)}(?:[.]{_TAIL})?\Z")
    for option in game.schema.options:
        for word in option.offered if isinstance(option, OneOf) else ():
            if word != option.default:
                told = rf"{re.escape(option.key)}[.]{re.escape(word)}"
                yield re.compile(rf"{game.key}[.]rules[.](?:(?:{topics})[.])?{told}\Z")


def maybe_of_game(game: AnyGame) -> set[str]:
    """The keys that a game may have words for: its sides, who is to move, its points, more about an option."""
    return (
        {f"{game.key}.points"}
        | {f"{game.key}.{what}.{n}" for what in ("seat", "to-move") for n in range(1, MAX_SEATS + 1)}
        | {f"{game.key}.rules.{option.key}" for option in game.schema.options}
        | {
            f"{game.key}.rules.{option.key}.{option.default}"
            for option in game.schema.options
            if isinstance(option, OneOf)
        }
    )


def import_all(*packages: str) -> None:
    """Import every module of some packages, so that their enums are known."""
    for name in packages:
        package = importlib.import_module(name)
        for module in pkgutil.walk_packages(package.__path__, f"{name}."):
            if not module.name.endswith(".__main__"):
                importlib.import_module(module.name)


def _enums() -> Iterator[type[Reason]]:
    waiting: list[type[Reason]] = [Reason]
    while waiting:
        enum = waiting.pop()
        waiting += enum.__subclasses__()
        if enum.__module__.split(".")[0] in ("rules", "play", "bot"):
            yield enum


def main() -> int:
    """Check everything and print each problem; return 0 if there are none."""
    import_all("rules", "play", "storage")
    found = list(problems(folders(), needs(GAMES, [ROOT / name for name in PACKAGES], catalogue_keys())))
    for problem in found:
        sys.stdout.write(f"{problem}\n")
    if found:
        sys.stdout.write(f"{len(found)} to mend in the catalogues\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
