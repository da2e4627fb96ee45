"""Bringing in a match from its file, with everything in it checked against the rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from play.checks import game_named
from play.errors import BadLog, BadMoveList, BadRequest, Refused
from play.facts import Imported
from play.files.matchreader import RETURNED, bad, read
from play.files.movelist import read_list
from play.files.record import Record
from play.match import Chair, Closing, Entry, Exit, Phase, Ply, Result
from play.opening import Opening, invitation
from play.people import FILED, Account, Address, Player, clean, entering
from play.ports import Chance
from play.replay import Course, begun, extended
from play.request import Request
from play.time.clock import Times
from rules.core import AnyGame, RulesError, Seat


@dataclass(frozen=True, slots=True)
class Import(Opening[Imported]):
    """Bring in a match from its file: to look at if it is over, to go on with if it is not.

    One that is not over waits, log and all, until its people have agreed to go on: who brings the file sits down at once
    if it is one of them; those who play no more need not be asked. The chair of an alias is kept for the account in `known`,
    or else open to anyone. One that was closed because it was not played can be
    gone on with too. It is marked for ever as one that came from a file; the file does not say so. It is not rated,
    even if the file says so. Clocks go on, once it begins, with what each seat had left.

    Attributes:
        text: Of the file.
        where: The place where the match is shown.
        known: Whom the aliases in the file stand for, as far as it is known.

    Raises:
        BadRequest: no match file, an unknown game, newer rules, seats that do not fit it, a move that the rules refuse,
            a time in the future, or a result that is not theirs.
        BadOption: options that cannot be played.
    """

    text: str
    where: Address
    known: Mapping[Account, Account] = field(default_factory=dict)

    def decide(self, games: Mapping[str, AnyGame], _chance: Chance, request: Request) -> Imported:
        """See `Opening.decide`."""
        held = held_in(self.text, games, request.at)
        _check_past(held, request.at)
        game = game_named(games, held.game)
        if held.rules_version > game.rules_version:
            raise bad(held.tag_lines["Rules"], f'[Rules "{held.rules_version}"]')
        options = game.choose(dict(held.options))
        if len(held.players) != game.seats(options):
            raise bad(held.tag_lines.get("Seat", 1), f'[Seat "{len(held.players)}" ...]')
        try:
            course = extended(begun(game, options), held.log)
        except BadLog as broken:
            entry, rule = held.log[broken.entry], broken.__cause__
            raise BadMoveList(
                *held.places[broken.entry],
                clean(_shown(entry), 40),
                rule if isinstance(rule, RulesError) else None,
            ) from broken
        if not _result_fits(held.result, course):
            raise bad(held.tag_lines["Result"], held.result.reason if held.result else "[Result ...]")
        result = None if held.result == _CLOSED else held.result
        over, who = result is not None, request.who
        players = [self._of(player) for player in held.players]
        chairs = [_chair(player, Seat(index), course, who, over) for index, player in enumerate(players)]
        host = replace(request, who=held.host if over else who)
        made = replace(
            invitation(game, options, host, chairs, (self.where,)),
            opened=held.opened,
            phase=Phase.OVER if over else Phase.OPEN,
            log=_canonical(course),
            result=result,
            rematch_of=held.follows,
            clock=held.clock,
            imported=True,
            remarks=held.remarks,
            times=Times(held.left, course.position.to_move, None) if held.left else None,
        )
        return Imported(made)

    def _of(self, player: Player) -> Player:
        return replace(player, account=self.known.get(player.account, player.account))


def held_in(text: str, games: Mapping[str, AnyGame], at: datetime) -> Record:
    """Return what a match file or a list of moves holds.

    Raises:
        BadRequest: it is neither.
    """
    return read_list(text, games, at) or read(text)


def _check_past(held: Record, at: datetime) -> None:
    """Refuse times that have not come yet: clocks and ratings would count with them."""
    if held.opened > at:
        raise BadRequest(Refused.FILE_AHEAD, line=held.tag_lines["Opened"])
    for (line, _), entry in zip(held.places, held.log, strict=True):
        if entry.at > at:
            raise BadRequest(Refused.FILE_AHEAD, line=line)


_CLOSED: Final = Result((), Closing.SILENCE.value)
_WITHOUT_WINNER: Final = frozenset(
    closing.value
    for closing in (
        Closing.DRAW_AGREED,
        Closing.SILENCE,
        Closing.ENDED,
        Closing.DESERTED,
        Closing.HALVED,
        Closing.AGREED,
    )
)
_WITH_WINNER: Final = frozenset(closing.value for closing in (Closing.RESIGNED, Closing.TIME, Closing.PROVED))


def _shown(entry: Entry) -> str:
    if isinstance(entry, Ply):
        return entry.text
    return f"* {entry.reason}" if isinstance(entry, Exit) else f"* {RETURNED}"


def _result_fits(result: Result | None, course: Course) -> bool:
    """Whether a stated result is the one of the rules, or, where they have none, one that people can agree on."""
    if decided := course.result:
        return result == decided
    if result is None:
        return True
    if result.reason in _WITHOUT_WINNER:
        return not result.winners
    two = course.game.seats(course.options) == 2
    return result.reason in _WITH_WINNER and two and len(result.winners) == 1


def _chair(player: Player, seat: Seat, course: Course, who: Player, over: bool) -> Chair:
    if player.account == who.account and not over:
        return Chair(player=entering(who))
    if over or seat not in course.live:
        return Chair(player=entering(player))
    return Chair() if player.account.platform == FILED else Chair(reserved=entering(player))


def _canonical(course: Course) -> tuple[Entry, ...]:
    """The log with every ply spelled as the game spells it."""
    return tuple(
        replace(entry, text=course.game.notation.format(move)) if isinstance(entry, Ply) else entry
        for entry, move in zip(course.log, course.moves, strict=True)
    )
