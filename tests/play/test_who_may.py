"""Who may ask for what, and when: one row for each action, one column for each state of a match."""

from __future__ import annotations

from typing import Any

import pytest

from play.actions.agreeing import Answer, AskPause, AskTakeback, OfferDraw, Resume, Undo
from play.actions.leaving import Claim, Leave, Resign
from play.actions.planning import MakePlan
from play.actions.playing import MakeMove
from play.actions.seating import Withdraw
from play.errors import Refused
from play.match import Ask
from play.request import Action
from tests.support.desk import ANN, BOB, EVE, Desk

NOT_SEATED, NOT_STARTED, OVER, STALE = (Refused.NOT_SEATED, Refused.NOT_STARTED, Refused.OVER, Refused.STALE)
ACTIONS: list[Action[Any]] = [
    MakeMove("a2-a3"),
    MakePlan("if a7-a6 then b2-b3"),
    Undo(),
    AskTakeback(),
    OfferDraw(),
    AskPause(),
    Resume(),
    Answer(Ask.DRAW, True),
    Answer(Ask.DRAW, False),
    Claim(),
    Resign(),
    Leave(),
]


@pytest.mark.parametrize("action", ACTIONS, ids=repr)
async def test_who_may_not(desk: Desk, action: Action[Any]) -> None:
    invited = await desk.invited(ANN, BOB, clock="3d")
    if not isinstance(action, Leave):  # that is giving the chair back
        await desk.refused(invited, ANN, action, NOT_STARTED)
    await desk.refused(invited, EVE, action, NOT_SEATED)
    await desk.act(invited, ANN, Withdraw())
    if not isinstance(action, Leave):
        await desk.refused(invited, ANN, action, Refused.CALLED_OFF)
    match = await desk.duel(clock="3d")
    await desk.refused(match, EVE, action, NOT_SEATED)
    if isinstance(action, MakeMove | MakePlan | Undo | AskTakeback | OfferDraw | Claim):
        for wrong in (1, 99):
            await desk.refused(match, ANN, action, STALE, seen=wrong)
    await desk.act(match, BOB, Resign())
    await desk.refused(match, ANN, action, OVER)
    await desk.refused(match, EVE, action, NOT_SEATED)
