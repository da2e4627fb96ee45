"""Programs of all kinds at the other end of the line; the first argument says which. Run as `python programs.py <kind>`."""

from __future__ import annotations

import sys
import time

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
    if kind == "good":
        say("info depth 1 value 0", "bestmove a2-a3")
    if kind == "illegal":
        say("bestmove a2-a5")
    if kind == "twice":
        say("bestmove a2-a3; a7-a6")
    if kind == "empty":
        say("bestmove  ;")


if __name__ == "__main__":
    main(sys.argv[1])
