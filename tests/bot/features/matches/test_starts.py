"""Playing on from elsewhere: from a turn of a match, from a position, with odds; against the computer, anyone, or both sides alone."""

from __future__ import annotations

import pytest

from play.match import Match, Phase
from tests.bot.world import ANN, BOB, Guest, World


class Starter(Guest):
    """Ann, who has played a match with Bob."""

    def __init__(self) -> None:
        super().__init__(World())

    @property
    def newest(self) -> Match:
        return max(self.world.store.matches.stored.values(), key=lambda match: (match.opened, match.id))

    async def finished(self) -> Match:
        match = await self.world.begin("breakthrough", {"board": "5x5"})
        for who, move in ((ANN, "a2-a3"), (BOB, "b4xa3"), (ANN, "b2xa3"), (BOB, "c4-c3")):
            await self.world.say(who, f"/move {move} #{match.id}")
        await self.world.say(BOB, f"/resign yes #{match.id}")
        return await self.world.table.get(match.id)


async def test_play_from_here_steps_through_the_turns_and_begins_against_whom_is_chosen() -> None:
    guest = Starter()
    over = await guest.finished()
    (shown,) = await guest.say(f"/replay #{over.id}")
    view = await guest.press("Play from here", view=shown.view)
    assert view.lines[1] == "From turn 4, bob to move"
    view = await guest.press("-1", view=view)
    assert view.lines[1] == "From turn 3, ann to move"
    assert [each.label for each in view.buttons[:2]] == ["-1", "+1"]
    board = view.diagram
    begun = await guest.press("Both sides myself", view=view)
    match = guest.newest
    assert match.start is not None
    assert match.start.source == f"#{over.id}:3"
    assert (match.phase, match.options) == (Phase.PLAYING, over.options)
    assert f"Begins from turn 3 of #{over.id}." in begun.lines
    assert board is not None
    assert begun.diagram is not None
    assert begun.diagram.pieces == board.pieces
    assert "Turn: ann (White)" in begun.after
    await guest.say(f"/move b2xa3 #{match.id}")
    assert len((await guest.world.table.get(match.id)).log) == 1


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("/challenge bob from:#{over}:9", "There is no turn 9: the last one played is turn 4."),
        ("/challenge bob lgame from:#{over}:2", "“from:#{over}:2” and “game:lgame” contradict each other."),
        ("/challenge bob breakthrough board:6x6 from:#{over}", "“board:6x6” contradict each other."),
        ("/challenge bob breakthrough from:#{live}", "is still being played, so nobody"),
        ("/challenge bob breakthrough odds:2 from:#{over}", "contradict each other"),
        ("/challenge bob breakthrough odds:many", "without"),
        ("/challenge bob lgame from:o222/.12./.12./.11o 1", "No L (player 2)"),
        ("/challenge bob side:both breakthrough", "1"),
    ],
)
async def test_what_cannot_be_begun_is_refused_with_what_to_do(line: str, said: str) -> None:
    guest = Starter()
    over = await guest.finished()
    live = await guest.world.begin("breakthrough", {"board": "5x5"})
    before = len(guest.world.store.matches.stored)
    (answer,) = await guest.say(line.format(over=over.id, live=live.id))
    assert answer.refused
    assert said.format(over=over.id) in "\n".join(answer.view.lines)
    assert len(guest.world.store.matches.stored) == before


async def test_a_card_shows_the_position_and_says_where_it_is_from() -> None:
    guest = Starter()
    over = await guest.finished()
    (told,) = await guest.say(f"/challenge bob from:#{over.id}:2")
    assert f"Begins from turn 2 of #{over.id}." in told.view.lines
    assert told.view.diagram is not None
    (told,) = await guest.say("/challenge bob breakthrough from:bbbb/4/4/wwww b")
    assert "Begins from a position of one’s own." in told.view.lines
    assert dict(guest.newest.options)["board"] == "4x4"
    (told,) = await guest.say("/challenge bob breakthrough odds:3")
    assert any(line.startswith("ann gives odds.") for line in told.view.lines)
    assert guest.newest.chairs[1].player == ANN
    (asked,) = await guest.say("/challenge breakthrough from:bbbb/4/4/wwww b")
    assert [each.label for each in asked.view.buttons][-2:] == ["Anyone", "Both sides myself"]


async def test_of_another_start_it_is_not_said_who_wins_the_usual_one() -> None:
    guest = Starter()
    over = await guest.finished()
    for line in (f"bob from:#{over.id}:2", "bob breakthrough board:5x5 odds:2"):
        (told,) = await guest.say(f"/challenge {line}")
        assert guest.newest.start is not None
        assert not [said for said in told.view.lines if "best play" in said or "Between equals" in said], line
