"""Matches whose records are stored beside this file, one file for each schema version that the bot reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import cast

from play.match import Ask, Cancel, Closing, Exit, Match, Offer, Ply
from play.time.clock import Clock, Times
from rules.core import SEATS, Seat
from tests.support.matches import OPENED, called_off, lobby, over, running, timed

TIMES = cast("Times", timed().times)

GOLDEN: Mapping[str, Match] = {
    "lobby": replace(lobby(), revision=1),
    "running": replace(running(), revision=4),
    "long": replace(running(plies=80), revision=2**40),
    "draw-offer": replace(running(), offer=Offer(Ask.DRAW, Seat.S1, (Seat.S2, Seat.S10)), revision=5),
    "over": replace(over(), revision=6),
    "called-off": replace(called_off(), revision=2),
    **{
        f"cancelled-{cancel.name.lower()}": replace(called_off(), cancelled=cancel, revision=2)
        for cancel in (Cancel.DECLINED, Cancel.WITHDRAWN, Cancel.EXPIRED, Cancel.EMPTY)
    },
    "exits": replace(
        over(),
        revision=7,
        log=(
            Exit(Seat.S10, Closing.RESIGNED, OPENED),
            Exit(Seat.S9, Closing.DRAW_AGREED, OPENED),
            Exit(Seat.S8, Closing.REPETITION, OPENED),
            *(Ply(seat, "L c1-c3-d3 n a4-b2", OPENED) for seat in SEATS),
        ),
    ),
    "timed": replace(timed(), revision=8),
    "paused": replace(timed(), revision=9, paused=OPENED, offer=Offer(Ask.RESUME, Seat.S1)),
    "pause-asked": replace(timed(), revision=9, offer=Offer(Ask.PAUSE, Seat.S1), plans=()),
    "automatic-vacation": replace(
        timed(),
        revision=9,
        times=replace(TIMES, away=(*TIMES.away, replace(TIMES.away[0], seat=Seat.S2, automatic=True))),
    ),
    "per-move": replace(timed(), revision=10, clock=Clock(timedelta(days=3)), noticed=OPENED),
    "imported": replace(over(), revision=1, imported=True),
    "rated": replace(over(), revision=12, rated=True),
    "silence": replace(
        over(), revision=11, log=(Exit(Seat.S1, Closing.SILENCE, OPENED), Exit(Seat.S1, Closing.TIME, OPENED))
    ),
}
