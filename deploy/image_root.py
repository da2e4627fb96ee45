"""Collects the root of the image: `/venv/bin/python -P image_root.py DEST`, run where everything has been built.

Python, the packages, Klop, the shared libraries that these load, certificates and time zones; no shell, no package manager and
no compiler.
"""

from __future__ import annotations

import compileall
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

APP: Final = Path("/app")
VENV: Final = Path("/venv")
STDLIB: Final = Path(sysconfig.get_path("stdlib"))

LEFT_OUT: Final = {
    STDLIB: (
        *("test", "tests", "idlelib", "tkinter", "_tkinter.*", "turtledemo", "ensurepip", "pydoc_data"),
        *("config-*", "site-packages", "dist-packages", "*.a"),
    ),
    VENV: ("pip", "pip-*", "pip3*", "nanobind", "nanobind-*", "*.c", "*.h", "*.hpp", "*.cpp", "*.pyx"),
    APP: ("*.hpp", "*.cpp"),
}
"""What only developers use: tests, editors, and what is compiled or installed with."""

LANGUAGES: Final = frozenset({"root", "en", "ru", "uk"})
"""Whose dates and lists Babel has to write."""

DATA: Final = tuple(
    Path(name)
    for name in (
        "/etc/ld.so.cache",
        "/etc/nsswitch.conf",
        "/etc/ssl/certs/ca-certificates.crt",
        "/usr/share/zoneinfo",
    )
)


def collect(root: Path) -> None:
    """Copy everything into a folder that does not exist yet."""
    for name in ("bin", "lib", "lib64"):
        (root / "usr" / name).mkdir(parents=True)
        (root / name).symlink_to(f"usr/{name}")
    (root / "tmp").mkdir()
    (root / "tmp").chmod(0o1777)
    for folder, patterns in LEFT_OUT.items():
        copy(folder, root, ("__pycache__", *patterns))
    for path in (*DATA, *program(VENV / "bin" / "python")):
        copy(path, root)
    for path in (root / "venv").glob("lib/python*/site-packages/babel/locale-data/*.dat"):
        if path.stem.partition("_")[0] not in LANGUAGES:
            path.unlink()
    for library in sorted(set(libraries(root))):
        if not within(root, library).exists():
            copy(library, root)
    for folder in LEFT_OUT:  # the user may not write there, and to compile at each start takes a third of it
        compileall.compile_dir(within(root, folder), stripdir=str(root), quiet=2)
    (root / "etc" / "passwd").write_text(
        "root:x:0:0::/:/none\nklop:x:10001:10001::/data:/none\n", encoding="ascii"
    )


def within(root: Path, path: Path) -> Path:
    """Return where a file of this system is in the root."""
    return root / path.relative_to("/")


def copy(path: Path, root: Path, without: Sequence[str] = ()) -> None:
    """Copy a file, a link or a folder without the files of some patterns."""
    to = within(root, path)
    if path.is_dir():
        shutil.copytree(path, to, symlinks=True, ignore=shutil.ignore_patterns(*without))
    else:
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, to, follow_symlinks=not is_program(path))


def is_program(path: Path) -> bool:
    """Return whether a path is a name of the interpreter, which stays a link."""
    return path.name.startswith("python")


def program(link: Path) -> Iterator[Path]:
    """Yield what a link leads to, each further link first."""
    while link.is_symlink():
        link = link.parent / link.readlink()
        yield link


def libraries(root: Path) -> Iterator[Path]:
    """Yield the shared libraries that anything in the root is linked with, the loader included."""
    for path in sorted(root.rglob("*")):
        if path.is_symlink() or not path.is_file():
            continue
        with path.open("rb") as file:
            if file.read(4) != b"\x7fELF":
                continue
        done = subprocess.run(["/usr/bin/ldd", path], capture_output=True, text=True, check=False)  # noqa: S603
        for line in done.stdout.splitlines():
            name, _, found = line.strip().partition(" => ")
            library = (found or name).rpartition(" (")[0]
            if library.startswith("/") and not library.startswith(str(root)):
                yield Path(library)


if __name__ == "__main__":
    collect(Path(sys.argv[1]))
