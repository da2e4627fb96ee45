"""Taps on a board of keys: from an update as Telegram sends it to what was pressed, by whom and where.

With every press Telegram sends the whole message back that the key is under, its keyboard included: 64 keys of a board of
8 x 8, and the controls. The library makes an object of each. Here the keyboard is left out before anything is made of the
update. Both sides begin with the update as the library's HTTP client has decoded it, and end with the press and its action.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from telegram import Bot, Update

from bench.measure import Budget, Goal, Row, Side, interleaved
from bench.playouts import logged, playouts
from bot.chat.callback_data import CallbackData
from bot.chat.i18n import words as words_for
from bot.chat.presenting.boards import for_one, show, waits_for
from bot.chat.presenting.naming import Presentation
from bot.chat.view import View
from bot.platforms.telegram.adapter import lean
from bot.platforms.telegram.rendering import caption, keyboard
from play.replay import Replay
from play.time.clock import Now
from rules import GAMES
from rules.breakthrough import GAME as BREAKTHROUGH

TAPS = 20
"""Updates in one unit of work: with one after the other, none is still in the processor's caches."""


PLIES = 6
"""Plies that have been played."""


@dataclass(frozen=True, slots=True)
class Tapped:
    """What everything that follows is decided by."""

    update: int
    user: int
    chat: int
    message: int
    callback: CallbackData


def rows(budget: Budget) -> Sequence[Row]:
    """Presses on a board of 8 x 8, and messages with a command beside them."""
    bot = Bot("1:x")
    updates = [_update(number) for number in range(TAPS)]
    plain = [_message(number) for number in range(TAPS)]
    if [_whole(each, bot) for each in updates] != [_lean(each, bot) for each in updates]:
        raise ValueError("a press means something else without its keyboard")

    def ours() -> None:
        for each in updates:
            _lean(each, bot)

    def theirs() -> None:
        for each in updates:
            _whole(each, bot)

    def commands() -> None:
        for each in plain:
            Update.de_json(each, bot)

    fast, slow, spoken = interleaved(
        (Side("lean", ours, TAPS), Side("whole", theirs, TAPS), Side("message", commands, TAPS)), budget
    )
    return [
        Row("a press on 64 keys", "presses", fast, slow, goal=Goal(at_least=4)),
        Row("a press beside a command", "updates", fast, spoken),
    ]


def _lean(raw: dict[str, Any], bot: Bot) -> Tapped:
    return _tapped(Update.de_json(lean(raw), bot))


def _whole(raw: dict[str, Any], bot: Bot) -> Tapped:
    return _tapped(Update.de_json(raw, bot))


def _tapped(update: Update) -> Tapped:
    query = update.callback_query
    assert query
    assert query.data
    assert query.message
    message = query.message
    return Tapped(
        update.update_id,
        query.from_user.id,
        message.chat.id,
        message.message_id,
        CallbackData.unpack(query.data),
    )


def _update(number: int) -> dict[str, Any]:
    view, data = _board()
    markup = keyboard(view)
    assert markup
    message = {
        "message_id": 1000 + number, "date": 1_790_000_000, "chat": _CHAT, "from": _BOT,
        "photo": [{"file_id": f"{size}", "file_unique_id": f"u{size}", "width": size, "height": size} for size in (90, 320, 800)],
        "caption": caption(view), "caption_entities": [{"type": "blockquote", "offset": 10, "length": 40}],
        "reply_markup": markup.to_dict(),
    }  # fmt: skip
    query = {"id": f"q{number}", "from": _PERSON, "message": message, "chat_instance": "1", "data": data}
    raw: dict[str, Any] = json.loads(json.dumps({"update_id": number, "callback_query": query}))
    return raw


def _message(number: int) -> dict[str, Any]:
    entities = [{"type": "bot_command", "offset": 0, "length": 5}]
    message = {
        "message_id": 1000 + number, "date": 1_790_000_000, "chat": _CHAT, "from": _PERSON, "text": "/move a2-a3",
        "entities": entities,
    }  # fmt: skip
    return {"update_id": number, "message": message}


_CHAT = {"id": -1_001_234_567_890, "type": "supergroup", "title": "A hall"}
_BOT = {"id": 7_000_000_001, "is_bot": True, "first_name": "Klop", "username": "klop_bot"}
_PERSON = {
    "id": 100_200_300,
    "is_bot": False,
    "first_name": "Ann",
    "username": "ann",
    "language_code": "uk",
}


def _board() -> tuple[View, str]:
    played = next(playouts(BREAKTHROUGH, {}, least=PLIES, most=PLIES))
    match = logged(played, "bench2")
    presentation = Presentation(
        BREAKTHROUGH, match, Replay(GAMES).positions(match), words_for("en"), Now(match.changed_at)
    )
    view = for_one(show(presentation), presentation, *waits_for(match, presentation.course))
    assert view.grid
    cells = [cell for row in view.grid.rows for cell in row]
    assert len(cells) == 64
    return view, next(cell.data for cell in cells if cell.data).pack()
