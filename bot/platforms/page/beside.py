"""Boards beside the present one: a match as it was earlier, and lines that a reader tries."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Final

from bot.chat.callback_data import CallbackData
from bot.chat.presenting import boards, picking
from bot.chat.presenting.captions import caption
from bot.chat.presenting.invitations import start_text
from bot.chat.presenting.naming import Presentation
from bot.chat.presenting.selection import Selection, follow
from bot.chat.presenting.trying import TriedLine, after
from bot.platforms.page import wire
from bot.platforms.page.board import pick_from, picked, viewpoint
from play.match import Phase, Ply
from play.replay import Course, turn_after
from rules.core import Highlights, RulesError

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
        begun = (presentation.names.opponents, *start_text(presentation))
        said = caption(presentation, at - 1) if at else ". ".join(begun)
        made.files, made.ranks = board.files, board.ranks
        made.moments.append(wire.PageMoment(at, said, squares))
    made.legend = [wire.PageLegend(*entry) for entry in entries]
    return made


def _board(presentation: Presentation, course: Course, looks: dict[str, str]) -> wire.PageBoard:
    game = presentation.game
    diagram = game.draw(course.position, Highlights(last=course.last_turn, before=course.before_turn))
    return viewpoint(presentation, looks).board(diagram, game.threats(course.position))


def beginning(presentation: Presentation, line: TriedLine) -> tuple[str, str]:
    """Return the command that begins a match at the end of a line, without an opponent, and the number of the turn if it is one's start."""
    then, match = after(presentation, line), presentation.match
    if line.moves:
        options = " ".join(f"{key}:{value}" for key, value in match.options)
        position = then.game.notation.format_position(then.course.position)
        return f'/challenge {match.game} {options} from:"{position}"', ""
    turn = turn_after(presentation.course, line.at)
    number = str(turn.number) if turn else ""
    return f"/challenge from:#{match.id}{':' if turn else ''}{number}", number


def opponents(card: wire.PageView, line: TriedLine, number: str) -> wire.PageView:
    """Return against whom a match can begin at the end of a line, of a card that asks that of a turn: of this one, if it has a number."""
    if card.refused:
        return card
    against = [
        (CallbackData.unpack(each.data).argument.partition(" ")[2], each.label) for each in card.buttons
    ]
    buttons = [wire.PageButton(label, f"{line}~{typed}") for typed, label in against if typed]
    return wire.PageView(card.lines[1 if number else 2 :], buttons)


def tried(
    presentation: Presentation, asked: wire.PageRequest, looks: dict[str, str], *, begins: bool
) -> wire.PageReply:
    """Return the answer to what is picked, played or typed on the board of a line, or to the wish to see it.

    With `begins` a match can begin at its end.
    """
    reply = wire.PageReply(re=asked.op, cards=[])
    with suppress(RulesError, ValueError):  # no page asks for what is none
        line = TriedLine.read(asked.on or asked.text)
        then = after(presentation, line)
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
        line = replace(line, moves=moves)
        card = _line(presentation, line, looks)
        if begins and card.pick is not None and presentation.match.log:
            card.buttons = [wire.PageButton(presentation.words("bot.button.from"), f"{line}~")]
        reply.cards = [card]
    return reply


def _line(presentation: Presentation, line: TriedLine, looks: dict[str, str]) -> wire.PageView:
    then, words = after(presentation, line), presentation.words
    said = then.names.notation(entry for entry in then.course.log[line.at :] if isinstance(entry, Ply))
    lines = [words("bot.page.what-if"), said or words("bot.page.what-if-how"), *boards.result_or_turn(then)]
    made = wire.PageView(lines, board=_board(then, then.course, looks), on=str(line))
    made.back = str(line.back) if line.moves else ""
    if then.match.phase is Phase.PLAYING and len(made.on) < wire.MOST_TRIED:
        partial = follow(then.game, then.course.position, Selection())
        seen = viewpoint(then, looks)
        made.pick = pick_from(then.game, words, partial, flipped=then.flipped, seen=seen)
    return made
