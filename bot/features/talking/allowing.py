"""Whether the seats of a match may write to each other, and how often they did. Matches and settings stand on this file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Final

from bot.chat.arguments import choice
from bot.chat.errors import CommandError, shown
from bot.chat.grammar import OFF, ON
from bot.chat.presenting.naming import Presentation
from play.match import Match, Phase, Talk
from play.ports import NoteStore, Store
from rules.core import SEATS, Reason, Seat

TALK: Final = choice("talk", *Talk)

FEWEST: Final = 3  # seats of a match whose players write to each other
_SHOWN: Final = 6  # pairs that a board names, those that wrote most
_REQUESTS: Final = 20  # requests of a match that are recognised if they come again

_TYPED: Final = {
    **dict.fromkeys(OFF | {"off"}, Talk.OFF),
    **dict.fromkeys(ON | {"open", "відкрито", "открыто"}, Talk.OPEN),
    **dict.fromkeys(("hidden", "приховано", "скрыто"), Talk.HIDDEN),
}


class BadTalk(Reason):
    """Why a choice is refused."""

    UNKNOWN = "bot.command.bad-talk"  # text, known


def read_talk(typed: str) -> Talk:
    """Return what is typed for `talk:`, or refuse it."""
    if (found := _TYPED.get(typed.casefold())) is None:
        raise CommandError(BadTalk.UNKNOWN, text=shown(typed), known=", ".join(Talk))
    return found


async def talk_in(store: Store, match: Match) -> Talk:
    """Return the stricter of what was chosen for a match, and for the place where it was made."""
    places = await store.settings.get_many(*match.addresses[:1])
    return max((match.talk, *(place.talk for place in places)), key=tuple(Talk).index)


async def may_talk(store: Store, match: Match) -> bool:
    """Whether the seats of a match under way may write to each other."""
    under_way = len(match.chairs) >= FEWEST and match.phase is Phase.PLAYING
    return under_way and await talk_in(store, match) is not Talk.OFF


async def count(notes: NoteStore, match: Match, seat: Seat, to: Iterable[Seat], once: str) -> int:
    """Count a message of a seat to others; return its number in the match. A request that comes again counts once."""

    def counted(held: str | None) -> str:
        number, pairs, done = _read(held)
        if once not in done:
            number += 1
            for other in to:
                pair = f"{min(seat, other).number}-{max(seat, other).number}"
                pairs[pair] = pairs.get(pair, 0) + 1
            done |= {once: number} if once else {}
        return json.dumps([number, pairs, dict([*done.items()][-_REQUESTS:])])

    number, _, done = _read(await notes.change(_name(match), counted))
    return done.get(once, number)


async def talked(store: Store, presentation: Presentation) -> Sequence[str]:
    """Return the line of a board that says who wrote to whom, how often; none where no one did, or it is not to be told."""
    match, words, names = presentation.match, presentation.words, presentation.names
    if len(match.chairs) < FEWEST or match.phase not in (Phase.PLAYING, Phase.OVER):
        return ()
    (held,) = await store.notes.read(_name(match))
    pairs = _read(held)[1]
    if not pairs or await talk_in(store, match) is Talk.HIDDEN:
        return ()
    said = []
    for pair, times in sorted(pairs.items(), key=lambda each: -each[1])[:_SHOWN]:
        one, other = (names.seat(SEATS[int(number) - 1]) for number in pair.split("-"))
        said.append(words("bot.talk.pair", one=one, other=other, count=times))
    said += ["…"] if len(pairs) > _SHOWN else []
    return (words("bot.talk.pairs", pairs=", ".join(said)),)


def _name(match: Match) -> str:
    return f"talk:{match.id}"


def _read(held: str | None) -> tuple[int, dict[str, int], dict[str, int]]:
    """Return the number of messages, those of each pair of seats, and those of the last requests."""
    number, pairs, done = json.loads(held) if held else (0, {}, {})
    return number, pairs, done
