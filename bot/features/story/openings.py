"""What is commonly played in a store: how the last matches of each game began."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Final

from bot.chat.match_lookup import sound
from bot.chat.registry import MATCH_OVER
from bot.features.analysis.judging import Judged
from bot.features.story.beats import Beat, beats
from play.facts import Fact
from play.match import Match, Phase
from play.replay import Course, turns_of
from play.table import Table
from storage.ports import FullStore

MOST: Final = 400  # matches of a game with the same options whose beginnings are kept
_DEEP: Final = 12  # turns of a beginning
_LEAST: Final = 3  # other matches in which a turn that is common was played
_SHARE: Final = 0.2  # of the other matches that came so far


@MATCH_OVER
async def keep(table: Table, store: FullStore, fact: Fact) -> None:
    """Keep how a match that is over began; once, however often it is asked.

    Raises:
        Unavailable: the fact comes again.
    """
    match = fact.match
    playable = match.phase is Phase.OVER and not match.imported and sound(table, match)
    if playable and (turns := _beginning(table.course(match))):
        text = "/".join((match.id, *turns))
        await store.timelines.add(_name(match), text, match.changed_at, most=MOST)


async def common(store: FullStore, match: Match, course: Course) -> int:
    """Return with how many turns a match begins as is commonly played; all of them where no departure is known."""
    own = _beginning(course)
    kept = [text.split("/") for text in await store.timelines.read(_name(match))]
    others = [turns for code, *turns in kept if code != match.id]
    for at, turn in enumerate(own):
        others = [turns for turns in others if len(turns) > at]
        same = [turns for turns in others if turns[at] == turn]
        if len(same) < max(_LEAST, _SHARE * len(others)):
            return at
        others = same
    return len(turns_of(course))


async def story(store: FullStore, match: Match, course: Course, turns: Sequence[Judged]) -> tuple[Beat, ...]:
    """Return the beats of a match beside what is commonly played."""
    return beats(match, course, turns, await common(store, match, course))


def _beginning(course: Course) -> Sequence[str]:
    """The first turns as they are compared; none where a match did not begin at the game's start."""
    if course.start != course.game.start(course.options):
        return ()
    order = sorted if course.game.unordered else list
    return [" ".join(order(turn.plies)) for turn in turns_of(course)[:_DEEP]]


def _name(match: Match) -> str:
    chosen = hashlib.blake2b(repr(match.options).encode(), digest_size=8).hexdigest()
    return f"beginnings:{match.game}:{chosen}"
