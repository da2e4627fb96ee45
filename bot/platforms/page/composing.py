"""A match as data for one reader: the view that a chat gets, the board square by square, and what can be picked.

Texts are without the commands that they advise, since a page has buttons.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from itertools import islice, takewhile
from typing import Any, Final, Literal
from unicodedata import bidirectional

from bot.chat.callback_data import Verb
from bot.chat.i18n import Words
from bot.chat.presenting import boards
from bot.chat.presenting.captions import caption, last_ply, standing
from bot.chat.presenting.invitations import start_text
from bot.chat.presenting.moments import soon
from bot.chat.presenting.naming import (
    CLOSED,
    Presentation,
    counts_actions,
    game_title,
    points_text,
    whose_turn,
)
from bot.chat.presenting.selection import Selection, follow
from bot.chat.registry import TurningPoint
from bot.chat.view import Button, RosterLine, View
from bot.features.commands import REGISTRY
from bot.platforms.page import wire
from bot.platforms.page.board import Viewpoint, pick_from, picked_by, viewpoint
from play.actions.playing import moves_of, plan_of, prepared
from play.match import PLAYERS, Match, Phase, Ply, open_size
from play.people import Account
from play.time.clock import Times, deadline, left, saved_by_day, uncounted, until_flag, waking
from render.picture import vector_piece
from rules.core import (
    Diagram,
    Grid,
    Position,
    Seat,
    Threat,
)

_COMMAND: Final = re.compile(r"(?<![\w/:.])/([a-z]+)\b", re.ASCII)
_SENTENCE: Final = re.compile(r"(?<=[.!?…])\s+")
_CLAUSE: Final = re.compile(r"\s*[:;,(—–]\s")  # what a sentence can be ended before


def without_commands(lines: Iterable[str]) -> list[str]:
    """Return lines without the sentences that name commands; a line that begins with one is cut before it.

    Lines of which nothing is left are left out; all lines are kept if otherwise none were left.
    """
    lines = list(lines)
    return [kept for line in lines if (kept := _cut(line)) or not line] or lines


def _cut(text: str) -> str:
    if not _named(text):
        return text
    return "\n".join(filter(None, map(_cut_line, text.split("\n"))))


def _cut_line(line: str) -> str:
    first, *rest = _SENTENCE.split(line)
    kept = [_before(first), *(sentence for sentence in rest if _named(sentence) is None)]
    return " ".join(filter(None, kept))


def _before(sentence: str) -> str:
    """Return a sentence up to the clause that names a command; nothing where that is the first one."""
    found = _named(sentence)
    if found is None:
        return sentence
    ends = [clause.start() for clause in _CLAUSE.finditer(sentence, 0, found.start())]
    return f"{sentence[: ends[-1]]}." if ends else ""


def _named(text: str) -> re.Match[str] | None:
    return next((each for each in _COMMAND.finditer(text) if each[1] in REGISTRY.handlers), None)


_OWN: Final = frozenset(
    {Verb.FLIP, Verb.TEXT, Verb.MOVES, Verb.STEP, Verb.BACK, Verb.PAGE, Verb.MORE, Verb.WHAT_IF}
)
"""What the page does in its own way, or cannot show."""

_BARE: Final = frozenset({(Verb.MOVE, False), (Verb.BOARD, True)})
"""Likewise, by whether they have an argument: what begins a move, and the board in words."""

_ONWARD: Final = frozenset({Verb.REMATCH, Verb.ANALYSE, Verb.STORY})  # what goes on from the end of a match

_NAMED: Final = 4  # players whose names stand in a title

_DAY: Final = 86400.0
_MOST_RESTS: Final = 7  # of a clock: those that a page left open needs until it is told anew


@dataclass(frozen=True, slots=True)
class _Rostered:
    words: Words
    lines: Sequence[RosterLine]

    def seat(self, seat: Seat) -> str:
        return next((line.text for line in self.lines if line.seat == seat), self.words.show(seat))

    seat_and_side = seat


def view(
    presentation: Presentation,
    who: Sequence[Account],
    share: str,
    looks: dict[str, str],
    *,
    tries: bool = True,
    shown: View | None = None,
) -> wire.PageView:
    """Return a match as it is, for a reader by their accounts: none for a spectator. Its looks are added to `looks`.

    `shown` is its view, if more is said on it than on that of all matches.
    """
    match, game, words = presentation.match, presentation.game, presentation.words
    position = presentation.course.position
    shown = shown or seen_by(presentation, who)
    seats = seats_of(match, who)
    headline, chosen = presentation.names.title, game_title(game, dict(match.options), words)
    lines = [line.replace(headline, chosen) for line in shown.lines if line != headline]
    if match.phase is Phase.OPEN and seats and shown.lines:
        lines = [words("bot.page.opens-here"), *shown.lines[1:]]  # instead of who challenges whom
    if match.phase is not Phase.OPEN:  # an invitation says it itself
        lines = [*start_text(presentation), *lines]
    # What tells of a match that is over stands before the other rematches, of which a phone has no room for all.
    offered = sorted(
        (*shown.buttons, *shown.controls) if who else (),
        key=lambda each: each.data.verb is Verb.REMATCH and each.style == "plain",
    )
    made = wire.PageView(
        [headline, *without_commands(lines)],
        buttons(each for each in offered if each.data.verb is not Verb.COACH),  # it is in the menu
        code=match.id,
        r=match.revision,
        after=without_commands(shown.untimed or shown.after),
        chairs=[_chair(presentation, line, seats) for line in shown.roster],
        turns=len(match.log),
        share=share,
        menu=next((each.data.pack() for each in shown.controls if who and each.data.verb is Verb.MORE), ""),
        tries=tries and shown.diagram is not None and match.phase is not Phase.OPEN,
        title=game_of(presentation),
        players=players_of(presentation),
        rated=match.rated,
        event=_event(presentation),
        end=_end(presentation, seats),
    )
    if match.phase is Phase.OPEN and not open_size(game, match):  # else there is no board yet
        made.small = viewpoint(presentation, looks).board(presentation.drawn)
    if shown.diagram is not None and match.phase is not Phase.OPEN:
        seen = viewpoint(presentation, looks)
        made.board = seen.board(shown.diagram, game.threats(position), shown.position)
        plain = game.draw(position)
        for chair, line in zip(made.chairs, shown.roster, strict=True):
            _seat(presentation, seen, chair, line.seat, plain)
        if match.phase is Phase.PLAYING and not match.paused and position.to_move in seats:
            partial = follow(game, position, Selection())
            made.pick = pick_from(game, words, partial, flipped=presentation.flipped, seen=seen)
            made.after = _to_the_reader(presentation, made.after)
        made.ahead = _ahead(presentation, seats)
    return made


def seats_of(match: Match, who: Sequence[Account]) -> frozenset[Seat]:
    """Return where a reader sits, by any of their accounts."""
    return frozenset(seat for account in who for seat in match.seats_of(account))


def title(presentation: Presentation) -> str:
    """Return the game with its setting, and who plays it, without a code; where seats are free, the game alone."""
    game, players = game_of(presentation), players_of(presentation)
    return presentation.words("bot.page.title", game=game, players=players) if players else game


def game_of(presentation: Presentation) -> str:
    """Return the game with its setting; of a match of many, with their number."""
    match, words, game = presentation.match, presentation.words, presentation.game
    chosen = dict(match.options)
    if not _full(match):
        return game_title(game, chosen, words)
    named = {key: text for key, text in chosen.items() if key != PLAYERS}  # they are named, or counted
    if len(match.chairs) <= _NAMED:
        return game_title(game, named, words)
    read = (option.read(named[option.key]) for option in game.schema.options if option.key in named)
    title = " ".join(
        (words(f"{game.key}.name"), *(words.show(each) for each in read if isinstance(each, Grid)))
    )
    return words.count("bot.page.title-many", len(match.chairs), game=title)


def players_of(presentation: Presentation) -> str:
    """Return who plays a match, by name; empty where seats are free, or they are many."""
    if not _full(presentation.match) or len(presentation.match.chairs) > _NAMED:
        return ""
    players = presentation.names.opponents
    if any(bidirectional(character) in {"R", "AL"} for character in players):
        players = players.replace(" – ", " \N{LEFT-TO-RIGHT MARK}– ")  # else two such names change places
    return players


def _full(match: Match) -> bool:
    return all(chair.player or chair.reserved for chair in match.chairs)


def _to_the_reader(presentation: Presentation, lines: Sequence[str]) -> list[str]:
    """Return lines in which the player on turn is addressed instead of named."""
    words, plies_left = presentation.words, presentation.course.position.plies_left
    several = counts_actions(presentation.course)
    mine = words.count("bot.page.turn-left", plies_left) if several else words("bot.page.turn")
    return [line.replace(whose_turn(presentation), mine) for line in lines]


def _event(presentation: Presentation) -> Literal["move", "capture", "end", ""]:
    course, game = presentation.course, presentation.game
    if presentation.match.phase is Phase.OVER:
        return "end"
    last = last_ply(course)
    if last is None:
        return ""
    turn = range(course.turn_start(last), len(course.moves))
    moves = ((course.positions[at], move) for at in turn if (move := course.moves[at]) is not None)
    return "capture" if any(game.takes(position, move) for position, move in moves) else "move"


def _end(presentation: Presentation, seats: Set[Seat]) -> wire.PageEnd | None:
    match, ended = presentation.match, presentation.names.ended
    if ended is None or match.result is None:
        return None
    made = wire.PageEnd(*ended, rating=" ".join(boards.changed(presentation)))
    if seats and match.result.reason not in CLOSED:
        winners = set(match.result.winners)
        made.outcome = "drawn" if not winners else "lost" if winners.isdisjoint(seats) else "won"
        if made.outcome == "won":
            made.result = presentation.words("bot.page.won")
        elif made.outcome == "lost" and len(match.chairs) == 2:  # of several, it is asked who won
            made.result = presentation.words("bot.page.lost")
    return made


def _ahead(presentation: Presentation, seats: Set[Seat]) -> wire.PageAhead | None:
    """Return what the reader has planned, and what they can prepare; None where that is nothing."""
    match, words, game = presentation.match, presentation.words, presentation.game
    position = presentation.course.position
    mine = next((seat for seat in sorted(seats) if plan_of(match, seat)), min(seats, default=None))
    if mine is None or match.phase is not Phase.PLAYING or match.paused:
        return None
    moves, here = prepared(match, mine), planned_on(presentation, seats)
    made = wire.PageAhead(moves=" ".join(moves))
    if moves:
        made.dropped = position.to_move in seats
        made.said = words("bot.page.dropped" if made.dropped else "bot.page.prepared", moves=made.moves)
    if here is not None:
        partial = follow(game, here, Selection())
        made.pick = pick_from(game, words, partial, flipped=presentation.flipped)
        if played := moves_of(game, here, moves):
            made.squares = picked_by(presentation, here, played)
    return made if made.pick or moves else None


def planned_on(presentation: Presentation, seats: Set[Seat]) -> Position[Any] | None:
    """Return the position on which a reader's next move is prepared; None where it is their turn, or they have none."""
    match, position = presentation.match, presentation.course.position
    if match.phase is not Phase.PLAYING or match.paused or position.to_move in seats:
        return None
    return next(filter(None, (position.ahead(seat) for seat in sorted(seats))), None)


def seen_by(presentation: Presentation, who: Sequence[Account]) -> View:
    """Return the view of a match for a reader by their accounts."""
    last = boards.last_turn(presentation) if presentation.match.phase is Phase.PLAYING else ()
    return boards.for_one(boards.show(presentation, *last), presentation, *who, keys=False)


def _chair(presentation: Presentation, line: RosterLine, seats: Set[Seat]) -> wire.PageChair:
    match, names, words = presentation.match, presentation.names, presentation.words
    seat, player = line.seat, names.player(line.seat)
    name = names.seat(seat)
    return wire.PageChair(
        line.text,
        name=name if player else f"{name[0].upper()}{name[1:]}",
        side=names.side(seat) or "",
        note="" if player is None or match.chairs[seat].player else words("bot.roster.invited"),
        mine=seat in seats,
    )


def _seat(
    presentation: Presentation, seen: Viewpoint, chair: wire.PageChair, seat: Seat, diagram: Diagram
) -> None:
    position = presentation.course.position
    chair.look = seen.key(vector_piece(diagram, seat, seen.theme))
    chair.score = points_text(presentation, seat) or standing(diagram, seat, presentation.names)
    if seat in position.out:
        chair.out, chair.note = True, presentation.words("bot.roster.out")
    chair.turn = presentation.match.phase is Phase.PLAYING and seat == position.to_move
    if chair.turn and position.counts_plies:
        chair.actions_left, chair.actions = position.plies_left, position.turn_length
    chair.clock = clock(presentation, seat)


def clock(presentation: Presentation, seat: Seat) -> wire.PageClock | None:
    """Return the time that a seat has left; None where no clock counts it."""
    match, times, now = presentation.match, presentation.match.times, presentation.now
    if times is None or match.phase is not Phase.PLAYING or seat in presentation.course.position.out:
        return None
    saved = seat == times.seat and saved_by_day(times)
    rest = until_flag(times, now) if saved else left(times, seat, now)
    seconds = max(0.0, rest.total_seconds())
    runs = seat == times.seat and times.since is not None and not saved
    awake = runs and waking(times)
    text = presentation.words.time_left(rest, short=True, awake=awake) if seconds >= _DAY else ""
    return wire.PageClock(seconds, runs, text, list(_rests(presentation, times)) if runs else [])


def _rests(presentation: Presentation, times: Times) -> Iterator[wire.PageRest]:
    words, now, zone = presentation.words, presentation.now, presentation.zone
    ends = deadline(times, now) or now.at
    coming = (span for span in uncounted(times, now) if span[1] > now.at)
    for start, end in islice(takewhile(lambda span: span[0] < ends, coming), _MOST_RESTS):
        since = max(start, now.at)
        text = words("bot.page.clock.rests", until=soon(end, since, words, zone))
        yield wire.PageRest((since - now.at).total_seconds(), (end - now.at).total_seconds(), str(text))


def buttons(shown: Iterable[Button]) -> list[wire.PageButton]:
    """Return buttons as a page has them: without those that it does in its own way, each once."""
    found = {
        button.data.pack(): wire.PageButton(
            button.label, button.data.pack(), button.style, button.data.verb in _ONWARD
        )
        for button in shown
        if button.data.verb not in _OWN and (button.data.verb, bool(button.data.argument)) not in _BARE
    }
    return list(found.values())


def card(view: View, words: Words, looks: dict[str, str], *, refused: bool = False) -> wire.PageView:
    """Return a message of the desk. Its board is touched like that of a match, where a turn can be picked on it."""
    shown = [*view.buttons, *view.controls] if view.diagram is None else list(view.buttons)
    lines = [*view.lines, *(line.text for line in view.roster if view.diagram is None), *view.after]
    made = wire.PageView(without_commands(lines), refused=refused)
    made.files = [wire.PageFile(name, b64encode(held).decode()) for name, held in view.attachments]
    if view.film is not None:
        name, film = view.film
        made.files.append(wire.PageFile(name, b64encode(film.data).decode()))
    seen = Viewpoint(_Rostered(words, view.roster), view.theme, view.flipped, looks)
    threats: Sequence[Threat] = ()
    if (picking := view.picking) is not None:
        own = (picking.picks.verb, picking.plays)
        shown = [button for button in shown if button.data.verb not in own]
        partial = follow(picking.game, picking.start, Selection.read(picking.picked))
        threats = picking.game.threats(partial.position)
        made.pick = pick_from(picking.game, words, partial, flipped=view.flipped, seen=seen)
        made.on = picking.picks.pack()
        made.lines = without_commands(line for line in view.lines if line != picking.typed)
    if view.diagram is not None:
        made.board = seen.board(view.diagram, threats, view.position)
    if view.panels is not None:
        seen = replace(seen, flipped=view.panels.flipped)
        made.panels = [seen.board(each) for each in view.panels.boards]
    made.buttons = buttons(shown)
    return made


def log(presentation: Presentation) -> list[wire.PageEntry]:
    """Return the entries of a match's log, in notation; who left or came back, in a sentence."""
    return [
        wire.PageEntry(entry.seat, entry.text if isinstance(entry, Ply) else caption(presentation, index))
        for index, entry in enumerate(presentation.course.log)
    ]


def mark(point: TurningPoint, words: Words) -> wire.PageMark:
    """Return a turning point as a mark on the bar of moves."""
    key = "bot.page.mark-lost" if point.sure else "bot.page.mark"
    text = words(key, number=point.number, best=" ".join(point.better))
    return wire.PageMark(point.end, "lost" if point.sure else "turning", text)
