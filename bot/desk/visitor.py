"""The person who asks, and from where."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from play.people import Account, Address, Player
from storage.outgoing import BoardMessage


@dataclass(frozen=True, slots=True)
class Visitor:
    """A person at a place, as the platform sees them.

    Attributes:
        player: The person.
        place: Where they speak.
        locale: The language of their client, as the platform spells it.
        request: What the platform calls this request, where it may deliver it again; ASCII, at most 60 characters.
        find: Returns the person of a typed name, or None.
        met: Whether a person that `find` returned has been there; None where it returns only such people.
        confirms: Whether a move that is picked, and giving up, are shown first and done at a second press.
        dialogues: Whether a command that lacks something is answered with what to choose from, to be pressed.
        admin: Whether they run the place.
        replied: To whom they replied when they said this.
        aloud: Whether the answer is shown to everybody: in the language and the colours of the place.
        link: The URL of the board of a match at a place, from what is remembered of it there; None where it has none
            that the visitor can follow.
        overheard: Whether the others at the place can read what they type.
        home: The conversation of another person with the bot; set where the visitor is alone with the bot, so that
            others do not see what is shown there.
    """

    player: Player
    place: Address
    find: Callable[[str], Player | None]
    locale: str | None = None
    request: str | None = None
    met: Callable[[Account], bool] | None = None
    confirms: bool = False
    dialogues: bool = False
    admin: bool = False
    replied: Player | None = None
    aloud: bool = False
    overheard: bool = False
    link: Callable[[Address, BoardMessage], str | None] | None = None
    home: Callable[[Account], Awaitable[Address | None]] | None = None

    @property
    def account(self) -> Account:
        """The person's account."""
        return self.player.account
