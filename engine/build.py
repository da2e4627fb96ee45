"""Builds the native search cores where a C++ compiler is found: `python -m engine.build`.

A specialist's folder may hold a `native.cpp`, a nanobind module in C++20. It becomes `native.<abi>.so` beside it, and
the specialist searches with it; where there is none it searches in plain Python, by the same evaluation. So nothing
here ever fails a run: what could not be built is said in one line.

Only the standard library is imported, and nothing of this package: the file is also run by itself, by
`scripts/env.sh` right after an installation and by the hook that makes wheels.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.machinery
import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

ENGINE: Final = Path(__file__).resolve().parent  # the folder whose subfolders hold native cores
SUFFIX: Final = importlib.machinery.EXTENSION_SUFFIXES[0]

# No -march=native: a built folder may be copied into an image or a wheel and meet an older processor, where a missing
# instruction kills the worker without a word.
COMPILE: Final = (
    *("-std=c++20", "-O3", "-DNDEBUG", "-fPIC", "-fvisibility=hidden", "-fno-strict-aliasing"),
    *("-ffunction-sections", "-fdata-sections", "-w"),
)
LINK: Final = (
    ("-bundle", "-undefined", "dynamic_lookup", "-Wl,-dead_strip")
    if sys.platform == "darwin"
    else ("-shared", "-Wl,--gc-sections", "-Wl,-s")
)

Command: TypeAlias = tuple[str, ...]
Say: TypeAlias = Callable[[str], None]


class Unbuilt(Exception):
    """The reason why there is no native core, as a text for the operator."""


@dataclass(frozen=True, slots=True)
class Libraries:
    """What is compiled against."""

    python: Path  # the folder of `Python.h`
    nanobind: Path  # the folder of the package nanobind
    version: str  # nanobind's version


def libraries() -> Libraries:
    """Return what is installed to compile against, or raise Unbuilt."""
    found = importlib.util.find_spec("nanobind")
    if found is None or found.origin is None:
        raise Unbuilt("nanobind is not installed (pip install 'klop[native]')")
    python = Path(sysconfig.get_paths()["include"])
    if not (python / "Python.h").is_file():
        raise Unbuilt(f"Python's headers are not installed: no Python.h in {python}")
    from importlib.metadata import version  # noqa: PLC0415 - slow to import, and not needed by a build that is up to date

    return Libraries(python, Path(found.origin).parent, version("nanobind"))


def compiler() -> Command:
    """Return the C++ compiler, `$CXX`, one on the path, or the one in the wheel ziglang, or raise Unbuilt."""
    if named := os.environ.get("CXX"):
        command = tuple(shlex.split(named))
        if command and (path := shutil.which(command[0])):
            return (path, *command[1:])
        raise Unbuilt(f"CXX names no program: {named}")
    for name in ("c++", "g++", "clang++"):
        if path := shutil.which(name):
            return (path,)
    if importlib.util.find_spec("ziglang") is not None:
        return (sys.executable, "-m", "ziglang", "c++")
    raise Unbuilt("there is no C++ compiler (c++, g++, clang++ or the package ziglang)")


def sources(engine: Path) -> list[Path]:
    """The native cores that there are."""
    return sorted(engine.glob("*/native.cpp"))


def built(source: Path) -> Path:
    """Where the module of a source is put."""
    return source.with_name(f"native{SUFFIX}")


@contextmanager
def _alone(engine: Path, *, waits: bool) -> Iterator[bool]:
    if sys.platform == "win32":
        yield True
        return
    import fcntl  # noqa: PLC0415 - not on Windows

    # The kernel unlocks it when the build ends, even by kill -9; `engine.native.building` looks at it. It is closed but
    # not unlocked here: a child that inherits it keeps it locked.
    with (engine / ".native-lock").open("ab") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | (0 if waits else fcntl.LOCK_NB))
        except BlockingIOError:
            yield False
        else:
            yield True


def _stamp(source: Path) -> Path:
    return source.with_name(".native-stamp")


def _stamped(source: Path) -> tuple[str, str]:
    """Return what the last build of a source was made of, and what was wrong with it."""
    text = _stamp(source).read_text(encoding="utf-8") if _stamp(source).is_file() else ""
    has, _, wrong = text.partition("\n")
    return has, wrong


def _wanted(source: Path, command: Command, found: Libraries) -> str:
    digest = hashlib.sha256()
    for part in (*command, *COMPILE, *LINK, SUFFIX, found.version, sys.version):
        digest.update(part.encode() + b"\0")
    for path in (source, *sorted(source.parent.glob("*.hpp"))):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def outdated(engine: Path, command: Command, found: Libraries) -> dict[Path, str]:
    """The sources whose modules are not up to date, each with the stamp it should have.

    One that could not be compiled is not tried again until something about it changes.
    """
    stale = {}
    for source in sources(engine):
        wanted = _wanted(source, command, found)
        has, _ = _stamped(source)
        if has != f"failed {wanted}" and (has != wanted or not built(source).is_file()):
            stale[source] = wanted
    return stale


def build(engine: Path = ENGINE, *, say: Say, force: bool = False, beside: bool = False) -> list[str]:
    """Bring every native core up to date; return what was not possible, a line for each.

    `say` announces what takes a while, `force` compiles also what is up to date or has failed before, and `beside` returns
    at once and compiles in a process of its own, whose trouble the next build says.
    """
    try:
        command, found = compiler(), libraries()
        if force or outdated(engine, command, found):
            with _alone(engine, waits=not beside) as alone:
                stale = outdated(engine, command, found)  # another build may have ended meanwhile
                if force:
                    stale = {source: _wanted(source, command, found) for source in sources(engine)}
                if not alone or (beside and stale and _goes_on_beside(stale)):
                    return []
                if stale and not beside:
                    games = ", ".join(map(_game, stale))
                    say(f"Building native search cores with {shlex.join(command)} (once): {games}")
                if stale:
                    _make(stale, command, found, _emptied(engine / ".native-build"))
                    shutil.rmtree(engine / ".native-build")
        return [_missing(source) for source in sources(engine) if not built(source).is_file()]
    except (Unbuilt, OSError) as unbuilt:
        return [f"Engines search in plain Python: {unbuilt}"]


def _goes_on_beside(stale: dict[Path, str]) -> bool:
    """Fork; return True in this process and False in the new one, which has no terminal and compiles when there is time."""
    for source in stale:  # else this start would load a core of another version, and could not exchange it
        built(source).unlink(missing_ok=True)
    if os.fork():
        return True
    os.setsid()
    os.nice(10)
    with Path(os.devnull).open("r+b") as nothing:
        for stream in (0, 1, 2):
            os.dup2(nothing.fileno(), stream)
    return False


def _emptied(folder: Path) -> Path:
    """Return an empty folder for what is compiled; a build that was killed may have left one."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder


def _game(source: Path) -> str:
    return source.parent.name


def _missing(source: Path) -> str:
    wrong = _stamped(source)[1]
    return f"{_game(source)} searches in plain Python: its native core could not be built (--force tries again): {wrong}"


def _make(stale: dict[Path, str], command: Command, found: Libraries, scratch: Path) -> None:
    nanobind = found.nanobind / "src" / "nb_combined.cpp"
    folders = (found.nanobind / "include", found.nanobind / "ext" / "robin_map" / "include", found.python)
    compiler = (*command, *COMPILE, *(f"-I{folder}" for folder in folders), "-c")
    objects = {source: scratch / f"{_game(source)}.o" for source in (nanobind, *stale)}
    compiling = {source: (*compiler, str(source), "-o", str(made)) for source, made in objects.items()}
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        trouble = dict(zip(compiling, pool.map(_run, compiling.values()), strict=True))
    for source, wanted in stale.items():
        module = scratch / _game(source) / built(source).name
        module.parent.mkdir()
        wrong = trouble[source] or trouble[nanobind]
        wrong = wrong or _run(
            (*command, *LINK, str(objects[source]), str(objects[nanobind]), "-o", str(module))
        )
        wrong = wrong or _run((sys.executable, "-I", "-c", _LOAD, str(module)))
        if wrong:
            built(source).unlink(missing_ok=True)
        else:
            module.replace(built(source))  # a process that is just loading it sees the old one or the new one
        _stamp(source).write_text(f"failed {wanted}\n{wrong}" if wrong else wanted, encoding="utf-8")


_LOAD: Final = """
import importlib.util, sys
spec = importlib.util.spec_from_file_location("native", sys.argv[1])
spec.loader.exec_module(importlib.util.module_from_spec(spec))
"""


def _run(command: Sequence[str]) -> str:
    done = subprocess.run(  # noqa: S603 - the compiler that the operator has chosen
        command, capture_output=True, text=True, errors="replace", check=False
    )
    if done.returncode == 0:
        return ""
    lines = [line.strip() for line in (done.stderr or done.stdout).splitlines() if line.strip()]
    wrong = [line for line in lines if "error" in line.lower()]
    return (wrong or lines or [f"{command[0]} ended with {done.returncode}"])[0]


def main(arguments: Sequence[str] | None = None) -> int:
    """Build what is not up to date; return the exit status: 0, or with `--strict` 1 where a core is missing."""
    parser = argparse.ArgumentParser(
        prog="python -m engine.build", description="Builds the native search cores."
    )
    parser.add_argument("--force", action="store_true", help="compile also what is up to date")
    parser.add_argument("--strict", action="store_true", help="fail where a core could not be built")
    parser.add_argument("--once", action="store_true", help="do not repeat what was said the last time")
    parser.add_argument("--beside", action="store_true", help="do not wait for the compiler")
    chosen = parser.parse_args(arguments)
    started = os.getpid()
    trouble = build(say=_print, force=chosen.force, beside=chosen.beside)
    if os.getpid() != started:  # beside: what it says is not read
        return 0
    if trouble and not (chosen.once and _repeats(trouble)):
        _print("\n".join(trouble))
    return 1 if trouble and chosen.strict else 0


def _print(text: str) -> None:
    print(text, file=sys.stderr, flush=True)  # noqa: T201 - a program


def _repeats(said: Sequence[str], note: Path = ENGINE / ".native-note") -> bool:
    """Return whether this was the last thing said too: a machine without a compiler need not hear it at every start."""
    text = "\n".join(said)
    try:
        if note.is_file() and note.read_text(encoding="utf-8") == text:
            return True
        note.write_text(text, encoding="utf-8")
    except OSError:
        pass
    return False


if __name__ == "__main__":
    sys.exit(main())
