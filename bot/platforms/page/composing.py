"""A match as data for one reader: the view that a chat gets, the board square by square, and what can be picked."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import blake2b
from itertools import chain
from typing import Any, Final, Literal
from unicodedata import bidirectional

from bot.chat.callback_data import Verb
from bot.chat.i18n import Words
from bot.chat.presenting import boards, picking
from bot.chat.presenting.captions import OwnerNames, caption, last_ply, square_texts, standing
from bot.chat.presenting.facts import plan_lines
from bot.chat.presenting.naming import (
    CLOSED,
    Presentation,
    counts_actions,
    game_title,
    points_text,
    whose_turn,
)
from bot.chat.presenting.selection import PartialMove, Selection, follow, leaves, targeted, touchable
from bot.chat.registry import TurningPoint
from bot.chat.view import Button, RosterLine, View
from bot.platforms.page import wire
from bot.platforms.page.plain import without_commands
from play.actions.playing import moves_of, plan_of, prepared
from play.match import PLAYERS, Match, Phase, Ply
from play.people import Account
from play.replay import Course
from play.time.clock import left, saved_by_day, until_flag
from render import rows
from render.picture import Theme, vector_cells, vector_piece
from rules.core import (
    AnyGame,
    Diagram,
    Highlights,
    Picks,
    Position,
    RulesError,
    Seat,
    Square,
    Threat,
    take,
    walk,
)

TREE: Final = 200  # legal moves up to which all steps go out with the view, so that a tap needs no round trip

_OWN: Final = frozenset({Verb.FLIP, Verb.TEXT, Verb.MOVES, Verb.STEP, Verb.BACK, Verb.PAGE, Verb.MORE})
"""What the page does in its own way, or cannot show."""

_BARE: Final = frozenset({(Verb.MOVE, False), (Verb.BOARD, True)})
"""Likewise, by whether they have an argument: what begins a move, and the board in words."""

_ONWARD: Final = frozenset({Verb.REMATCH, Verb.ANALYSE})  # what goes on from the end of a match

_DAY: Final = 86400.0

_JOINS: Final = 16  # ways in which a square of a piece has neighbours of the same piece on its four sides


@dataclass(frozen=True, slots=True)
class Viewpoint:
    """How a reader sees boards: what owners are called, the colours, the side below; and the looks of squares, by key, that are in use."""

    names: OwnerNames
    theme: Theme
    flipped: bool
    looks: dict[str, str]

    def board(self, diagram: Diagram, threats: Sequence[Threat] = (), alt: str = "") -> wire.PageBoard:
        """Return a board as it is seen."""
        cells = vector_cells(diagram, self.theme, flipped=self.flipped)
        told = square_texts(diagram, self.names, threats)
        empty = self.names.words("bot.square.empty")
        order = rows(diagram.grid, flipped=self.flipped)
        legend: dict[tuple[str, str], int] = {}
        squares = [
            legend.setdefault((self.key(svg), told.get(square, empty)), len(legend))
            for names, drawings in zip(order, cells, strict=True)
            for square, svg in zip(names, drawings, strict=True)
        ]
        files, ranks = [str(square)[0] for square in order[0]], [str(names[0])[1:] for names in order]
        return wire.PageBoard(files, ranks, [wire.PageLegend(*entry) for entry in legend], squares, alt)

    def puts(self, game: AnyGame, partial: PartialMove) -> dict[str, list[str]]:
        """Return how what the next steps put down looks, by what they pick: pieces over several squares, or plies of one square."""
        position = partial.position
        diagram, mover = game.draw(position), position.to_move
        if any(len(piece.cells) > 1 and piece.owner == mover for piece in diagram.pieces):
            parts = (vector_piece(diagram, mover, self.theme, joins=joins) for joins in range(_JOINS))
            return {Picks.CELLS.value: [self.key(svg) for svg in parts]}
        found: dict[str, list[str]] = {}
        for chosen, step in leaves(game, partial):
            move = game.fork(position, chosen.tokens).move
            if step.picks.value not in found and len(step.squares) == 1 and move is not None:
                after = game.draw(position.play(move))
                put = next((piece for piece in after.pieces if step.squares[0] in piece.cells), None)
                if put is not None and put.owner is not None:
                    svg = vector_piece(after, put.owner, self.theme, put.kind)
                    found[step.picks.value] = [self.key(svg)]
        return found

    def key(self, svg: str) -> str:
        """Return the key of a look, which is then in use."""
        key = _key(svg)
        self.looks[key] = svg
        return key


@lru_cache(maxsize=8192)
def _key(svg: str) -> str:
    return blake2b(svg.encode(), digest_size=6).hexdigest()


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
    match, position = presentation.match, presentation.course.position
    shown = shown or seen_by(presentation, who)
    seats = seats_of(match, who)
    headline, game = (
        presentation.names.title,
        game_title(presentation.game, dict(match.options), presentation.words),
    )
    lines = (line.replace(headline, game) for line in shown.lines if line != headline)
    made = wire.PageView(
        [headline, *without_commands(lines)],
        buttons((*shown.buttons, *shown.controls) if who else ()),
        code=match.id,
        r=match.revision,
        after=without_commands(shown.untimed or shown.after),
        chairs=[_chair(presentation, line, seats) for line in shown.roster],
        turns=len(match.log),
        share=share,
        menu=next((each.data.pack() for each in shown.controls if who and each.data.verb is Verb.MORE), ""),
        tries=tries and shown.diagram is not None,
        title=title(presentation),
        rated=match.rated,
        event=_event(presentation),
        end=_end(presentation, seats),
    )
    if shown.diagram is not None:
        seen = viewpoint(presentation, looks)
        made.board = seen.board(shown.diagram, presentation.game.threats(position), shown.position)
        for chair, line in zip(made.chairs, shown.roster, strict=True):
            _seat(presentation, seen, chair, line.seat)
        if match.phase is Phase.PLAYING and not match.paused and position.to_move in seats:
            partial = follow(presentation.game, position, Selection())
            made.pick = pick_from(
                presentation.game, presentation.words, partial, flipped=presentation.flipped
            )
            made.pick.puts = seen.puts(presentation.game, partial)
        if made.pick is not None:
            made.after = _to_the_reader(presentation, made.after)
        made.ahead = _ahead(presentation, seats)
    return made


def seats_of(match: Match, who: Sequence[Account]) -> frozenset[Seat]:
    """Return where a reader sits, by any of their accounts."""
    return frozenset(seat for account in who for seat in match.seats_of(account))


def title(presentation: Presentation) -> str:
    """Return the game with its setting, and who plays it, without a code; where seats are free, the game alone."""
    match, words = presentation.match, presentation.words
    chosen = {key: text for key, text in match.options if key != PLAYERS}  # they are named
    game = game_title(presentation.game, chosen, words)
    return with_players(presentation, game) or game_title(presentation.game, dict(match.options), words)


def with_players(presentation: Presentation, game: str) -> str:
    """Return a game and who plays it; empty where seats are free."""
    if not all(chair.player or chair.reserved for chair in presentation.match.chairs):
        return ""
    players = presentation.names.opponents
    if any(bidirectional(character) in {"R", "AL"} for character in players):
        players = players.replace(" – ", " \N{LEFT-TO-RIGHT MARK}– ")  # else two such names change places
    return presentation.words("bot.page.title", game=game, players=players)


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
    if (plan := plan_of(match, mine)) is not None and position.to_move not in seats:
        cases = tuple(branch for branch in plan.branches if branch.when)
        made.plan = plan_lines(presentation, replace(plan, branches=cases))
    if moves:
        made.dropped = position.to_move in seats
        made.said = words("bot.page.dropped" if made.dropped else "bot.page.prepared", moves=made.moves)
    if here is not None:
        partial = follow(game, here, Selection())
        made.pick = pick_from(game, words, partial, flipped=presentation.flipped)
        if played := moves_of(game, here, moves):
            made.squares = _picked_by(presentation, here, played)
    return made if made.pick or moves else None


def planned_on(presentation: Presentation, seats: Set[Seat]) -> Position[Any] | None:
    """Return the position on which a reader's next move is prepared; None where it is their turn, or they have none."""
    match, position = presentation.match, presentation.course.position
    if match.phase is not Phase.PLAYING or match.paused or position.to_move in seats:
        return None
    return next(filter(None, (position.ahead(seat) for seat in sorted(seats))), None)


def _picked_by(presentation: Presentation, position: Position[Any], moves: Sequence[Any]) -> list[int]:
    game, numbers = presentation.game, _numbers(presentation.game, position, flipped=presentation.flipped)
    found = dict[int, None]()
    for move in moves:
        found |= dict.fromkeys(numbers[square] for square in _squares_of(game, position, move))
        position = position.play(move)
    return list(found)


def _squares_of(game: AnyGame, position: Position[Any], move: Any) -> Iterator[Square]:
    tokens, _ = walk(lambda path: game.fork(position, path), game.notation.steps(move))
    for at, token in enumerate(tokens):
        step = take(game.fork(position, tokens[:at]), token)
        if step.picks is not Picks.REGION:
            yield from step.squares


def _numbers(game: AnyGame, position: Position[Any], *, flipped: bool) -> dict[Square, int]:
    """The squares of a board by name, numbered as they are seen."""
    squares = chain.from_iterable(rows(game.draw(position).grid, flipped=flipped))
    return {square: at for at, square in enumerate(squares)}


def seen_by(presentation: Presentation, who: Sequence[Account]) -> View:
    """Return the view of a match for a reader by their accounts."""
    last = boards.last_turn(presentation) if presentation.match.phase is Phase.PLAYING else ()
    return boards.for_one(boards.show(presentation, *last), presentation, *who)


def viewpoint(presentation: Presentation, looks: dict[str, str]) -> Viewpoint:
    """Return how the reader of a match sees boards; their looks are added to `looks`."""
    return Viewpoint(presentation.names, presentation.theme, presentation.flipped, looks)


def _board(presentation: Presentation, course: Course, looks: dict[str, str]) -> wire.PageBoard:
    game = presentation.game
    diagram = game.draw(course.position, Highlights(last=course.last_turn, before=course.before_turn))
    return viewpoint(presentation, looks).board(diagram, game.threats(course.position))


def _chair(presentation: Presentation, line: RosterLine, seats: Set[Seat]) -> wire.PageChair:
    match, names, words = presentation.match, presentation.names, presentation.words
    seat, player, team = line.seat, names.player(line.seat), names.team(line.seat)
    return wire.PageChair(
        line.text,
        name=names.seat(seat),
        side=names.side(seat) or "",
        team=words("bot.roster.team", number=team) if team else "",
        note="" if player is None or match.chairs[seat].player else words("bot.roster.invited"),
        won=match.result is not None and seat in match.result.winners,
        mine=seat in seats,
    )


def _seat(presentation: Presentation, seen: Viewpoint, chair: wire.PageChair, seat: Seat) -> None:
    position = presentation.course.position
    diagram = presentation.game.draw(position)
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
    text = presentation.words.time_left(rest, short=True) if seconds >= _DAY else ""
    return wire.PageClock(seconds, seat == times.seat and times.since is not None and not saved, text)


def buttons(shown: Sequence[Button]) -> list[wire.PageButton]:
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
    threats: Sequence[Threat] = ()
    partial: PartialMove | None = None
    if (picking := view.picking) is not None:
        own = (picking.picks.verb, picking.plays)
        shown = [button for button in shown if button.data.verb not in own]
        partial = follow(picking.game, picking.start, Selection.read(picking.picked))
        threats = picking.game.threats(partial.position)
        made.pick = pick_from(picking.game, words, partial, flipped=view.flipped)
        made.on = picking.picks.pack()
        made.lines = without_commands(line for line in view.lines if line != picking.typed)
    if view.diagram is not None:
        seen = Viewpoint(_Rostered(words, view.roster), view.theme, view.flipped, looks)
        made.board = seen.board(view.diagram, threats, view.position)
        if made.pick and picking and partial:
            made.pick.puts = seen.puts(picking.game, partial)
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


MOST_MOMENTS: Final = 9  # positions that one answer shows
MOST_SQUARES: Final = 1600  # squares of all of them, unless one board has more


def reel(presentation: Presentation, first: int, last: int, looks: dict[str, str]) -> wire.PageReel:
    """Return a match as it was after each of so many entries of its log: from the first towards the last of them that fit."""
    end = len(presentation.course.log)
    first, last = max(0, min(first, end)), max(0, min(last, end))
    step = 1 if last >= first else -1
    made = wire.PageReel([], [], [], [])
    entries: dict[tuple[str, str], int] = {}
    for at in range(first, last + step, step)[:MOST_MOMENTS]:
        board = _board(presentation, presentation.course.cut(at), looks)
        numbers = [entries.setdefault((entry.look, entry.text), len(entries)) for entry in board.legend]
        squares = [numbers[entry] for entry in board.squares]
        if made.moments and (len(made.moments) + 1) * len(squares) > MOST_SQUARES:
            break
        said = caption(presentation, at - 1) if at else presentation.names.opponents
        made.files, made.ranks = board.files, board.ranks
        made.moments.append(wire.PageMoment(at, said, squares))
    made.legend = [wire.PageLegend(*entry) for entry in entries]
    return made


def picked(
    presentation: Presentation,
    selection: Selection,
    looks: dict[str, str],
    start: Position[Any] | None = None,
) -> wire.PagePick:
    """Return a half-made move from a position, else the present one, with the board as it would be; raises `RulesError`."""
    game = presentation.game
    partial = follow(game, presentation.course.position if start is None else start, selection)
    before = partial.start if partial.moves else None
    drawn = Highlights(last=partial.moves, planned=True, before=before, picked=partial.selection.tokens)
    made = pick_from(game, presentation.words, partial, flipped=presentation.flipped)
    diagram = game.draw(partial.position, drawn)
    made.board = viewpoint(presentation, looks).board(diagram, game.threats(partial.position))
    return made


def kept(presentation: Presentation, selection: Selection) -> tuple[Selection, bool]:
    """Return what is still legal of a selection that was made in an earlier position, and whether that is all but what was played."""
    game, start = presentation.game, presentation.course.position
    played = {entry.text for entry in presentation.course.log[-start.turn_length :] if isinstance(entry, Ply)}
    still, whole = Selection(), True
    for ply in selection.plies:
        try:
            still = follow(game, start, replace(still, plies=(*still.plies, ply))).selection
        except RulesError:
            whole = whole and ply in played
    rest = replace(selection, plies=still.plies)
    try:
        return follow(game, start, rest).selection, whole
    except RulesError:
        return still, False


def pick_from(game: AnyGame, words: Words, partial: PartialMove, *, flipped: bool) -> wire.PagePick:
    """Return what is picked so far, and what can be picked next."""
    start = partial.start
    gathers = start.turn_length > 1 or start.plies_left > 1
    tree = not gathers and len(start.legal_moves()) <= TREE
    picker = _Picker(game, words, _numbers(game, partial.position, flipped=flipped), tree)
    return wire.PagePick(
        at=str(partial.selection),
        node=None if partial.whole else picker.node(partial),
        said=picking.so_far(game, words, partial) or "",
        plies=bool(partial.moves),
        gathers=gathers,
        fades=picker.fades(partial),
    )


@dataclass(frozen=True, slots=True)
class _Picker:
    game: AnyGame
    words: Words
    numbers: Mapping[Square, int]  # of the squares, as they are seen
    tree: bool  # whether all steps to come are sent

    def fades(self, partial: PartialMove) -> list[int]:
        """Return the squares that the mover's pieces leave, where one that covers several is put down anew."""
        if not touchable(partial):
            return []
        diagram, mover = self.game.draw(partial.position), partial.position.to_move
        own = (piece.cells for piece in diagram.pieces if piece.owner == mover and len(piece.cells) > 1)
        return [self.numbers[square] for cells in own for square in cells]

    def node(self, partial: PartialMove) -> wire.PageNode:
        prompt, had = partial.fork.prompt, len(partial.selection.tokens)
        steps = []
        for chosen, step in leaves(self.game, partial):
            path, label = "/".join(chosen.tokens[had:]), self.words(step.label) if step.label else step.token
            squares = [self.numbers[square] for square in step.squares]
            told = "" if label == path else label
            steps.append(wire.PageStep(path, step.picks.value, squares, told, self._after(partial, chosen)))
        for (chosen, _), target in targeted(partial):  # keys beside the board
            path, label = "/".join(chosen.tokens[had:]), f"{picking.PLAYS}{target}"
            steps.append(wire.PageStep(path, Picks.CELLS.value, [], label, self._after(partial, chosen)))
        return wire.PageNode(self.words(prompt) if prompt else "", steps)

    def _after(self, partial: PartialMove, chosen: Selection) -> wire.PageNode | bool | None:
        fork = self.game.fork(partial.position, chosen.tokens)
        if fork.move is not None:
            return None
        return not self.tree or self.node(
            replace(partial, selection=chosen, fork=fork, steps=fork.steps, ahead={})
        )


@dataclass(frozen=True, slots=True)
class TriedLine:
    """A line that a reader tries: the entry of the log from which it starts, and its moves. Its text is `~12~a2-a3;b7-b6`."""

    at: int
    moves: tuple[str, ...] = ()

    @classmethod
    def read(cls, text: str) -> TriedLine:
        """Return the line that a text names; raises `ValueError`."""
        empty, at, moves = text.split("~", 2)
        if empty or not (at.isascii() and at.isdecimal()):
            raise ValueError(f"no line: {text[:24]!r}")
        return cls(int(at[:9]), tuple(filter(None, moves.split(";"))))

    def __str__(self) -> str:
        return f"~{self.at}~{';'.join(self.moves)}"

    @property
    def back(self) -> TriedLine:
        """The line without its last move."""
        return replace(self, moves=self.moves[:-1])


def _after(presentation: Presentation, tried: TriedLine) -> Presentation:
    match, course = presentation.match, presentation.course.cut(tried.at)
    for text in tried.moves:
        (move,) = presentation.game.notation.parse(text, course.position)
        course = course.played(move, presentation.now.at)
    result = course.result
    phase = Phase.PLAYING if result is None else Phase.OVER
    match = replace(match, phase=phase, result=result, log=course.log, times=None, offer=None)
    return replace(presentation, match=match, course=course, changes=())


def tried(presentation: Presentation, asked: wire.PageRequest, looks: dict[str, str]) -> wire.PageReply:
    """Return the answer to what is picked, played or typed on the board of a line, or to the wish to see it."""
    reply = wire.PageReply(re=asked.op, cards=[])
    with suppress(RulesError, ValueError):  # no page asks for what is none
        line = TriedLine.read(asked.on or asked.text)
        then = _after(presentation, line)
        position, moves = then.course.position, line.moves
        if asked.do == "pick":
            return wire.PageReply(re=asked.op, pick=picked(then, Selection.read(asked.text), looks))
        if asked.do == "play":
            moves += follow(then.game, position, Selection.read(asked.text)).selection.plies
        elif asked.do == "type":
            try:
                moves += tuple(map(then.game.notation.format, then.game.notation.parse(asked.text, position)))
            except RulesError as refusal:
                said = presentation.words(refusal.reason, **presentation.names.named(refusal.fields))
                refused = picking.refused_move(presentation.words, said, then.game, position)
                return wire.PageReply(re=asked.op, cards=[wire.PageView(list(refused.lines), refused=True)])
        reply.cards = [_line(presentation, replace(line, moves=moves), looks)]
    return reply


def _line(presentation: Presentation, line: TriedLine, looks: dict[str, str]) -> wire.PageView:
    then, words = _after(presentation, line), presentation.words
    said = then.names.notation(entry for entry in then.course.log[line.at :] if isinstance(entry, Ply))
    lines = [words("bot.page.what-if"), said or words("bot.page.what-if-how"), *boards.result_or_turn(then)]
    made = wire.PageView(lines, board=_board(then, then.course, looks), on=str(line))
    made.back = str(line.back) if line.moves else ""
    if then.match.phase is Phase.PLAYING and len(made.on) < wire.MOST_TRIED:
        partial = follow(then.game, then.course.position, Selection())
        made.pick = pick_from(then.game, words, partial, flipped=then.flipped)
        made.pick.puts = viewpoint(then, looks).puts(then.game, partial)
    return made
