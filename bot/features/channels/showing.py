"""What a place that plays sees: its proposals as letters on the board, what can be pressed, how it voted, and the table at the end.

One message a turn: the board that the opponent's move brings calls those who asked for it, and is edited from then on. How many votes
a proposal has is told to those who have voted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Final

from bot.chat.callback_data import Verb
from bot.chat.i18n import Words
from bot.chat.presenting.boards import current_board
from bot.chat.presenting.captions import ALT
from bot.chat.presenting.lettered import lettered, lettered_words
from bot.chat.presenting.moments import soon
from bot.chat.presenting.naming import Presentation, button
from bot.chat.registry import Registry
from bot.chat.sending.ports import Recipient
from bot.chat.sending.routing import Announcement, MessageKind
from bot.chat.services import Services
from bot.chat.view import Button, View
from bot.features.analysis.judging import ANALYSED, Judged
from bot.features.channels.council import LETTERS, Council, Stage, Turn, Why
from bot.features.channels.keeping import Councils, on_turn, place_seats
from play.facts import Deliberated, Fact, Moved
from play.match import Match, Phase
from play.people import Account, Address, channel
from play.replay import Course
from play.time.timers import quiet_until
from storage.ports import FullStore

registry: Final = Registry()

_CALLED: Final = 100  # people of a place whom its turns call
_PROPOSERS: Final = 8  # lines of the table

KEYS: Final = {
    "bot.channel.why.{}": ([why.value for why in Why],),
    "bot.channel.stage.{}": ([Stage.TALK, Stage.VOTE, Stage.DECIDED],),
}
"""For the check of the catalogues."""


async def reminded(store: FullStore, place: Address, who: Account, *, on: bool, at: datetime) -> None:
    """Have a person called, or no more, when it is the turn of a place."""
    name = f"reminded:{place}"
    if on:
        await store.timelines.add(name, str(who), at, most=_CALLED)
    else:
        await store.timelines.remove(name, str(who))


async def shown(
    services: Services, announcement: Announcement, presentation: Presentation, to: Recipient, newest: Fact
) -> Announcement:
    """Return what is shown at a place that plays, with what its people propose; all else as it is."""
    match = presentation.match
    board = announcement.kind in (MessageKind.EDIT, MessageKind.IN_PLACE, MessageKind.BOARD)
    if not isinstance(to, Address) or match.phase is Phase.OPEN or not board:
        return announcement
    account = channel(to)
    if match.seat_of(account) is None:
        return announcement
    council = await Councils(services).follow(match, account, to)
    still = replace(announcement, looking=(), recalls=False, keys=lambda: None)
    if not match.live:
        lines = table(presentation, council)
        return replace(still, view=replace(still.view, after=(*still.view.after, *lines)))
    if not on_turn(services, match, account):
        played = isinstance(newest, Moved) and match.player(newest.seat).account == account
        decided = decision(council, presentation.words) if played else ()
        view = replace(still.view, lines=(*decided, *still.view.lines))
        return replace(still, view=view, kind=MessageKind.EDIT if played else still.kind)
    view = _deliberated(presentation, council, services.now(), still.view)
    relay = council.turn is not None and council.turn.drawn is not None
    calls = isinstance(newest, Deliberated) and newest.calls
    if not (calls or still.kind > MessageKind.EDIT or (relay and isinstance(newest, Moved))):
        return replace(still, view=view)
    ping = await _called(services, council, to, services.now())
    return replace(still, view=view, kind=MessageKind.BOARD, ping=ping)


async def _called(services: Services, council: Council, place: Address, at: datetime) -> tuple[Account, ...]:
    """Return whom a turn calls: in a relay the member who is drawn, else those who asked for it; no one in quiet hours."""
    settings = await services.store.settings.get(place)
    if settings.quiet and quiet_until(settings.quiet, at):
        return ()
    if council.turn is not None and council.turn.drawn is not None:
        return (Account(*council.pool[council.turn.drawn].account.split(":", 1)),)
    found = await services.store.timelines.read(f"reminded:{place}")
    return tuple(Account(*text.split(":", 1)) for text in found)


def deliberating(presentation: Presentation, council: Council, at: datetime, who: str) -> View:
    """Return the board as a person of the place asks for it: with how many votes each proposal has, if they have voted."""
    view = current_board(presentation)
    if council.turn is None:
        return view
    view = _deliberated(presentation, council, at, view)
    if who not in council.turn.votes:
        return view
    letter = LETTERS[council.turn.votes[who]]
    mine = presentation.words("bot.channel.voted", letter=letter)
    return replace(view, lines=(*view.lines, f"{mine} {counted(council, presentation.words)}"))


def _deliberated(presentation: Presentation, council: Council, at: datetime, view: View) -> View:
    """Return a place's board with what its people have come to: who has the turn, or the proposals, by letters, and the keys for them."""
    turn, words = council.turn, presentation.words
    if turn is None or presentation.match.paused:
        return view
    if turn.drawn is not None:
        name, until = council.pool[turn.drawn].name, soon(turn.until, at, words, presentation.zone)
        said = words("bot.channel.relay", name=name, until=until)
        joins = button(presentation, Verb.BALLOT, "in", label=words("bot.channel.button.in"))
        return replace(
            view, lines=(*view.lines, said), controls=(*view.controls[:-1], joins, view.controls[-1])
        )
    stage = turn.stage(at)
    lines = [words(f"bot.channel.stage.{stage}", until=soon(turn.ends(at), at, words, presentation.zone))]
    lines += [_proposal(turn, number, words) for number in range(len(turn.proposals))]
    if turn.votes:
        lines.append(words.count("bot.channel.votes", len(turn.votes)))
    keys = turn.standing if stage is Stage.VOTE else ()
    if stage is Stage.TALK and turn.crowd:
        keys = tuple(number for number, each in enumerate(turn.proposals) if not each.vetoed)
    letters = tuple(button(presentation, Verb.BALLOT, LETTERS[n], label=LETTERS[n]) for n in keys)
    controls = _with(view, presentation, letters, moves=stage is Stage.TALK)
    view = replace(view, lines=(*view.lines, *lines), controls=controls)
    turns = ["" if each.vetoed else each.turn for each in turn.proposals]
    if not any(turns) or view.diagram is None:
        return view
    position = presentation.course.position
    alt = " ".join((view.alt, *lettered_words(presentation.names, position, turns)))
    return replace(view, diagram=lettered(presentation.game, position, turns), alt=alt[:ALT])


def _with(
    view: View, presentation: Presentation, keys: Sequence[Button], *, moves: bool = False
) -> tuple[Button, ...]:
    """Return the controls of a board, with those of the place in the place of the key to move, unless it stays to propose by."""
    left = [each for each in view.controls if each.data.verb is not Verb.MOVE]
    label = presentation.words("bot.channel.button.propose")
    first = (button(presentation, Verb.MOVE, label=label),) if moves else ()
    return (*first, *keys, *left)


def _proposal(turn: Turn, number: int, words: Words) -> str:
    each = turn.proposals[number]
    fields = {"letter": LETTERS[number], "turn": each.turn, "name": each.by.name}
    if each.vetoed:
        return words("bot.channel.proposal.vetoed", **fields)
    if turn.crowd and not each.seconds:
        return words("bot.channel.proposal.alone", **fields)
    return words("bot.channel.proposal", **fields)


def counted(council: Council, words: Words) -> str:
    """Return how many votes each proposal has."""
    if council.turn is None:
        return ""
    counts = council.turn.counts()
    shown = [f"{LETTERS[number]} {counts[number]}" for number in council.turn.standing]
    return words("bot.channel.counts", counts=", ".join(shown))


def decision(council: Council, words: Words) -> tuple[str, ...]:
    """Return how the last turn was decided, as everyone at the place is told."""
    now = council.turn
    if now is not None and now.why is not None:
        found = next((each for each in now.proposals if each.turn == now.chosen), None)
        counts, why = now.counts(), now.why
        votes = counts[now.proposals.index(found)] if found else 0
        name, of = found.by.name if found else "", len(now.votes)
    elif council.played:
        last = council.played[-1]
        why, votes, of, name = last.why, last.votes, last.of, last.by.name
    else:
        return ()
    return (words(f"bot.channel.why.{why}", name=name, votes=votes, of=of),)


def table(presentation: Presentation, council: Council) -> tuple[str, ...]:
    """Return who proposed what was played, and how often the place agreed with the engine, once the match has been analysed."""
    words, played = presentation.words, [each for each in council.played if each.by.name]
    if not council.played:
        return ()
    counts = Counter(each.by.name for each in played)
    shares = [f"{name} {count}" for name, count in counts.most_common(_PROPOSERS)]
    lines = [words.count("bot.channel.table", len(council.played), shares=", ".join(shares) or "—")]
    if council.best is not None:
        agreed, of, best = council.best
        lines.append(words.count("bot.channel.agreed", of, agreed=agreed))
        if best:
            name = next((each.by.name for each in played if each.turn == best), "")
            lines.append(words("bot.channel.best", turn=best, name=name or "—"))
    return tuple(lines)


@ANALYSED
async def compared(
    _thinker: object, store: FullStore, match: Match, _course: Course, turns: tuple[Judged, ...]
) -> None:
    """Note how often a place that played has chosen what the engine would have."""
    for account, _ in place_seats(match):
        seats = tuple(match.seats_of(account))
        own = [each for each in turns if each.played.seat in seats]
        agreed = [each for each in own if each.same]
        # The hardest to find: that with the fewest others as good.
        best = min((each for each in agreed if each.keep), key=lambda each: each.keep or 0, default=None)
        found = " ".join(best.played.plies) if best else ""
        await Councils.note(store, match, account, (len(agreed), len(own), found))


registry.composing["councils"] = lambda services: partial(shown, services)
