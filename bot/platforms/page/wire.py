"""What the page and the server say to each other, as JSON. The client knows no game and no language.

Squares are numbered as they are seen, along the rows from the top left one.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta, Struct

from bot.platforms import CHATS

MAX_FRAME: Final = 4096
"""Most bytes of a frame from a page."""

MAX_LONG: Final = 1000
"""Most characters of a text in a frame from a page: a move, a line that is tried, a note."""

MOST_TRIED: Final = 900
"""Characters of a line from which on it goes no further."""

MAX_LIST: Final = 64
"""Most characters of a name or a number in a frame from a page."""


class PageButton(Struct, omit_defaults=True):
    """Something to press: `data` is what a chat's button carries."""

    label: str
    data: str
    style: str = "plain"


class PageBoard(Struct, omit_defaults=True):
    """A board as it is seen.

    Attributes:
        files: The names of the files, from the left. A square's name is that of its file and its rank.
        ranks: The names of the ranks, from the top.
        legend: How a square can look, by the key of its SVG elements, and what then stands on it, in words.
        squares: Which entry of the legend is true of each square.
        alt: What the whole board shows, in words.
    """

    files: list[str]
    ranks: list[str]
    legend: list[tuple[str, str]]
    squares: list[int]
    alt: str = ""


class PageStep(Struct, array_like=True):
    """One way on from a half-made move.

    Attributes:
        path: The tokens that choose it, with slashes between.
        picks: What is picked (`rules.core.Picks`).
        squares: Those it is about.
        label: Its words.
        after: What can be picked next; True: ask; None: nothing, the ply is whole.
    """

    path: str
    picks: str
    squares: list[int]
    label: str
    after: PageNode | bool | None


class PageNode(Struct):
    """What is to be picked next."""

    prompt: str
    steps: list[PageStep]


class PagePick(Struct, omit_defaults=True):
    """A half-made move.

    Attributes:
        at: What is picked, in its shortest form; see `bot.chat.presenting.selection`.
        node: What can be picked next; None: the turn is whole.
        said: What is picked so far, in words.
        plies: Whether whole plies are picked, so that they can be played.
        gathers: Whether a turn has several plies, which are played together.
        board: The board with what is picked; None: as it is.
    """

    at: str
    node: PageNode | None = None
    said: str = ""
    plies: bool = False
    gathers: bool = False
    board: PageBoard | None = None


class PageChair(Struct, omit_defaults=True):
    """A seat: who sits there and what is to be said of them.

    Attributes:
        text: The name, the side, points.
        look: How its pieces look, by the key of the SVG elements.
        turn: Whether the seat is on turn.
        mine: Whether the reader sits there.
        left: Seconds left on the clock; None: there is none.
        clock: The same in words, where it is longer than a day.
        runs: Whether the clock runs.
    """

    text: str
    look: str = ""
    turn: bool = False
    mine: bool = False
    left: float | None = None
    clock: str = ""
    runs: bool = False


class PageCard(Struct, omit_defaults=True):
    """A message for the reader alone: an answer, a refusal, a menu; with a board, what is shown in place of the match.

    Attributes:
        files: The names and bytes of files, in Base64.
        pick: What can be picked on its board.
        on: Names the board, for requests about it.
        back: The name of the board one move earlier.
    """

    lines: list[str]
    buttons: list[PageButton] = []
    board: PageBoard | None = None
    refused: bool = False
    files: list[tuple[str, str]] = []
    pick: PagePick | None = None
    on: str = ""
    back: str = ""


class PageView(Struct, omit_defaults=True):
    """A match as one reader sees it.

    Attributes:
        code: The match.
        r: Its revision.
        title: The game and what was chosen.
        said: The last turn, and what else happened.
        after: Whose turn it is, or the result.
        chairs: Who plays.
        buttons: What can be pressed.
        board: None before the match begins.
        pick: The empty selection, where the reader is on turn.
        turns: The number of entries of the log.
        playing: Whether the match is under way.
        share: The address for spectators.
        tries: Whether the reader may try other moves on a board beside the match.
    """

    code: str
    r: int
    title: str
    said: list[str]
    after: list[str]
    chairs: list[PageChair]
    buttons: list[PageButton]
    board: PageBoard | None = None
    pick: PagePick | None = None
    turns: int = 0
    playing: bool = False
    share: str = ""
    tries: bool = False


class PageEntry(Struct, array_like=True):
    """An entry of the log: the index of the seat, and what it did."""

    seat: int
    text: str


class PageLook(Struct):
    """A match as it was after so many entries of its log."""

    at: int
    said: str
    board: PageBoard


class PageHello(Struct, omit_defaults=True):
    """The answer to a page that connects: who reads, the words of the page, and what they noted about the match, if they play."""

    name: str
    words: dict[str, str]
    language: str
    seated: bool = False
    note: str | None = None


class PageFrame(Struct, omit_defaults=True):
    """What the server says. `re` names the request it answers; `looks` are those that the page does not have yet.

    Attributes:
        log: The entries of the log from `log_from` on.
        watching: How many watch the match without playing in it.
        go: The match to show next.
        bar: How far an answer is that takes a while.
        over: Why the connection ends: `session` (identify again), `match` (there is none to see), `off` (its chat wants no
            page), `busy`.
    """

    re: str = ""
    hello: PageHello | None = None
    view: msgspec.Raw | None = None
    log: list[PageEntry] | None = None
    log_from: int = 0
    pick: PagePick | None = None
    look: PageLook | None = None
    cards: list[PageCard] | None = None
    looks: dict[str, str] | None = None
    watching: int | None = None
    go: str = ""
    bar: str = ""
    over: str = ""


Short: TypeAlias = Annotated[str, Meta(max_length=MAX_LIST)]
Long: TypeAlias = Annotated[str, Meta(max_length=MAX_LONG)]
Revision: TypeAlias = Annotated[int, Meta(ge=0, le=1 << 30)]


class PageProof(Struct, forbid_unknown_fields=True):
    """How a page proves who reads it: `link` with the token of a one-time link, or a platform with what that vouches by."""

    kind: Annotated[str, Meta(pattern=rf"\A(?:link|{'|'.join(chat.key for chat in CHATS)})\Z")]
    proof: Annotated[str, Meta(max_length=MAX_FRAME)] = ""


class PageConnect(Struct, forbid_unknown_fields=True):
    """The first frame of a page.

    Attributes:
        proof: Begins a session, whose bearer is in the answer.
        bearer: Proves who reads; empty for a spectator.
        code: The match; empty for the list of matches.
        key: Of a spectator's link.
        theme: The colours of the boards.
        locale: Of the client.
        r: The revision of the match on the page, if there is one: it is not sent again.
        flip: Whether the board is turned.
    """

    proof: PageProof | None = None
    bearer: Annotated[str, Meta(max_length=1024)] = ""
    code: Short = ""
    key: Short = ""
    theme: Short = "light"
    locale: Short = ""
    r: Revision = 0
    flip: bool = False


class PageRequest(Struct, forbid_unknown_fields=True):
    """What a page asks for.

    Attributes:
        op: Names the request, so that it is carried out once however often it comes.
        do: `pick`: show a half-made move. `play`: play it. `press`: a button. `type`: a typed move. `look`: an earlier position.
            `flip`: the board from the other side. `theme`: other colours. `try`: the board of a line beside the match.
            `note`: what the reader notes for themselves.
        text: The selection, the button's data, the typed move, the number of entries, the theme, the line, or the note.
        on: The board that a selection is made on; empty for the match.
        seen: The revision of the match on the page.
    """

    op: Annotated[str, Meta(min_length=8, max_length=32, pattern=r"^[A-Za-z0-9_-]*$")]
    do: Literal["pick", "play", "press", "type", "look", "flip", "theme", "try", "note"]
    text: Long = ""
    on: Long = ""
    seen: Revision = 0


read_connect: Final = msgspec.json.Decoder(PageConnect).decode
read_request: Final = msgspec.json.Decoder(PageRequest).decode
write: Final = msgspec.json.Encoder().encode

BadFrame: Final = (msgspec.MsgspecError, UnicodeDecodeError)
"""What the readers raise for anything that no page sends."""
