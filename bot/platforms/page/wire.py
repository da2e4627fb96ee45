"""What the page and the server say to each other, as JSON. The client knows no game and no language.

Squares are numbered as they are seen, along the rows from the top left one.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta, Struct

from bot.platforms import CHATS
from play.match import SEVERAL, STRONGEST, WEAKEST

MAX_FRAME: Final = 4096  # most bytes of a frame from a page

MAX_LONG: Final = 1000
"""Most characters of a text in a frame from a page: a move, a line that is tried, a note."""

MOST_TRIED: Final = 900  # characters of a line from which on it goes no further

MAX_LIST: Final = 64  # most characters of a name or a number in a frame from a page


class PageButton(Struct, omit_defaults=True):
    """Something to press: `data` is what a chat's button carries."""

    label: str
    data: str
    style: str = "plain"
    end: bool = False  # whether it goes on from a match that is over: a rematch, an analysis


class PageLegend(Struct):
    """How a square can look, by the key of its SVG elements, and what then stands on it, in words."""

    look: str
    text: str


class PageBoard(Struct, omit_defaults=True):
    """A board as it is seen."""

    # The names of the files, from the left. A square's name is that of its file and its rank.
    files: list[str]
    ranks: list[str]  # the names of the ranks, from the top
    legend: list[PageLegend]
    squares: list[int]  # which entry of the legend is true of each square
    alt: str = ""  # what the whole board shows, in words


class PageStep(Struct, omit_defaults=True):
    """One way on from a half-made move."""

    path: str  # the tokens that choose it, with slashes between
    picks: str  # what is picked (`rules.core.Picks`)
    squares: list[int]
    label: str = ""  # empty where it is the path
    after: PageNode | bool | None = (
        None  # what can be picked next; True: ask; None: nothing, the ply is whole
    )


class PageNode(Struct):
    """What is to be picked next."""

    prompt: str
    steps: list[PageStep]


class PagePick(Struct, omit_defaults=True):
    """A half-made move."""

    at: str  # what is picked, in its shortest form; see `bot.chat.presenting.selection`
    node: PageNode | None = None  # what can be picked next; None: the turn is whole
    said: str = ""  # what is picked so far, in words
    plies: bool = False  # whether whole plies are picked, so that they can be played
    gathers: bool = False  # whether a turn has several plies, which are played together
    at_once: bool = False  # whether a whole turn is played without a further press
    board: PageBoard | None = None  # the board with what is picked; None: as it is
    fades: list[int] = []  # squares of a piece over several squares that is picked up whole: it leaves them
    # How what a step puts down looks, by what the step picks, so that it is drawn before the server answers. Of a piece over several
    # squares there are sixteen looks, by its neighbours: 1 above, 2 right, 4 below, 8 left.
    puts: dict[str, list[str]] = {}


class PageAhead(Struct, omit_defaults=True):
    """A move that the reader prepares while others think, which no one else sees."""

    pick: PagePick | None = None  # what can be prepared; None: it is the reader's turn, or nothing can be
    moves: str = ""  # the prepared move, in notation
    squares: list[int] = []  # the squares that it is picked by
    said: str = ""  # that it is prepared, or was dropped, in words
    dropped: bool = False  # whether it was not legal when the reader's turn came


class PageRest(Struct):
    """A span in which a clock stands still; what is shown meanwhile."""

    start: float  # seconds from when the frame was made
    end: float
    text: str


class PageClock(Struct, omit_defaults=True):
    """The time that a player has left."""

    left: float  # seconds, when the frame was made
    runs: bool = False
    text: str = ""  # the same in words, where it is longer than a day
    rests: list[PageRest] = []  # the next ones, in their order


class PageChair(Struct, omit_defaults=True):
    """A seat: who sits there and what is to be said of them."""

    text: str  # the name, the side, points, in one line
    name: str = ""  # the name alone
    side: str = ""  # what the seat is called in the game, where it has a name
    score: str = ""  # the points, or what stands on the board of theirs
    note: str = ""  # that they are invited, or out
    out: bool = False  # whether the seat plays no more
    # How many actions the turn still has; 0: the seat is not on turn, or its turns have one.
    actions_left: int = 0
    actions: int = 0  # how many the turn has in all
    look: str = ""  # how its pieces look, by the key of the SVG elements
    turn: bool = False  # whether the seat is on turn
    mine: bool = False  # whether the reader sits there
    clock: PageClock | None = None


class PageFile(Struct):
    """A file to download; `data` is in Base64."""

    name: str
    data: str


class PageEnd(Struct, omit_defaults=True):
    """The end of a match."""

    result: str  # who won, or that the reader has
    why: str = ""  # how it came about
    rating: str = ""  # what it did to ratings, or why nothing
    outcome: Literal["won", "lost", "drawn", ""] = ""  # what it is to the reader; empty: they did not play


class PageLink(Struct):
    """An address to follow."""

    label: str
    url: str


class PageView(Struct, omit_defaults=True):
    """A message as one reader sees it: an answer, a refusal, a menu, or a match. With a board, the first line is its title.

    Of a match there are its code, the number of entries of its log, who sits there, and whose turn it is apart from the lines.
    """

    lines: list[str]
    buttons: list[PageButton] = []
    board: PageBoard | None = None  # none of a match before it begins
    small: PageBoard | None = None  # before it begins
    panels: list[PageBoard] = []  # of a story: one for each of the last lines
    pick: PagePick | None = None  # what can be picked on the board; of a match, where the reader is on turn
    refused: bool = False
    files: list[PageFile] = []
    on: str = ""  # names a board beside the match, for requests about it
    back: str = ""  # the name of that board one move earlier
    code: str = ""
    r: int = 0  # the revision of the match
    after: list[str] = []  # whose turn it is, or the result
    chairs: list[PageChair] = []
    turns: int = 0  # the number of entries of the log
    share: str = ""  # the address for spectators
    invite: str = ""  # the address by which a friend comes to a free seat, for a reader who plays
    joins: list[PageLink] = []  # how a reader without a session comes to a free seat
    menu: str = ""  # what is pressed to ask for the rest of the menu
    tries: bool = False  # whether the reader may try other moves on a board beside the match
    title: str = ""  # the game
    players: str = ""  # their names, if they are few
    rated: bool = False
    event: Literal["move", "capture", "end", ""] = ""  # what happened last
    ahead: PageAhead | None = None  # of a match that is played, where the reader plays in it
    end: PageEnd | None = None  # of a match that is over


class PageEntry(Struct):
    """An entry of the log: the index of the seat, and what it did."""

    seat: int
    text: str


class PageMoment(Struct, omit_defaults=True):
    """A match as it was after so many entries of its log; `squares` as in `PageBoard`."""

    at: int
    said: str
    squares: list[int]


class PageReel(Struct):
    """Positions of a match, one after another, with one legend."""

    files: list[str]
    ranks: list[str]
    legend: list[PageLegend]
    moments: list[PageMoment]


class PageMark(Struct):
    """A turning point of a match that was analysed: how many entries its log had after the turn."""

    at: int
    kind: Literal["turning", "lost"]  # a turn that gave chances away, or the result for certain
    text: str


Short: TypeAlias = Annotated[str, Meta(max_length=MAX_LIST)]
Long: TypeAlias = Annotated[str, Meta(max_length=MAX_LONG)]
Revision: TypeAlias = Annotated[int, Meta(ge=0, le=1 << 30)]


CardKind: TypeAlias = Literal[
    "turn", "invitation", "waiting", "open", "puzzle", "lesson", "seek", "event", "finished"
]
"""`turn`: the reader has to move, answer or start. `invitation`: a seat is kept for them. `waiting`: others have to move. `open`: an
invitation that they are in. `seek`: another person looks for an opponent. `event`: a cup, a ladder or a league that they are in."""


class PageCard(Struct, omit_defaults=True):
    """An entry of the lobby: a match, an invitation, or something else that one can do."""

    id: str  # names the card in later frames
    kind: CardKind
    title: str
    state: str = ""  # what it waits for, or how it ended
    about: str = ""  # of an invitation: what is to be played
    code: str = ""  # of a match or an event
    clock: PageClock | None = None
    board: PageBoard | None = None
    buttons: list[PageButton] = []
    go: str = ""  # the match that a tap on the card opens
    press: str = ""  # what a tap on the card presses, where it opens no match


class PageLobby(Struct, omit_defaults=True):
    """The lobby. Only cards that are new, or have changed since the last frame of the connection, are sent."""

    order: list[str]  # the ids of all cards, as they stand
    cards: list[PageCard]
    due: str = ""  # until when nothing is due, where that is not soon


class PageChoice(Struct):
    """Something to choose in the form of a new game."""

    value: str
    label: str


class PagePreset(Struct, omit_defaults=True):
    """A ready-made setting of a game: its board, its variant."""

    value: str
    label: str
    players: list[int]  # how many can play; the first number is chosen at first
    rates: bool = False  # whether a match can be rated
    note: str = ""  # what is known of a match of the first number of players: who wins, how even it is


class PageGame(Struct, omit_defaults=True):
    """A game, with its settings; the first one is chosen at first."""

    value: str
    label: str
    presets: list[PagePreset]
    # What is said of levels of the computer that play like lower ones on this machine.
    weaker: dict[str, str] = {}


class PageSetup(Struct, omit_defaults=True, forbid_unknown_fields=True):
    """A new game: what is chosen in the form, or what the form offers."""

    game: Short
    preset: Short = ""
    # `friend`: any person with the link. `open`: any person who looks for a game; for two. `person`: one of `PageNew.people`.
    opponent: Literal["computer", "friend", "open", "person"] = "computer"
    level: Annotated[int, Meta(ge=WEAKEST, le=STRONGEST)] = 2
    person: Short = ""
    players: Annotated[int, Meta(ge=0, le=SEVERAL)] = 0  # 0: as many as the setting has at first
    clock: Short = ""  # one of `PageNew.clocks`
    rated: bool = False  # not against the computer


class PageQuick(Struct):
    """A new game for one tap: the same again, or one against the computer."""

    label: str
    setup: PageSetup


class PageNew(Struct):
    """What the form of a new game offers, and its words."""

    words: dict[str, str]
    quick: list[PageQuick]
    games: list[PageGame]
    levels: list[PageChoice]
    clocks: list[PageChoice]
    people: list[PageChoice]  # whom the reader has played, the last one first


class PageHello(Struct, omit_defaults=True):
    """The answer to a page that connects: who reads, the words of the page, and what they noted about the match, if they play."""

    name: str
    words: dict[str, str]
    language: str
    seated: bool = False
    note: str | None = None


class PageFrame(Struct, omit_defaults=True):
    """What the server says. `re` names the request it answers; `looks` are those that the page does not have yet.

    An empty one shows that the connection is alive.
    """

    re: str = ""
    hello: PageHello | None = None
    view: PageView | None = None
    log: list[PageEntry] | None = None  # the entries of the log from `log_from` on
    log_from: int = 0
    pick: PagePick | None = None
    reel: PageReel | None = None
    marks: list[PageMark] | None = None
    story: PageView | None = None  # of a match that is over, for a reader who can ask for none
    cards: list[PageView] | None = None
    looks: dict[str, str] | None = None
    watching: int | None = None  # how many watch the match without playing in it
    go: str = ""  # the match to show next
    bar: str = ""  # how far an answer is that takes a while
    lobby: PageLobby | None = None
    new: PageNew | None = None
    link: str = ""  # the address that is to be passed on to a friend, for a new game that waits for one
    # Why the connection ends: `session` (identify again), `match` (there is none to see), `off` (its chat wants no page),
    # `busy`.
    over: str = ""


class PageReply(PageFrame, kw_only=True, omit_defaults=True):
    """The answer to a request. It has to name it: what is not answered is asked again after each reconnect."""

    re: str

    @classmethod
    def refused(cls, op: str, said: str) -> PageReply:
        """Return that a request is refused, and why."""
        return cls(re=op, cards=[PageView([said], refused=True)])


class PageBegun(Struct):
    """The answer to the first frame of a page: the line, what proves who reads from then on, the match, what is to be seen."""

    line: str
    bearer: str
    code: str
    frames: list[Annotated[msgspec.Raw, Meta(extra={"struct": PageFrame})]]  # each is encoded already


class PageProof(Struct, forbid_unknown_fields=True):
    """How a page proves who reads it: `link` with the token of a one-time link, a platform with what that vouches by.

    `guest` with a match and its spectators' key makes a new person of the local room, if the match has a free seat.
    """

    kind: Annotated[str, Meta(pattern=rf"\A(?:link|guest|{'|'.join(chat.key for chat in CHATS)})\Z")]
    proof: Annotated[str, Meta(max_length=MAX_FRAME)] = ""


class PageConnect(Struct, forbid_unknown_fields=True):
    """The first frame of a page."""

    proof: PageProof | None = None  # begins a session, whose bearer is in the answer
    bearer: Annotated[str, Meta(max_length=1024)] = ""  # proves who reads; empty for a spectator
    code: Short = ""  # the match; empty for the list of matches
    key: Short = ""  # of a spectator's link
    theme: Short = "light"
    locale: Short = ""
    r: Revision = 0  # the revision of the match on the page, if there is one: it is not sent again
    flip: bool = False  # whether the board is turned


class PageRequest(Struct, forbid_unknown_fields=True):
    """What a page asks for."""

    # Names the request, so that it is carried out once however often it comes.
    op: Annotated[str, Meta(min_length=8, max_length=32, pattern=r"^[A-Za-z0-9_-]*$")]
    # `pick`: show a half-made move. `play`: play it. `press`: a button. `type`: a typed move. `look`: a reel of earlier positions.
    # `flip`: the board from the other side. `theme`: other colours. `try`: the board of a line beside the match. `note`: what
    # the reader notes for themselves. `ahead`: prepare a selection; an empty one deletes the plan. `new`: a new game, as in
    # `setup`. `rules`: those of the match. `check`: nothing; the answer shows that the connection is alive.
    # `takeback`: to go back to before the turn after so many entries of the log.
    do: Literal[
        "pick",
        "play",
        "press",
        "type",
        "look",
        "flip",
        "theme",
        "try",
        "note",
        "ahead",
        "new",
        "rules",
        "check",
        "takeback",
    ]
    # The selection, the button's data, the typed move, the numbers of entries (`12:20`), the theme, the line, or
    # the note.
    text: Long = ""
    on: Long = ""  # the board that a selection is made on; empty for the match, `ahead` for a prepared move
    seen: Revision = 0  # the revision of the match on the page
    setup: PageSetup | None = None


read_connect: Final = msgspec.json.Decoder(PageConnect).decode
read_request: Final = msgspec.json.Decoder(PageRequest).decode
write: Final = msgspec.json.Encoder().encode

BadFrame: Final = (msgspec.MsgspecError, UnicodeDecodeError)
"""What the readers raise for anything that no page sends."""
