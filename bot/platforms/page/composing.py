"""A match as data for one reader: the view that a chat gets, the board square by square, and what can be picked."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import blake2b
from itertools import chain
from typing import Final

from bot.chat.callback_data import Verb
from bot.chat.i18n import Words
from bot.chat.presenting import boards, picking
from bot.chat.presenting.captions import OwnerNames, caption, square_texts
from bot.chat.presenting.naming import Presentation
from bot.chat.presenting.selection import PartialMove, Selection, follow, leaves, targeted
from bot.chat.view import Button, RosterLine, View
from bot.platforms.page import wire
from play.match import Phase, Ply
from play.people import Account
from play.replay import Course
from play.time.clock import left, saved_by_day, until_flag
from render import rows
from render.picture import Theme, vector_cells, vector_piece
from rules.core import AnyGame, Diagram, Highlights, Picks, RulesError, Seat, Square, Threat

TREE: Final = 200  # legal moves up to which all steps go out with the view, so that a tap needs no round trip

_OWN: Final = frozenset({Verb.FLIP, Verb.TEXT, Verb.MOVES, Verb.STEP, Verb.BACK, Verb.PAGE})
"""What the page does in its own way, or cannot show."""

_BARE: Final = frozenset({(Verb.MOVE, False), (Verb.BOARD, True)})
"""Likewise, by whether they have an argument: what begins a move, and the board in words."""

_DAY: Final = 86400.0


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
        return wire.PageBoard(files, ranks, list(legend), squares, alt)

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
    seats = frozenset(seat for account in who for seat in match.seats_of(account))
    title = presentation.names.title
    made = wire.PageView(
        [title, *(line for line in shown.lines if line != title)],
        buttons((*shown.buttons, *shown.controls) if who else ()),
        code=match.id,
        r=match.revision,
        after=list(shown.untimed or shown.after),
        chairs=[wire.PageChair(line.text, mine=line.seat in seats) for line in shown.roster],
        turns=len(match.log),
        share=share,
        tries=tries and shown.diagram is not None,
    )
    if shown.diagram is not None:
        seen = _seen(presentation, looks)
        made.board = seen.board(shown.diagram, presentation.game.threats(position), shown.position)
        for chair, line in zip(made.chairs, shown.roster, strict=True):
            _seat(presentation, seen, chair, line.seat)
        if match.phase is Phase.PLAYING and not match.paused and position.to_move in seats:
            partial = follow(presentation.game, position, Selection())
            made.pick = pick_from(
                presentation.game, presentation.words, partial, flipped=presentation.flipped
            )
    return made


def seen_by(presentation: Presentation, who: Sequence[Account]) -> View:
    """Return the view of a match for a reader by their accounts."""
    last = boards.last_turn(presentation) if presentation.match.phase is Phase.PLAYING else ()
    return boards.for_one(boards.show(presentation, *last), presentation, *who)


def _seen(presentation: Presentation, looks: dict[str, str]) -> Viewpoint:
    return Viewpoint(presentation.names, presentation.theme, presentation.flipped, looks)


def _board(presentation: Presentation, course: Course, looks: dict[str, str]) -> wire.PageBoard:
    game = presentation.game
    diagram = game.draw(course.position, Highlights(last=course.last_turn, before=course.before_turn))
    return _seen(presentation, looks).board(diagram, game.threats(course.position))


def _seat(presentation: Presentation, seen: Viewpoint, chair: wire.PageChair, seat: Seat) -> None:
    match, position, times = presentation.match, presentation.course.position, presentation.match.times
    playing = match.phase is Phase.PLAYING
    chair.look = seen.key(vector_piece(presentation.game.draw(position), seat, seen.theme))
    chair.turn = playing and seat == position.to_move
    if times is not None and playing and seat not in position.out:
        saved = seat == times.seat and saved_by_day(times)
        rest = until_flag(times, presentation.now) if saved else left(times, seat, presentation.now)
        chair.left = max(0.0, rest.total_seconds())
        chair.runs = seat == times.seat and times.since is not None and not saved
        chair.clock = presentation.words.time_left(rest, short=True) if chair.left >= _DAY else ""


def buttons(shown: Sequence[Button]) -> list[wire.PageButton]:
    """Return buttons as a page has them: without those that it does in its own way, each once."""
    found = {
        button.data.pack(): wire.PageButton(button.label, button.data.pack(), button.style)
        for button in shown
        if button.data.verb not in _OWN and (button.data.verb, bool(button.data.argument)) not in _BARE
    }
    return list(found.values())


def card(view: View, words: Words, looks: dict[str, str], *, refused: bool = False) -> wire.PageView:
    """Return a message of the desk. Its board is touched like that of a match, where a turn can be picked on it."""
    shown = [*view.buttons, *view.controls] if view.diagram is None else list(view.buttons)
    lines = [*view.lines, *(line.text for line in view.roster if view.diagram is None), *view.after]
    made = wire.PageView(lines, refused=refused)
    made.files = [(name, b64encode(held).decode()) for name, held in view.attachments]
    if view.film is not None:
        name, film = view.film
        made.files.append((name, b64encode(film.data).decode()))
    threats: Sequence[Threat] = ()
    if (picking := view.picking) is not None:
        own = (picking.picks.verb, picking.plays)
        shown = [button for button in shown if button.data.verb not in own]
        partial = follow(picking.game, picking.start, Selection.read(picking.picked))
        threats = picking.game.threats(partial.position)
        made.pick = pick_from(picking.game, words, partial, flipped=view.flipped)
        made.on = picking.picks.pack()
        made.lines = [line for line in view.lines if line != picking.typed]
    if view.diagram is not None:
        seen = Viewpoint(_Rostered(words, view.roster), view.theme, view.flipped, looks)
        made.board = seen.board(view.diagram, threats, view.position)
    made.buttons = buttons(shown)
    return made


def log(presentation: Presentation) -> list[wire.PageEntry]:
    """Return the entries of a match's log, in notation; who left or came back, in a sentence."""
    return [
        wire.PageEntry(entry.seat, entry.text if isinstance(entry, Ply) else caption(presentation, index))
        for index, entry in enumerate(presentation.course.log)
    ]


def look(presentation: Presentation, at: int, looks: dict[str, str]) -> wire.PageLook:
    """Return a match as it was after so many entries of its log."""
    at = max(0, min(at, len(presentation.course.log)))
    said = caption(presentation, at - 1) if at else presentation.names.opponents
    return wire.PageLook(at, said, _board(presentation, presentation.course.cut(at), looks))


def picked(presentation: Presentation, selection: Selection, looks: dict[str, str]) -> wire.PagePick:
    """Return a half-made move, with the board as it would be; raises `RulesError`."""
    game = presentation.game
    partial = follow(game, presentation.course.position, selection)
    before = partial.start if partial.moves else None
    drawn = Highlights(last=partial.moves, planned=True, before=before, picked=partial.selection.tokens)
    made = pick_from(game, presentation.words, partial, flipped=presentation.flipped)
    diagram = game.draw(partial.position, drawn)
    made.board = _seen(presentation, looks).board(diagram, game.threats(partial.position))
    return made


def pick_from(game: AnyGame, words: Words, partial: PartialMove, *, flipped: bool) -> wire.PagePick:
    """Return what is picked so far, and what can be picked next."""
    start = partial.start
    gathers = start.turn_length > 1 or start.plies_left > 1
    tree = not gathers and len(start.legal_moves()) <= TREE
    squares = chain.from_iterable(rows(game.draw(partial.position).grid, flipped=flipped))
    picker = _Picker(game, words, {square: at for at, square in enumerate(squares)}, tree)
    return wire.PagePick(
        at=str(partial.selection),
        node=None if partial.whole else picker.node(partial),
        said=picking.so_far(game, words, partial) or "",
        plies=bool(partial.moves),
        gathers=gathers,
    )


@dataclass(frozen=True, slots=True)
class _Picker:
    game: AnyGame
    words: Words
    numbers: Mapping[Square, int]  # of the squares, as they are seen
    tree: bool  # whether all steps to come are sent

    def node(self, partial: PartialMove) -> wire.PageNode:
        prompt, had = partial.fork.prompt, len(partial.selection.tokens)
        steps = [
            wire.PageStep(
                "/".join(chosen.tokens[had:]),
                step.picks.value,
                [self.numbers[square] for square in step.squares],
                self.words(step.label) if step.label else step.token,
                self._after(partial, chosen),
            )
            for chosen, step in leaves(self.game, partial)
        ]
        for (chosen, _), squares in targeted(partial):  # keys beside the board
            path, label = "/".join(chosen.tokens[had:]), f"{picking.PLAYS}{squares}"
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


def tried(presentation: Presentation, asked: wire.PageRequest, looks: dict[str, str]) -> wire.PageFrame:
    """Return the answer to what is picked, played or typed on the board of a line, or to the wish to see it."""
    frame = wire.PageFrame(cards=[])
    with suppress(RulesError, ValueError):  # no page asks for what is none
        line = TriedLine.read(asked.on or asked.text)
        then = _after(presentation, line)
        position, moves = then.course.position, line.moves
        if asked.do == "pick":
            return wire.PageFrame(pick=picked(then, Selection.read(asked.text), looks))
        if asked.do == "play":
            moves += follow(then.game, position, Selection.read(asked.text)).selection.plies
        elif asked.do == "type":
            try:
                moves += tuple(map(then.game.notation.format, then.game.notation.parse(asked.text, position)))
            except RulesError as refusal:
                said = presentation.words(refusal.reason, **presentation.names.named(refusal.fields))
                refused = picking.refused_move(presentation.words, said, then.game, position)
                return wire.PageFrame(cards=[wire.PageView(list(refused.lines), refused=True)])
        frame.cards = [_line(presentation, replace(line, moves=moves), looks)]
    return frame


def _line(presentation: Presentation, line: TriedLine, looks: dict[str, str]) -> wire.PageView:
    then, words = _after(presentation, line), presentation.words
    said = then.names.notation(entry for entry in then.course.log[line.at :] if isinstance(entry, Ply))
    lines = [words("bot.page.what-if"), said or words("bot.page.what-if-how"), *boards.result_or_turn(then)]
    made = wire.PageView(lines, board=_board(then, then.course, looks), on=str(line))
    made.back = str(line.back) if line.moves else ""
    if then.match.phase is Phase.PLAYING and len(made.on) < wire.MOST_TRIED:
        partial = follow(then.game, then.course.position, Selection())
        made.pick = pick_from(then.game, words, partial, flipped=then.flipped)
    return made
