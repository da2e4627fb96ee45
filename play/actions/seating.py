"""Taking chairs, and the start of a match.

Ways in which an invitation comes to nothing: declined, withdrawn, or expired.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import ClassVar

from play.errors import BadRequest, NotAllowed, Refused, Stale, WrongPhase
from play.facts import CalledOff, Joined, Started, TurnedDown
from play.match import PLAYERS, Cancel, Chair, Match, Phase, is_engine, open_size
from play.people import Account, Player, channel_place, entering, is_channel
from play.replay import Course, begun, extended
from play.request import Action, Replayer, Request, check_fresh, check_open, seat_of
from play.time.clock import Times, turned
from rules.core import AnyGame, BadOption, Number, Seat, Sides


@dataclass(frozen=True, slots=True)
class Decline(Action[TurnedDown | CalledOff]):
    """Turn down an invitation that was meant for oneself. The seat is free then; a challenge that leaves its host alone ends.

    A match from a file ends as well: no other player may take a seat in it.
    """

    def decide(
        self, match: Match, _replay: Replayer, request: Request
    ) -> tuple[TurnedDown | CalledOff, None]:
        check_open(match)
        account = request.account
        check_unseated(match, account)
        seat = next((i for i, chair in enumerate(match.chairs) if chair.kept_for(account)), None)
        if seat is None:
            own = match.host.account == account
            raise NotAllowed(Refused.OWN_CHALLENGE if own else Refused.NOT_INVITED)
        invited = match.chairs[seat].reserved
        assert invited is not None, "invited"  # noqa: S101 - it was looked for
        left = replace(match, chairs=(*match.chairs[:seat], Chair(), *match.chairs[seat + 1 :]))
        if match.log or not (match.lobby or _has_others(left)):
            return called_off(match, Cancel.DECLINED, invited), None
        return TurnedDown(left, invited), None


@dataclass(frozen=True, slots=True)
class Withdraw(Action[CalledOff]):
    """Take back one's own invitation."""

    def decide(self, match: Match, _replay: Replayer, request: Request) -> tuple[CalledOff, None]:
        check_open(match)
        if match.host.account != request.account:
            seated = match.seat_of(request.account) is not None
            reason = Refused.NOT_HOST if seated else Refused.NOT_HOST_NOR_SEATED
            raise NotAllowed(reason, host=match.host.name)
        return called_off(match, Cancel.WITHDRAWN, match.host), None


@dataclass(frozen=True, slots=True)
class Expire(Action[CalledOff]):
    """Call off an invitation whose time has run out."""

    by_player: ClassVar[bool] = False

    def decide(self, match: Match, _replay: Replayer, request: Request) -> tuple[CalledOff, None]:
        check_open(match)
        check_fresh(match, request, match.revision)
        if not match.expired(request.at):
            raise Stale(match)
        return called_off(match, Cancel.EXPIRED, None), None


def _has_others(match: Match) -> bool:
    people = [who.account for chair in match.chairs for who in (chair.player, chair.reserved) if who]
    others = [who for who in people if who != match.host.account and not is_engine(who)]
    return len(match.chairs) > 2 and bool(others)


def called_off(match: Match, why: Cancel, by: Player | None) -> CalledOff:
    """Return the end of an invitation that came to nothing."""
    return CalledOff(replace(match, phase=Phase.CALLED_OFF, cancelled=why), why, by)


def check_unseated(match: Match, account: Account) -> None:
    """Refuse a person who has a chair already."""
    if match.seat_of(account) is not None:
        own = match.host.account == account and not match.lobby
        raise NotAllowed(Refused.OWN_CHALLENGE if own else Refused.ALREADY_SEATED)


@dataclass(frozen=True, slots=True)
class Join(Action[Started | Joined]):
    """Take a chair: of the team asked for; or the one kept for oneself; or one of the team with the fewest members.

    A player who is seated already and asks for another team goes over to it.

    Attributes:
        team: Which, counted from 1.
    """

    team: int | None = None

    meets: ClassVar[bool] = True

    def decide(self, match: Match, replay: Replayer, request: Request) -> tuple[Started | Joined, Course]:
        course = replay(match)
        check_open(match)
        who = entering(request.who)
        if match.rated and is_engine(who.account):
            raise NotAllowed(Refused.RATED_ENGINE)
        if match.rated and is_channel(who.account) is not is_channel(match.host.account):
            raise NotAllowed(Refused.RATED_CHANNEL)
        if not _changes_team(match, course.sides, who.account, self.team):
            check_unseated(match, who.account)
        growing = open_size(course.game, match)
        sides = tuple((Seat(index),) for index in range(len(match.chairs))) if growing else course.sides
        seat = _chair_for(match, sides, who.account, self.team)
        chairs = [Chair() if chair.concerns(who.account) else chair for chair in match.chairs]
        chairs[seat] = Chair(player=who)
        match = replace(match, chairs=tuple(chairs))
        if (place := channel_place(who.account)) is not None:  # it reads what it plays
            match = replace(match, addresses=tuple(dict.fromkeys((*match.addresses, place))))
        if growing and all(chair.player for chair in chairs):
            match = _with_one_more(course.game, match)
        if not match.lobby and match.full:
            return begin(match, course, request.at), course
        return Joined(match, who, seat), course


@dataclass(frozen=True, slots=True)
class SeatEngine(Action[Started | Joined]):
    """Have an engine take a chair, by the word of the host, or of a player who sits there."""

    engine: Player

    def decide(self, match: Match, replay: Replayer, request: Request) -> tuple[Started | Joined, Course]:
        if match.host.account != request.account:
            seat_of(match, request.account)
        return Join().decide(match, replay, replace(request, who=self.engine))


@dataclass(frozen=True, slots=True)
class Start(Action[Started]):
    """Begin a match by its host's word, or, once every chair is taken, by that of a player who sits there.

    With chairs left empty, a game that has an option for the number of players is played by those present. What is not
    chosen, such as the board, then follows from their number.
    """

    def decide(self, match: Match, replay: Replayer, request: Request) -> tuple[Started, Course]:
        host = match.host.account == request.account
        if not host:
            seat_of(match, request.account)
        check_open(match)
        if not (match.full or host):
            raise NotAllowed(Refused.NOT_HOST, host=match.host.name)
        check_fresh(match, request, match.position_since)
        course = replay(match)
        if not match.full:
            match = of_those_present(course.game, match)
            course = started(course.game, match)
        return begin(match, course, request.at), course


def started(game: AnyGame, match: Match) -> Course:
    """Return the course of a match that may not be stored yet."""
    return extended(begun(game, game.choose(dict(match.options)), match.start), match.log, match.id)


def begin(match: Match, course: Course, at: datetime) -> Started:
    """Return the match under way; over at once if the rules see nothing to play in its start position.

    Its clock runs from now on; in a match from a file, from what each seat had left.
    """
    result = None if match.log else course.result
    match = replace(match, phase=Phase.OVER if result else Phase.PLAYING, result=result, touched=at)
    if match.clock is not None:
        to, since = course.position.to_move, None if result else at
        if match.times is None:
            times = Times((match.clock.initial,) * len(match.chairs), to, at)
        else:
            times = replace(turned(match.times, to, at), credited=len(match.log))
        match = replace(match, times=replace(times, since=since))
    return Started(match)


def counts_players(game: AnyGame) -> bool:
    """Whether the number of players is an option of the game."""
    return any(option.key == PLAYERS and isinstance(option, Number) for option in game.schema.options)


def _changes_team(match: Match, sides: Sides, account: Account, team: int | None) -> bool:
    """Whether a seated player asks for a team they are not in; in a match from a file each has their own seat."""
    seat = match.seat_of(account)
    if seat is None or team is None or match.log:
        return False
    return not (1 <= team <= len(sides) and seat in sides[team - 1])


def _chair_for(match: Match, sides: Sides, account: Account, team: int | None) -> Seat:
    kept = [Seat(index) for index, chair in enumerate(match.chairs) if chair.kept_for(account)]
    if kept and team is None:
        return kept[0]
    free = {Seat(i) for i, chair in enumerate(match.chairs) if not (chair.player or chair.reserved)}
    free.update(kept)
    if team is not None:
        return _chair_in_team(sides, free, team)
    if not free:
        if any(chair.reserved for chair in match.chairs):
            raise NotAllowed(Refused.NOT_INVITED)
        raise WrongPhase(Refused.FULL)
    side = min(
        (side for side in sides if not free.isdisjoint(side)),
        key=lambda side: sum(match.chairs[seat].player is not None for seat in side),
    )
    return next(seat for seat in side if seat in free)


def _chair_in_team(sides: Sides, free: Collection[Seat], team: int) -> Seat:
    if not 1 <= team <= len(sides):
        raise BadRequest(Refused.NO_SUCH_TEAM, team=team, teams=len(sides))
    left = [seat for seat in sides[team - 1] if seat in free]
    if not left:
        raise WrongPhase(Refused.TEAM_FULL, team=team)
    return left[0]


def player_counts(game: AnyGame, chosen: Mapping[str, str]) -> list[int]:
    """Return how many can play with options that say nothing of it; one number where the options or the game fix it."""
    counts = []
    for option in game.schema.options:
        if option.key == PLAYERS and isinstance(option, Number):
            for count in range(option.low, option.high + 1):
                with suppress(BadOption):
                    game.choose({**chosen, PLAYERS: str(count)})
                    counts.append(count)
    return counts or [game.seats(game.choose(chosen))]


def open_options(game: AnyGame, chosen: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the options of a lobby of open size: what is chosen, nothing that follows from the number of players."""
    said = game.schema.write(game.schema.read({key: chosen[key] for key in chosen if key != PLAYERS}))
    kept = {option.key: said.get(option.key, option.default) for option in game.schema.options}
    return tuple((key, text) for key, text in kept.items() if key in said or key == PLAYERS)


def _with_one_more(game: AnyGame, match: Match) -> Match:
    """Return a full lobby of open size with one more chair; with no more possible, one whose size is settled."""
    counts = player_counts(game, dict(match.options))
    if len(match.chairs) < max(counts):
        return replace(match, chairs=(*match.chairs, Chair()))
    return of_those_present(game, match)


def of_those_present(game: AnyGame, match: Match) -> Match:
    """Return a lobby with as many chairs as there are people.

    Raises:
        WrongPhase: too few are there for what was chosen.
    """
    present = sum(chair.player is not None for chair in match.chairs)
    can_be_fewer = counts_players(game) and not match.log
    if present < 2 or not can_be_fewer:
        needed = 2 if can_be_fewer else len(match.chairs)
        raise WrongPhase(Refused.TOO_FEW, seated=present, needed=needed)
    old = game.sides(game.choose(dict(match.options)))
    try:
        options = game.choose({**dict(match.options), PLAYERS: str(present)})
    except BadOption as refused:  # what else was chosen is for as many as there are chairs
        raise WrongPhase(Refused.TOO_FEW, seated=present, needed=len(match.chairs)) from refused
    if game.seats(options) != present:
        raise WrongPhase(Refused.TOO_FEW, seated=present, needed=game.seats(options))
    chairs = _resettled(match.chairs, old, game.sides(options))
    return replace(match, options=tuple(game.describe(options).items()), chairs=chairs)


def _resettled(chairs: Sequence[Chair], old: Sides, new: Sides) -> tuple[Chair, ...]:
    """The people of some chairs on fewer: in the same order, and in teams with their team-mates where there is room."""
    left = [Seat(index) for index, chair in enumerate(chairs) if chair.player]
    taken: dict[Seat, Chair] = {}
    if any(len(side) > 1 for side in new):
        for before, after in zip(old, new, strict=False):
            mates = [seat for seat in left if seat in before]
            for seat, to in zip(mates, after, strict=False):
                taken[to] = chairs[seat]
                left.remove(seat)
    free = [seat for seat in sorted(seat for side in new for seat in side) if seat not in taken]
    for seat, to in zip(left, free, strict=True):
        taken[to] = chairs[seat]
    return tuple(taken[seat] for seat in sorted(taken))
