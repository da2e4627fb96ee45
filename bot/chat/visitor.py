"""The person who asks, and from where."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum, auto

from bot.chat.view import Message
from play.people import Account, Address, Player
from storage.ports import BoardMessage


class NamedBot(Enum):
    """Which bot a typed name is of."""

    OWN = auto()
    OTHER = auto()


@dataclass(frozen=True, slots=True)
class Visitor:
    """A person at a place, as the platform sees them.

    Attributes:
        unmet: Returns the player for whom a chair can be kept by a typed name that `find` does not know, or None.
        alias: The account of that player, where the name is the visitor's own.
        locale: The language of the client, as the platform spells it.
        server_locale: The language of the server that the place is in; None where there is none, or it was not chosen.
        around: The chat that the place is a part of, where its address does not tell.
        retried: Whether the request is handled again if the store does not answer: then that is no answer.
        request: The platform's id of the request, if it may deliver it again; ASCII, at most 60 characters.
        met: Whether a person that `find` returned has been there; None where it returns only such people.
        buttons: Whether the client has buttons: choices are offered, a picked move and a resignation confirmed.
        square_keys: Whether the client shows a whole small board as keys, to pick a move on.
        admin: Whether the person is known to be an admin of the place; else `asked_admin` asks the platform.
        public: Whether all at the place see the answer: in its language and colours.
        picks_in_public: Whether all at the place see how a move is picked.
        overheard: Whether the others at the place can read what is typed.
        link: Returns the URL of a board message, or None if the visitor cannot follow one.
        bot: Returns which bot a typed name is of; None for a person's.
        writable: Whether the bot may write at the place, as far as the request shows; `threads`: open threads there.
        plain: Whether a line without a slash may be a command, as in a room with a keyboard.
        accepted: Is called when the request is accepted, before a search or a film that takes a while.
        progress: Shows how far a request is that takes a while; a later message takes the place of an earlier one, and the answer
            that of all. None where there is no place for that.
        selected: The people selected with a press, as names for `find` and `bot`.
        message: The pressed message as couriers name it, where all at the place see it.
        own_message: Whether the pressed message is the visitor's alone, among those of all.
        pressed: What the pressed message says, where the platform repeats it.
        keys: A name of the message whose key was pressed, where its keys stay for several presses.
        present: The others at the place, where they are known, few, and can be chosen by a button.
        called: What the platform calls the visitor at all places, where `player` has a name of this place alone.
        page: Returns the URL that opens the board page inside the platform, by the match and its spectators' key with a hyphen
            between; None where it does not open there.
        home: Returns another person's conversation with the bot; set where the visitor is alone with the bot.
        place_name: What people call the place, clean; None where the visitor is alone with the bot, or the request does not tell.
        member_since: Since when the person is a member of the server that the place is in, if the request tells.
        find_place: Returns another place and its name by a word that names it, `<#123>` or `#chess`, if it stands in the same
            server, and the visitor and the bot may write there; set where places can be named.
    """

    player: Player
    place: Address
    find: Callable[[str], Player | None]
    locale: str | None = None
    request: str | None = None
    met: Callable[[Account], bool] | None = None
    buttons: bool = False
    square_keys: bool = False
    admin: bool = False
    replied: Player | None = None
    public: bool = False
    picks_in_public: bool = False
    overheard: bool = False
    link: Callable[[Address, BoardMessage], str | None] | None = None
    home: Callable[[Account], Awaitable[Address | None]] | None = None
    bot: Callable[[str], NamedBot | None] | None = None
    accepted: Callable[[], None] = lambda: None
    progress: Callable[[Message], Awaitable[None]] | None = None
    created: datetime | None = None
    plain: bool = False
    writable: bool = True
    threads: bool = True
    unmet: Callable[[str], Player | None] | None = None
    alias: Account | None = None
    server_locale: str | None = None
    around: Address | None = None
    retried: bool = False
    asked_admin: Callable[[], Awaitable[bool]] | None = None
    selected: tuple[str, ...] = ()
    message: str | None = None
    called: str | None = None
    own_message: bool = False
    pressed: str = ""
    keys: str | None = None
    present: Sequence[Player] = ()
    page: Callable[[str], str] | None = None
    place_name: str | None = None
    member_since: datetime | None = None
    find_place: Callable[[str], Awaitable[tuple[Address, str] | None]] | None = None

    @property
    def account(self) -> Account:
        """The person's account."""
        return self.player.account

    @property
    def chat(self) -> Address:
        """The chat that the place is a part of, or the place itself."""
        return self.around or self.place.chat

    async def is_admin(self) -> bool:
        """Return whether the person is an admin of the place."""
        return self.admin or (self.asked_admin is not None and await self.asked_admin())

    def invite(self, name: str) -> Player | None:
        """Return the player for whom a chair is kept by a typed name; None if there is none."""
        found = self.find(name.removeprefix("@"))
        return found if found or self.unmet is None else self.unmet(name)

    @property
    def alone(self) -> bool:
        """Whether the visitor is alone with the bot, so that others do not see what is shown there."""
        return self.home is not None
