"""A match as data for one reader: the view that a chat gets, the board square by square, and what can be picked."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from itertools import chain
from typing import Any, Final

from bot.chat.callback_data import Verb
from bot.chat.i18n import Words
from bot.chat.presenting import boards, picking
from bot.chat.presenting.captions import OwnerNames, caption, square_texts
from bot.chat.presenting.naming import Presentation
from bot.chat.presenting.selection import PartialMove, Selection, follow, leaves
from bot.chat.view import Button, RosterLine, View
from bot.platforms.page import wire
from play.match import Phase, Ply
from play.people import Account
from play.time.clock import left, saved_by_day, until_flag
from render import rows
from render.picture import Theme, vector_cells, vector_piece
from rules.core import AnyGame, Diagram, Fork, Highlights, Picks, Position, Seat, Threat

TREE: Final = 200  # legal moves up to which all steps go out with the view, so that a tap needs no round trip

_OWN: Final = frozenset({Verb.FLIP, Verb.TEXT, Verb.MOVES, Verb.STEP, Verb.BACK, Verb.PAGE})
"""What the page does in its own way, or cannot show."""

_BARE: Final = frozenset({(Verb.MOVE, False), (Verb.BOARD, True)})
"""Likewise, by whether they have an argument: what begins a move, and the board in words."""

_DAY: Final = 86400.0


@dataclass(frozen=True, slots=True)
class Composed:
    """Something to send, and the looks of squares in it, by key."""

    data: Any
    looks: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Viewpoint:
    """How a reader sees boards: what owners are called, the colours, the side below."""

    names: OwnerNames
    theme: Theme
    flipped: bool


@dataclass(frozen=True, slots=True)
class _Rostered:
    words: Words
    lines: Sequence[RosterLine]

    def seat(self, seat: Seat) -> str:
        return next((line.text for line in self.lines if line.seat == seat), self.words.show(seat))

    seat_and_side = seat


def viewpoint(presentation: Presentation) -> Viewpoint:
    """Return how the reader of a match sees its boards."""
    return Viewpoint(presentation.names, presentation.theme, presentation.flipped)


def view(presentation: Presentation, who: Sequence[Account], share: str, *, tries: bool = True) -> Composed:
    """Return a match as it is, for a reader by their accounts: none for a spectator."""
    match = presentation.match
    looks: dict[str, str] = {}
    last = boards.last_turn(presentation) if match.phase is Phase.PLAYING else ()
    shown = boards.for_one(boards.show(presentation, *last), presentation, *who)
    board = pick = None
    seats = frozenset(seat for account in who for seat in match.seats_of(account))
    chairs = [wire.PageChair(line.text, mine=line.seat in seats) for line in shown.roster]
    if shown.diagram is not None:
        threats = presentation.game.threats(presentation.course.position)
        board = drawn(viewpoint(presentation), shown.diagram, looks, threats, shown.position)
        chairs = [
            _chair(presentation, line.seat, line.text, looks, mine=line.seat in seats)
            for line in shown.roster
        ]
        if (
            match.phase is Phase.PLAYING
            and not match.paused
            and presentation.course.position.to_move in seats
        ):
            partial = follow(presentation.game, presentation.course.position, Selection())
            pick = pick_from(presentation.game, presentation.words, partial, flipped=presentation.flipped)
    said = [line for line in shown.lines if line != presentation.names.title]
    data = wire.PageView(
        code=match.id,
        r=match.revision,
        title=presentation.names.title,
        said=said,
        after=list(shown.untimed or shown.after),
        chairs=chairs,
        buttons=buttons((*shown.buttons, *shown.controls) if who else ()),
        board=board,
        pick=pick,
        turns=len(match.log),
        playing=match.phase is Phase.PLAYING,
        share=share,
        tries=tries and board is not None,
    )
    return Composed(data, looks)


def drawn(
    seen: Viewpoint, diagram: Diagram, looks: dict[str, str], threats: Sequence[Threat] = (), alt: str = ""
) -> wire.PageBoard:
    """Return a board as it is seen; the looks of its squares are added to `looks`."""
    cells = vector_cells(diagram, seen.theme, flipped=seen.flipped)
    told = square_texts(diagram, seen.names, threats)
    empty = seen.names.words("bot.square.empty")
    order = rows(diagram.grid, flipped=seen.flipped)
    legend: dict[tuple[str, str], int] = {}
    squares = [
        legend.setdefault((_kept(svg, looks), told.get(square, empty)), len(legend))
        for names, drawings in zip(order, cells, strict=True)
        for square, svg in zip(names, drawings, strict=True)
    ]
    return wire.PageBoard(
        files=[str(square)[0] for square in order[0]],
        ranks=[str(names[0])[1:] for names in order],
        legend=list(legend),
        squares=squares,
        alt=alt,
    )


def _kept(svg: str, looks: dict[str, str]) -> str:
    key = _key(svg)
    looks[key] = svg
    return key


@lru_cache(maxsize=8192)
def _key(svg: str) -> str:
    return blake2b(svg.encode(), digest_size=6).hexdigest()


def _chair(
    presentation: Presentation, seat: Seat, text: str, looks: dict[str, str], *, mine: bool
) -> wire.PageChair:
    match, position, times = presentation.match, presentation.course.position, presentation.match.times
    diagram = presentation.game.draw(position)
    playing = match.phase is Phase.PLAYING
    chair = wire.PageChair(
        text,
        look=_kept(vector_piece(diagram, seat, presentation.theme), looks),
        turn=playing and seat == position.to_move,
        mine=mine,
    )
    if times is not None and playing and seat not in position.out:
        saved = seat == times.seat and saved_by_day(times)
        rest = until_flag(times, presentation.now) if saved else left(times, seat, presentation.now)
        chair.left = max(0.0, rest.total_seconds())
        chair.runs = seat == times.seat and times.since is not None and not saved
        chair.clock = presentation.words.time_left(rest, short=True) if chair.left >= _DAY else ""
    return chair


def buttons(shown: Sequence[Button]) -> list[wire.PageButton]:
    """Return buttons as a page has them: without those that it does in its own way, each once."""
    found = {
        button.data.pack(): wire.PageButton(button.label, button.data.pack(), button.style)
        for button in shown
        if button.data.verb not in _OWN and (button.data.verb, bool(button.data.argument)) not in _BARE
    }
    return list(found.values())


def card(view: View, words: Words, looks: dict[str, str], *, refused: bool = False) -> wire.PageCard:
    """Return a message of the desk. Its board is touched like that of a match, where a turn can be picked on it."""
    shown = [*view.buttons, *view.controls] if view.diagram is None else list(view.buttons)
    lines = [*view.lines, *(line.text for line in view.roster if view.diagram is None), *view.after]
    found = wire.PageCard(lines, [], refused=refused)
    found.files = [(name, b64encode(held).decode()) for name, held in view.attachments]
    if view.film is not None:
        name, film = view.film
        found.files.append((name, b64encode(film.data).decode()))
    threats: Sequence[Threat] = ()
    if (picking := view.picking) is not None:
        own = (picking.picks.verb, picking.plays)
        shown = [button for button in shown if button.data.verb not in own]
        partial = follow(picking.game, picking.start, Selection.read(picking.picked))
        threats = picking.game.threats(partial.position)
        found.pick = pick_from(picking.game, words, partial, flipped=view.flipped)
        found.on = picking.picks.pack()
        found.lines = [line for line in view.lines if line != picking.typed]
    if view.diagram is not None:
        seen = Viewpoint(_Rostered(words, view.roster), view.theme, view.flipped)
        found.board = drawn(seen, view.diagram, looks, threats, view.position)
    found.buttons = buttons(shown)
    return found


def picked_on(view: View, words: Words) -> Composed:
    """Return what is picked on a board that belongs to no match, after `card` had one of it."""
    looks: dict[str, str] = {}
    made = card(view, words, looks)
    assert made.pick is not None, "its view has what is picked"  # noqa: S101
    made.pick.board = made.board
    return Composed(made.pick, looks)


def log(presentation: Presentation) -> list[wire.PageEntry]:
    """Return the entries of a match's log, in notation; who left or came back, in a sentence."""
    return [
        wire.PageEntry(entry.seat, entry.text if isinstance(entry, Ply) else caption(presentation, index))
        for index, entry in enumerate(presentation.course.log)
    ]


def look(presentation: Presentation, at: int) -> Composed:
    """Return a match as it was after so many entries of its log."""
    course, game = presentation.course, presentation.game
    at = max(0, min(at, len(course.log)))
    then = course.cut(at)
    diagram = game.draw(then.position, Highlights(last=then.last_turn, before=then.before_turn))
    looks: dict[str, str] = {}
    said = caption(presentation, at - 1) if at else presentation.names.opponents
    return Composed(
        wire.PageLook(at, said, drawn(viewpoint(presentation), diagram, looks, game.threats(then.position))),
        looks,
    )


def picked(presentation: Presentation, selection: Selection) -> Composed:
    """Return a half-made move, with the board as it would be; raises `RulesError`."""
    game = presentation.game
    partial = follow(game, presentation.course.position, selection)
    looks: dict[str, str] = {}
    diagram = game.draw(
        partial.position,
        Highlights(
            last=partial.moves,
            planned=True,
            before=partial.start if partial.moves else None,
            picked=partial.selection.tokens,
        ),
    )
    found = pick_from(game, presentation.words, partial, flipped=presentation.flipped)
    found.board = drawn(viewpoint(presentation), diagram, looks, game.threats(partial.position))
    return Composed(found, looks)


def pick_from(game: AnyGame, words: Words, partial: PartialMove, *, flipped: bool) -> wire.PagePick:
    """Return what is picked so far, and what can be picked next."""
    start = partial.start
    gathers = start.turn_length > 1 or start.plies_left > 1
    tree = not gathers and len(start.legal_moves()) <= TREE
    picker = _Picker(game, words, flipped, partial.position, tree)
    # What can be picked next: the path from here, all tokens of the ply, and the step.
    had, ways = len(partial.selection.tokens), leaves(game, partial)
    choices = [("/".join(chosen.tokens[had:]), chosen.tokens, step) for chosen, step in ways]
    return wire.PagePick(
        at=str(partial.selection),
        node=None if partial.whole else picker.node(partial.fork, choices),
        said=picking.so_far(words, partial) or "",
        plies=bool(partial.moves),
        gathers=gathers,
    )


class _Picker:
    def __init__(
        self, game: AnyGame, words: Words, flipped: bool, position: Position[Any], tree: bool
    ) -> None:
        self._game, self._words, self._position, self._tree = game, words, position, tree
        squares = chain.from_iterable(rows(game.draw(position).grid, flipped=flipped))
        self._number = {square: at for at, square in enumerate(squares)}

    def node(self, fork: Fork[Any], choices: Sequence[tuple[str, tuple[str, ...], Any]]) -> wire.PageNode:
        return wire.PageNode(
            self._words(fork.prompt) if fork.prompt else "",
            [self._step(path, tokens, step) for path, tokens, step in choices],
        )

    def _step(self, path: str, tokens: tuple[str, ...], step: Any) -> wire.PageStep:
        label = self._words(step.label) if step.label else tokens[-1]
        squares = [self._number[square] for square in step.squares]
        return wire.PageStep(path, step.picks.value, squares, label, self._after(tokens))

    def _after(self, tokens: tuple[str, ...]) -> wire.PageNode | bool | None:
        further = self._game.fork(self._position, tokens)
        if further.move is not None:
            return None
        if not self._tree:
            return True
        return self.node(further, list(self._through(tokens, further, "")))

    def _through(
        self, tokens: tuple[str, ...], fork: Fork[Any], path: str
    ) -> Iterator[tuple[str, tuple[str, ...], Any]]:
        """Yield the steps of a fork, past those that only narrow the choice."""
        for step in fork.steps:
            further = (*tokens, step.token)
            if step.picks is Picks.REGION:
                inner = self._game.fork(self._position, further)
                yield from self._through(further, inner, f"{path}{step.token}/")
            else:
                yield f"{path}{step.token}", further, step
