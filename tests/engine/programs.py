"""Programs of all kinds at the other end of the line; the first argument says which. Run as `python programs.py <kind>`."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

GREETING = ["id name Odd", "protocol 1", "game breakthrough", "ok"]


def say(*lines: str) -> None:
    for line in lines:
        sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main(kind: str) -> None:
    for line in sys.stdin:
        word = line.split()[0]
        if word == "klop":
            if kind == "dumb":
                continue
            if kind == "leaving":
                leave(Path(sys.argv[2]))
            if kind == "spying":
                spy(Path(sys.argv[2]))
            say(*(["protocol 7", "ok"] if kind == "foreign" else GREETING))
        elif word in ("newgame", "position"):
            say("error bad-position no" if kind == "refusing" else "ok")
        elif word == "go":
            answer(kind)
        elif word == "stop" and kind == "late":
            say("bestmove a2-a3")


def answer(kind: str) -> None:
    if kind == "dead":
        sys.exit(3)
    if kind == "hung":
        time.sleep(3600)
    if kind == "flood":
        while True:
            say("info depth 1")
    if kind == "long":
        sys.stdout.write("bestmove " + "a" * 200_000)
        say("")
    if kind in ("good", "leaving", "spying"):
        say("info depth 1 value 0", "bestmove a2-a3")
    if kind == "illegal":
        say("bestmove a2-a5")
    if kind == "twice":
        say("bestmove a2-a3; a7-a6")
    if kind == "empty":
        say("bestmove  ;")


def leave(told: Path) -> None:
    """Leave a process behind that is no child, in a session of its own; write its process id."""
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        told.write_text(str(os.getpid()))
        for stream in range(3):
            os.close(stream)
        time.sleep(3600)
        os._exit(0)
    os.wait()
    while not (told.exists() and told.read_text()):
        time.sleep(0.001)


def spy(told: Path) -> None:
    """Write what the program was started with: its environment and its file descriptors."""
    environment = Path("/proc/self/environ").read_bytes().decode().split("\0")
    listed = [*Path("/proc/self/fd").iterdir()]  # and the one by which they are listed, which is closed then
    open_ones = sorted(int(each.name) for each in listed if os.path.lexists(each))
    told.write_text(json.dumps([sorted(filter(None, environment)), open_ones]))


if __name__ == "__main__":
    main(sys.argv[1])
