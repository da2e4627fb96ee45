"""Who reads a page, and what they may see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from bot.desk.context import settings_of
from bot.i18n import Words, pick
from bot.i18n import words as words_for
from bot.page import wire
from bot.page.sessions import NotASession, Session, Sessions
from bot.pictures import theme_of
from bot.platform import Services
from play.people import Account, Address, private_place
from render.picture import Theme

_WORDS: Final = (
    "answers", "back", "play", "flip", "help", "log", "now", "earlier", "later", "typed", "send", "reconnecting", "watching",
    "board", "picked", "choice", "moves", "share", "copied", "games", "close", "nothing", "expired",
    "missing", "keys", "keys-off", "keys-on", "moving", "off", "what-if", "note", "noted",
)  # fmt: skip
"""The words of the client, by the ends of their keys."""

KEYS: Final = {"bot.page.{}": (_WORDS,)}
"""The keys that this module puts together, by their template: the members of each hole."""

THEMES: Final = {theme.value: theme for theme in Theme}
"""The colours of boards, by what a page calls them."""


@dataclass(frozen=True, slots=True)
class House:
    """What all pages share.

    Attributes:
        services: Those of a platform.
        sessions: Checks who reads.
        url: Where the page is, without a slash at the end.
        room: The local room; None where there is none.
    """

    services: Services
    sessions: Sessions
    url: str
    room: Address | None = None

    def home(self, account: Account) -> Address:
        """Return where a person acts who is in no match: the local room, or their own chat with the bot."""
        at_room = self.room is not None and account.platform == self.room.platform
        return self.room if at_room and self.room else private_place(account)


class Denied(Exception):
    """A page that may not see what it asks for; the reason is a word for the client (`wire.Frame.over`)."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Who reads a page.

    Attributes:
        session: Who they are; None for a spectator.
        who: Their accounts: the one of the session, and the first of those that are linked.
        words: In their language.
        theme: The colours of boards.
    """

    session: Session | None
    who: tuple[Account, ...]
    words: Words
    theme: Theme

    @property
    def hello(self) -> wire.Hello:
        """What a page is greeted with."""
        told = {end: self.words(f"bot.page.{end}") for end in _WORDS}
        told["download"] = self.words("bot.page.download", name="{name}")  # the client puts it in
        name = self.session.player.name if self.session else ""
        return wire.Hello(name, told, self.words.language, bool(self.session))


async def identified(house: House, asked: wire.Connect) -> Reader:
    """Return who reads, by the first frame of their page.

    Raises:
        Denied: the session is over, or there is none and no key of a spectator.
        Unavailable: the store does not answer.
    """
    services, sessions = house.services, house.sessions
    session = None
    if asked.bearer:
        try:
            session = sessions.read(asked.bearer, services.now())
        except NotASession:
            raise Denied("session") from None
    who: tuple[Account, ...] = ()
    mine = None
    if session is not None:
        account = session.player.account
        (mine,) = await settings_of(services.store, account)
        who = (account,)
        if mine and mine.person:
            who = (mine.person, account)
            (mine,) = await settings_of(services.store, mine.person)
    elif not asked.code or not sessions.may_watch(asked.code, asked.key):
        raise Denied("session")
    wishes = (mine.language if mine else None, session.locale if session else None, asked.locale)
    words = words_for(pick(*wishes, services.language))
    wanted = THEMES.get(asked.theme, Theme.LIGHT)
    theme = theme_of(mine) if mine and mine.theme else wanted
    return Reader(session, who, words, theme)
