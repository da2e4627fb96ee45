"""What holds is looked at after each commit, by one who knows what the bot cannot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from bot.chat.sending.ports import Recipient
from bot.chat.sending.routing import label
from play.facts import Fact, Flagged, Later, Planned, TakenBack, TimeIsUp, Undone
from play.match import Match, Phase
from play.replay import begun, extended
from play.settings import Settings
from play.table import Table
from play.time.vacation import BUDGET
from rules import GAMES
from tests.reliability.month.knowing import Broken, hold, now
from tests.support.invariants import check_match, check_times

if TYPE_CHECKING:
    from tests.reliability.month.storing import Store


WHOLE_CHECKS: Final = 10
"""Of so many commits one is checked by replaying everything."""


class Watch:
    """Looks at everything that happens, and knows what the bot cannot know."""

    def __init__(self) -> None:
        self.store: Store
        self.tables: list[Table] = []
        self.now = now  # with `tables`, what the checks of the table's own tests ask for
        self.digest = blake2b(digest_size=16)
        self.counts: Counter[str] = Counter()
        self.down: list[tuple[datetime, datetime]] = []
        self.announced: dict[str, list[int]] = {}
        self.told: dict[tuple[str, str], list[int]] = {}
        self.nonces: set[str] = set()

    def note(self, *said: object) -> None:
        self.digest.update(f"{now()} {said}\n".encode())

    def committed(self, before: Match | None, fact: Fact, *, announced: bool) -> None:
        """One more commit: a new revision, that follows from the one before."""
        match = fact.match
        self.note(type(fact).__name__, match)
        self.counts["commits"] += 1
        self.counts[type(fact).__name__] += 1
        hold(match.revision == (before.revision if before else 0) + 1, "revisions count up")
        if before is not None:
            hold(before.live or before.addresses != match.addresses, "what is over stays")
            if not isinstance(fact, Undone | TakenBack):
                hold(match.log[: len(before.log)] == before.log, "a log only grows")
        if announced:
            self.announced.setdefault(match.id, []).append(match.revision)
        else:
            hold(isinstance(fact, Later | Planned), "everybody is told")
        if isinstance(fact, Flagged | TimeIsUp) and before is not None:
            self._flagged(before)
        self._sound(match, whole=self.counts["commits"] % WHOLE_CHECKS == 0 or not match.live)

    def _flagged(self, before: Match) -> None:
        """The time of the seat on turn was up, as is known here: of what it had, the bot's rest does not count."""
        times, clock = before.times, before.clock
        if times is None or clock is None or times.since is None:
            raise Broken("flagged without a clock")
        rest = sum(
            (max(timedelta(), min(end, now()) - max(start, times.since)) for start, end in self.down),
            timedelta(),
        )
        hold(now() - times.since - rest >= times.left[times.seat], "no seat is flagged early")
        player = before.chairs[times.seat].player
        if clock.vacation and player and not times.up:
            spent = self.store.settings._settings.get(player.account, Settings()).vacation
            hold(spent is not None and spent.spent == BUDGET, "the vacation goes first")

    def _sound(self, match: Match, *, whole: bool) -> None:
        game = GAMES[match.game]
        if whole:
            desk = _Desk(self.tables[0], now())
            check_match(desk, match)  # type: ignore[arg-type]
            check_times(desk, match)  # type: ignore[arg-type]
            hold(
                extended(begun(game, game.choose(dict(match.options))), match.log).log == match.log,
                "it replays",
            )
        course = self.tables[0].course(match)
        hold(course.log == match.log, "positions are those of the log")
        hold((match.phase is Phase.OVER) == (match.result is not None), "what is over has a result")
        running = match.phase is Phase.PLAYING and match.clock is not None and not match.paused
        hold(
            (match.times is not None and match.times.since is not None) == running,
            "a clock runs while it should",
        )
        if running and match.times:
            hold(match.times.seat == course.position.to_move, "the clock is that of the seat on turn")

    def shown(self, to: Recipient, told: Sequence[str], nonce: str | None) -> None:
        """A message came through."""
        self.note(label(to), told, nonce)
        if nonce is not None and nonce in self.nonces:
            self.counts["messages sent again"] += 1
            return
        if nonce is not None:
            self.nonces.add(nonce)
        self.counts["messages"] += 1
        match_id, *revisions = told
        seen = self.told.setdefault((label(to), match_id), [])
        new = [int(revision) for revision in revisions]
        hold(not (seen and new) or max(new) >= max(seen), "in order")
        seen += new

    def finish(self) -> None:
        """All that was announced has been told wherever it should."""
        for match_id, revisions in self.announced.items():
            match = self.store.matches.stored[match_id]
            public = {revision for key in self.told if key[1] == match_id for revision in self.told[key]}
            hold(set(revisions) <= public, f"{match_id}: untold {set(revisions) - public}")
            for address in match.addresses[:1]:
                seen = self.told.get((label(address), match_id), [])
                hold(bool(seen), "every match is shown")


class _Desk:
    """What the checks of the table's tests look at."""

    def __init__(self, table: Table, at: datetime) -> None:
        self.table, self.now = table, at
