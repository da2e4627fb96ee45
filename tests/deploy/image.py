"""The image without a container engine: the Dockerfile's build stage, taken step by step in a Debian of its own.

`python -m tests.deploy.image` builds it and prints what each part of it takes. It needs root, mmdebstrap and the package
indexes. Debian's Python stands for the base image's, which is of the same minor version; all else is what the Dockerfile says.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from bot.chat.i18n.catalogue import ROOT

DOCKERFILE: Final = ROOT / "Dockerfile"
IGNORED: Final = ROOT / ".dockerignore"
LIMIT: Final = 180  # MB, unpacked

PARTS: Final = {
    "packages": "venv",
    "Klop": "app",
    "Python": "usr/lib/python3*",
    "libraries, interpreter, certificates, time zones": "",
}
"""Folders of the root by what they hold; the last one is the rest."""

_PATH: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

_CERTIFICATES: Final = Path("/etc/ssl/certs/ca-certificates.crt")

_READ_ONLY: Final = """
set -e
mkdir -p "$0/proc" "$0/dev" "$0/data"
mount --bind "$0" "$0"
mount -t tmpfs -o mode=1777 tmpfs "$0/tmp"
mount -t tmpfs -o mode=0700,uid=10001,gid=10001 tmpfs "$0/data"
mount -t proc proc "$0/proc"
mount --rbind /dev "$0/dev"
mount -o remount,bind,ro "$0"
exec unshare --root="$0" --wd=/app --setuid=10001 --setgid=10001 -- "$@"
"""


def can_build() -> bool:
    """Return whether this machine has what it needs."""
    return os.geteuid() == 0 and shutil.which("mmdebstrap") is not None


def stages() -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Return the instructions of both stages, each as its name and the rest."""
    text = re.sub(r"^#.*\n", "", DOCKERFILE.read_text("utf-8"), flags=re.MULTILINE).replace("\\\n", " ")
    lines = [line.partition(" ")[::2] for line in text.splitlines() if line.strip()]
    last = max(at for at, (name, _) in enumerate(lines) if name == "FROM")
    return lines[:last], lines[last:]


def built(folder: Path) -> Path:
    """Build the image in a new folder; return its root."""
    first, _ = stages()
    system = _base(folder / "system", first[0][1])
    work, given = "/", {"PATH": _PATH, "PIP_CERT": "/certificates-of-the-builder"}
    for name, rest in first:
        if name == "WORKDIR":
            work = rest
            (system / work.lstrip("/")).mkdir(parents=True, exist_ok=True)
        elif name == "ARG":
            given[rest.partition("=")[0]] = "0000000"
        elif name == "COPY":
            source, to = rest.split()
            _copy(ROOT / source, system / Path(work, to).relative_to("/"), into=to.endswith("/"))
        elif name == "RUN":
            command = ["chroot", str(system), "/bin/sh", "-ec", f"cd {work}; {rest}"]
            subprocess.run(command, env=given, check=True, stdout=sys.stderr)
    return system / "image"


def _base(system: Path, image: str) -> Path:
    """Install what stands for the base image: Debian with its Python, and certificates for pip."""
    found = re.match(r"python:(3\.\d+)\.\d+-slim-(\w+)", image)
    assert found is not None
    python, suite = found.groups()
    packages = f"python{python},python{python}-venv,python3-dev,python-is-python3,ca-certificates,tzdata"
    subprocess.run(
        ["mmdebstrap", "--quiet", "--variant=minbase", f"--include={packages}", suite, system], check=True
    )
    shutil.copy(_CERTIFICATES, system / "certificates-of-the-builder")
    return system


def _copy(source: Path, to: Path, *, into: bool) -> None:
    target = to / source.name if into and source.is_file() else to
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        ignored = [line[3:] for line in IGNORED.read_text("utf-8").split() if line.startswith("**/")]
        shutil.copytree(source, target, ignore=shutil.ignore_patterns(*ignored))
    else:
        shutil.copy(source, target)


def command(root: Path, *arguments: str) -> list[str]:
    """Return how the image is run: as its user, with a root that is read-only but for /data and /tmp."""
    _, last = stages()
    settings = [pair for name, rest in last if name == "ENV" for pair in rest.split()]
    kept = [pair for pair in settings if not pair.startswith("PATH=")]
    (entry,) = (json.loads(rest) for name, rest in last if name == "ENTRYPOINT")
    start = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "env", "-i", f"PATH={_PATH}", *kept]
    return [*start, "/bin/sh", "-c", _READ_ONLY, str(root), f"/venv/bin/{entry[0]}", *entry[1:], *arguments]


def sizes(root: Path) -> dict[str, float]:
    """Return the megabytes (10^6 bytes) of each part, as files take them on a disk without its blocks' rest."""

    def size(paths: Iterator[Path]) -> float:
        return sum(path.lstat().st_size for path in paths) / 1e6

    found, whole = {}, size(root.rglob("*"))
    for part, pattern in PARTS.items():
        if pattern:
            found[part] = size(each for top in root.glob(pattern) for each in top.rglob("*"))
        else:
            found[part] = whole - sum(found.values())
    return found


if __name__ == "__main__":
    if not can_build():
        sys.exit("It takes root and mmdebstrap.")
    with tempfile.TemporaryDirectory(prefix="klop-image-") as scratch:
        measured = sizes(built(Path(scratch)))
    for part, megabytes in {**measured, "all": sum(measured.values())}.items():
        print(f"{megabytes:7.1f} MB  {part}")  # noqa: T201
