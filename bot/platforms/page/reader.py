"""Who reads a page, and which match they may see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from bot.chat.i18n import Words, words_of
from bot.chat.page_links import shown_on_page
from bot.chat.services import settings_of
from bot.chat.view import theme_of
from bot.platforms.page import wire
from bot.platforms.page.sessions import NotASession, Session, Sessions
from bot.platforms.platform import PlatformServices
from play.errors import NoSuchMatch
from play.match import Match
from play.people import Account, Address
from render.picture import Theme

_WORDS: Final = (
    "answers", "back", "play", "flip", "help", "log", "now", "earlier", "later", "typed", "send", "reconnecting", "watching",
    "board", "picked", "choice", "moves", "share", "copied", "games", "close", "nothing", "expired",
    "missing", "keys", "keys-off", "keys-on", "moving", "off", "what-if", "note", "noted",
)  # fmt: skip
"""The words of the client, by the ends of their keys."""

COMMANDS: Final = {"/puzzle": "puzzle", "/daily": "daily"}
"""Commands that the list of matches offers, and the ends of their words."""

KEYS: Final = {"bot.page.{}": ((*_WORDS, *COMMANDS.values()),)}
"""The keys that the page puts together, by their template: the members of each hole."""

THEMES: Final = {theme.value: theme for theme in Theme}  # the colours of boards, by what a page calls them


@dataclass(frozen=True, slots=True)
class PageServices:
    """What all pages share."""

    services: PlatformServices
    sessions: Sessions
    url: str  # where the page is, without a slash at the end
    room: Address | None = None  # the local room; None where there is none


class Denied(Exception):
    """A page that may not see what it asks for; the reason is a word for the client (`wire.PageFrame.over`)."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Who reads a page."""

    session: Session | None  # who they are; None for a spectator
    who: tuple[Account, ...]  # their accounts: the one of the session, and the first of those that are linked
    words: Words
    theme: Theme

    def plays(self, match: Match) -> bool:
        """Whether they sit in a match."""
        return not set(match.people()).isdisjoint(self.who)

    @property
    def hello(self) -> wire.PageHello:
        """What a page is greeted with."""
        told = {end: self.words(f"bot.page.{end}") for end in _WORDS}
        told["download"] = self.words("bot.page.download", name="{name}")  # the client puts it in
        name = self.session.player.name if self.session else ""
        return wire.PageHello(name, told, self.words.language, bool(self.session))


async def identified(shared: PageServices, asked: wire.PageConnect) -> Reader:
    """Return who reads, by the first frame of their page; raises `Denied`."""
    services, sessions = shared.services, shared.sessions
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
    words = words_of(mine, session.locale if session else None, asked.locale, services.language)
    wanted = THEMES.get(asked.theme, Theme.LIGHT)
    theme = theme_of(mine) if mine and mine.theme else wanted
    return Reader(session, who, words, theme)


async def admitted(shared: PageServices, reader: Reader, asked: wire.PageConnect) -> Match:
    """Return the match that a page shows, if its reader may see it; raises `Denied`."""
    try:
        match = await shared.services.table.get(asked.code)
    except NoSuchMatch:
        raise Denied("match") from None
    known = asked.key and shared.sessions.may_watch(asked.code, asked.key)
    begun = reader.session is not None and reader.session.code == asked.code
    if not (known or begun or reader.plays(match)):
        raise Denied("match")
    if not await shown_on_page(shared.services.store.settings, match):
        raise Denied("off" if reader.plays(match) else "match")
    return match
