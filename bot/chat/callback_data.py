"""Callback data of buttons, packed into at most 64 ASCII bytes, which every platform carries."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

MAX_BYTES: Final = 64
"""Telegram's limit for `callback_data`; Discord's for `custom_id` is 100."""

_NO_MATCH: Final = "000000"
_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
_PACKED: Final = re.compile(r"1([a-z]{2}):([a-z0-9]{6}):(0|[1-9a-z][0-9a-z]{0,5}):([\x20-\x7e]*)\Z", re.ASCII)


class Verb(StrEnum):
    """What to do. The value is its spelling in sent buttons, so it keeps its meaning for ever."""

    ACCEPT = "ac"
    DECLINE = "de"
    WITHDRAW = "wi"
    JOIN = "jo"  # argument: the team, or nothing
    LEAVE = "le"
    START = "st"  # argument: how many are to play, where it was asked, or nothing
    MOVE = "mo"  # argument: the text of a move
    MOVES = "ml"  # argument: the page of the list of moves, from 0, or nothing
    STEP = "sp"  # argument: what is picked so far (bot.chat.presenting.selection)
    BOARD = "bo"  # argument: "words", "flip", both or nothing
    GAMES = "gm"  # argument: the page, and after a blank what is wanted; of no match
    REPLAY = "rp"
    UNDO = "un"
    TAKEBACK = "ta"
    DRAW = "dr"
    VOTE = "vo"  # argument: what is proposed, "end" or "remove"
    RESIGN = "re"  # argument: "sure", where it was asked, or nothing
    REMATCH = "rm"  # argument: nothing, or how (`presenting.boards`)
    EXPORT = "ex"
    WATCH = "wa"
    UNWATCH = "uw"
    CLAIM = "cl"
    PAUSE = "pa"
    MORETIME = "mt"  # argument: how long, as it is typed, or nothing
    RESUME = "go"
    PLAN = "pl"  # argument: the plan, or nothing
    SUBSTITUTE = "su"  # argument: what is typed after the command: a seat, an engine
    YES = "ye"  # argument: what was asked (play.match.Ask)
    NO = "no"
    FLIP = "fl"  # argument: which side is below, 1 or 2, or nothing
    TEXT = "tx"  # argument: as of FLIP
    MORE = "mr"
    HINT = "hi"  # argument: "move" for the turn itself, or nothing
    ORDER = "or"  # argument: what is known of a match that is ordered (bot.features.matches.setup_questions); of no match
    RULES = "ru"  # argument: a game, perhaps a slash and a ready-made setting; of no match
    HELP = "he"  # argument: a topic or page, or nothing; of no match
    CONFIG = "cf"
    SETTINGS = "sg"
    LANGUAGE = "la"
    VACATION = "va"  # argument of these four: what is typed after the command; of no match
    END = "en"
    FORGET = "fg"  # argument: "sure", where it was asked; of no match
    ANALYSE = "an"  # argument: the number of a turn, or nothing
    PUZZLE = "pz"  # argument: what is wanted; of a puzzle, which stands in place of a match
    PICK = "pp"  # argument: what is picked so far of a turn; of a puzzle
    TRY = "pt"  # argument: the text of a turn; of a puzzle
    SAY = "sy"  # argument: the key of a stored line, which is heard; of no match
    BACK = "ba"  # argument: as of FLIP; from a menu to the board
    UNBLOCK = "ub"  # argument: whom, as a key; of no match
    MUTE = "mu"
    COACH = "co"
    LINK = "lk"  # argument: what is answered, and a blank and a code or a question's key; of no match
    EXCLUDE = "xc"  # argument: whom, as a key, or nothing; of no match
    ADMIT = "ad"  # argument: as of EXCLUDE
    TOP = "tp"  # argument: what is typed after the command; of no match
    EVENT = "ev"  # argument: a form of events, and what is typed after its command; of no match
    CUP = "cu"  # argument: what is typed after /cup; of no match
    LADDER = "ld"  # argument: what is typed after /ladder; of no match
    LEAGUE = "lg"  # argument: what is typed after /league; of no match
    PAGE = "pg"
    SEEK = "sk"  # argument: what is typed after the command; of no match
    SEAT = "se"  # argument: which engine takes a chair, or nothing
    BALLOT = "bl"  # argument: what is typed after /vote; of a match that the place plays
    WHY = "wy"  # argument: what is picked of another turn; of a match that is over, with the number of a turn for the revision
    LEARN = "ln"  # argument: what is typed after /learn; of no match
    LESSON_PICK = "lp"  # argument: what is picked so far of a turn; of a task of a lesson, which stands in place of a match
    LESSON_TRY = "lt"  # argument: the text of a turn; as of LESSON_PICK
    TELL = "tl"  # argument: the number of a seat, "team", or nothing
    REPORT = "rt"  # argument: "sure", where it was asked
    BLOCK = "bk"  # argument: the number of a seat
    STORY = "so"  # argument: "film", or nothing
    REFUTE = "wn"  # argument: the text of another turn, after a "=" for how it ends; as of WHY
    FROM = "fr"  # argument: the number of a turn, and after a blank against whom, as it is typed; or nothing
    NOTE = "nt"  # argument: what is noted, or nothing
    WHAT_IF = "wf"  # argument: a turn's number, or nothing, to begin; else what is done, with a line's stamp for the revision
    LINE_PICK = "wk"  # argument: what is picked so far on the board of a tried line; as of WHAT_IF


class PuzzleStep(StrEnum):
    """Arguments of `Verb.PUZZLE`."""

    SOLVE = "solve"  # the puzzle, to the visitor alone
    NEXT = "next"
    AGAIN = "again"  # from the beginning
    RETRY = "retry"  # from where the last turn failed
    SOLUTION = "show"
    HINT = "hint"  # for the puzzle of the day
    TABLE = "table"  # who has finished the puzzle of the day here


class BadCallbackData(ValueError):
    """A text that `CallbackData.pack` does not produce, or one with an unknown version or verb."""


@dataclass(frozen=True, slots=True)
class CallbackData:
    """Contents of a button. A client can forge them, so they are checked like typed text.

    Attributes:
        verb: What to do.
        match: Id of the match; of a puzzle for its verbs.
        seen: Revision of the match for which the button was made.
        argument: What else the verb needs, in ASCII.
    """

    verb: Verb
    match: str
    seen: int
    argument: str = ""

    @classmethod
    def without_match(cls, verb: Verb, argument: str = "") -> CallbackData:
        """Return the callback data of a button that is about no match."""
        return cls(verb, _NO_MATCH, 0, argument)

    @property
    def code(self) -> str | None:
        """The match; None if it is about none."""
        return None if self.match == _NO_MATCH else self.match

    @property
    def fits(self) -> bool:
        """Whether it can be packed: short enough, in ASCII."""
        return _PACKED.match(text := self._text()) is not None and len(text) <= MAX_BYTES

    def pack(self) -> str:
        """Return the text that a button carries.

        Raises:
            ValueError: it does not fit; see `fits`.
        """
        if not self.fits:
            raise ValueError(f"no button can carry this: {self}")
        return self._text()

    def _text(self) -> str:
        number, seen = "", self.seen
        while seen or not number:
            seen, digit = divmod(seen, 36)
            number = _DIGITS[digit] + number
        return f"1{self.verb.value}:{self.match}:{number}:{self.argument}"

    @classmethod
    def unpack(cls, text: str) -> CallbackData:
        """Return the callback data that a text packs.

        Raises:
            BadCallbackData: `pack` does not produce this text.
        """
        found = _PACKED.match(text) if len(text) <= MAX_BYTES else None
        if not found:
            raise BadCallbackData(text[:MAX_BYTES])
        try:
            verb = Verb(found[1])
        except ValueError:
            raise BadCallbackData(text) from None
        return cls(verb, found[2], int(found[3], 36), found[4])
