r"""A match as plain text: tagged headers, then the moves with the time of each ply.

    [Game "klopodavka"]
    [Match "k7q2mz"]
    [Rules "1"]
    [Option "players" "3"]
    [Seat "1" "Ann" "console" "ann"]
    [Seat "2" "Bob" "console" "bob"]
    [Seat "3" "Cem" "console" "cem"]
    [Host "Ann" "console" "ann"]
    [Opened "2026-11-21T12:00:00Z"]
    [Clock "10d+1d12h"]
    [Left "1" "863997"]
    [Left "2" "864000"]
    [Left "3" "864000"]
    [Running "2" "2026-11-21T12:03:00Z"]
    [Result "unfinished"]

    1. (1) b2 {2026-11-21T12:01:07Z} c3 {2026-11-21T12:01:07Z} d4 {2026-11-21T12:01:30Z}
    2. (2) * resigned {2026-11-21T12:02:00Z}
    3. (3) h9 {2026-11-21T12:03:00Z}

In a file for one person, `"file" "k7q2mz-2"` stands for the account of another, with the id and the seat; 0 is a host
without a seat. Each numbered line is what one seat, in brackets, played without a break; long ones go on in indented lines. `*` marks
an exit, or the return of another player to that seat. A clock is as it is typed; `Left` has the seconds of each seat,
for the one on turn when its time began to run, which `Running` says. Options are those that differ from the game's
defaults. `[Rated "yes"]` stands in the file of a match that was played for ratings; brought in, it is not rated, for a
file proves nothing. The result is `unfinished`, `draw`, or the winning seats with a + between them, and then `[Reason "..."]`
has its catalogue key. In quotes, `\"`, `\\`, `\uXXXX` and `\UXXXXXXXX` stand for what is not written plainly; what a screen
would not show is always written so. Last come the remarks of the file that a match was imported from: its tags of other
programs, and its comments and variations as `[Comment "3" "..."]`, with the number of entries before it.

Bringing in a match from its file, with everything in it checked against the rules.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import Final

from play.errors import BadLog, BadMoveList, BadRequest, Refused, WrongPhase
from play.facts import Imported
from play.files.matchreader import DRAW, INDENT, RATED, RETURNED, UNFINISHED, Record, bad, read, record
from play.files.movelist import read_list
from play.match import Chair, Closing, Entry, Exit, Match, Phase, Ply, Result, is_engine
from play.opening import invitation
from play.people import FILED, Account, Address, Player, clean, entering, filed, harmless, is_forgotten
from play.ports import Chance
from play.replay import Course, begun, extended
from play.request import Opening, Request, check_not_called_off, game_named
from play.time.clock import Times
from rules.core import AnyGame, BadNotation, RulesError, Seat

_WIDTH: Final = 100


def export(match: Match, own: Collection[Account] | None = None) -> str:
    """Return the match file of a match that has begun; aliases stand for all accounts but one's `own`, for none without those."""
    if match.phase is Phase.OPEN:
        raise WrongPhase(Refused.NOT_STARTED)
    check_not_called_off(match)
    held = record(match)
    return write(held if own is None else _shared(held, own))


def _shared(held: Record, own: Collection[Account]) -> Record:
    aliases = {held.host.account: filed(held.match, 0)}
    aliases |= {player.account: filed(held.match, index) for index, player in enumerate(held.players, 1)}

    def shared(player: Player) -> Player:
        account = player.account
        plain = account in own or is_engine(account) or is_forgotten(account)
        return player if plain else replace(player, account=aliases[account])

    return replace(held, players=tuple(map(shared, held.players)), host=shared(held.host))


def write(match: Match | Record) -> str:
    """The text of a match; `read` gives an equal record back."""
    held = record(match) if isinstance(match, Match) else match
    moves = list(_moves(held.log))
    return "\n".join([*_headers(held), *(["", *moves] if moves else []), ""])


def _headers(held: Record) -> Iterator[str]:
    yield _tag("Game", held.game)
    yield _tag("Match", held.match)
    yield _tag("Rules", str(held.rules_version))
    for key, value in held.options:
        yield _tag("Option", key, value)
    for index, player in enumerate(held.players):
        yield _tag("Seat", str(index + 1), *_person(player))
    yield _tag("Host", *_person(held.host))
    yield _tag("Opened", _stamp(held.opened))
    if held.follows is not None:
        yield _tag("Follows", held.follows)
    if held.start is not None:
        yield _tag("Start", held.start.position, held.start.source)
    if held.rated:
        yield _tag("Rated", RATED)
    if held.clock is not None:
        yield _tag("Clock", str(held.clock))
    yield from _times(held)
    if held.result is None:
        yield _tag("Result", UNFINISHED)
    else:
        yield _tag("Result", "+".join(str(seat.number) for seat in held.result.winners) or DRAW)
        yield _tag("Reason", held.result.reason)
    for remark in held.remarks:
        yield _tag(*remark)


def _times(held: Record) -> Iterator[str]:
    for index, left in enumerate(held.left):
        yield _tag("Left", str(index + 1), _seconds(left))
    if held.running:
        yield _tag("Running", str(held.running[0].number), _stamp(held.running[1]))


def _tag(name: str, *values: str) -> str:
    return f"[{name} {' '.join(map(_quoted, values))}]"


def _person(player: Player) -> tuple[str, str, str]:
    return player.name, player.account.platform, player.account.uid


def _quoted(text: str) -> str:
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if harmless(character):
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _stamp(at: datetime) -> str:
    return at.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"


def _seconds(length: timedelta) -> str:
    seconds, rest = divmod(length, timedelta(seconds=1))
    return f"{seconds}.{rest.microseconds:06}" if rest else str(seconds)


def _moves(log: Sequence[Entry]) -> Iterator[str]:
    runs = groupby(enumerate(log), key=lambda at: (at[1].seat, -1 if isinstance(at[1], Ply) else at[0]))
    for number, ((seat, _), entries) in enumerate(runs, 1):
        line = f"{number}. ({seat.number})"
        for _, entry in entries:
            item = f"{_shown(entry)} {{{_stamp(entry.at)}}}"
            if line.endswith("}") and len(line) + 1 + len(item) > _WIDTH:
                yield line
                line = INDENT + item
            else:
                line = f"{line} {item}"
        yield line


def _shown(entry: Entry) -> str:
    if isinstance(entry, Ply):
        return entry.text
    return f"* {entry.reason.value.rpartition('.')[2] if isinstance(entry, Exit) else RETURNED}"


@dataclass(frozen=True, slots=True)
class Import(Opening[Imported]):
    """Bring in a match from its file: to look at if it is over, to go on with if it is not.

    One that is not over waits, log and all, until its people have agreed to go on: who brings the file sits down at once
    if it is one of them; those who play no more need not be asked. The chair of an alias is kept for the account in `known`,
    or else open to anyone. One that was closed because it was not played can be
    gone on with too. It is marked for ever as one that came from a file; the file does not say so. It is not rated,
    even if the file says so. Clocks go on, once it begins, with what each seat had left.

    Attributes:
        known: Whom the aliases in the file stand for, as far as it is known.
    """

    text: str
    where: Address
    known: Mapping[Account, Account] = field(default_factory=dict)

    def decide(self, games: Mapping[str, AnyGame], _chance: Chance, request: Request) -> Imported:
        held = held_in(self.text, games, request.at)
        _check_past(held, request.at)
        game = game_named(games, held.game)
        if held.rules_version > game.rules_version:
            raise bad(held.tag_lines["Rules"], f'[Rules "{held.rules_version}"]')
        options = game.choose(dict(held.options))
        if len(held.players) != game.seats(options):
            raise bad(held.tag_lines.get("Seat", 1), f'[Seat "{len(held.players)}" ...]')
        try:
            course = extended(begun(game, options, held.start), held.log)
        except BadNotation as broken:
            raise BadRequest(Refused.OTHER_START, line=held.tag_lines["Start"]) from broken
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
            start=held.start,
            times=Times(held.left, course.position.to_move, None) if held.left else None,
        )
        return Imported(made)

    def _of(self, player: Player) -> Player:
        return replace(player, account=self.known.get(player.account, player.account))


def held_in(text: str, games: Mapping[str, AnyGame], at: datetime) -> Record:
    """Return what a match file or a list of moves holds."""
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
    return tuple(
        replace(entry, text=course.game.notation.format(move)) if isinstance(entry, Ply) else entry
        for entry, move in zip(course.log, course.moves, strict=True)
    )
