"""What leads to the board page: notes that its process and the platforms read."""

from __future__ import annotations

import hmac
import json
import secrets
from base64 import urlsafe_b64encode
from datetime import timedelta
from typing import Final

from play.match import Match
from play.people import Account, Player
from play.ports import NoteStore, SettingsStore

LINK_KEPT: Final = timedelta(minutes=10)  # how long a link can be opened
_LAUNCH_KEPT: Final = timedelta(minutes=1)  # how long it is noted for which match an Activity was opened

_TOKEN: Final = 16  # bytes
_SECRET: Final = "page:key"  # noqa: S105 - the name of a note


async def page_secret(notes: NoteStore) -> bytes:
    """Return the key with which sessions and spectators' links are signed; it is made when it is first needed."""
    await notes.write_once(_SECRET, secrets.token_hex(32))
    (key,) = await notes.read(_SECRET)
    if key is None:  # it has lapsed in between
        return await page_secret(notes)
    await notes.write(_SECRET, key)  # kept for another year
    return bytes.fromhex(key)


def watch_key(secret: bytes, code: str) -> str:
    """Return the key with which anyone may watch a match: 128 bits."""
    signed = hmac.digest(secret, b"watch:" + code.encode(), "sha256")
    return urlsafe_b64encode(signed[:16]).rstrip(b"=").decode()


def to_watch(secret: bytes, code: str) -> str:
    """Return what a link inside a platform carries: a match, and its spectators' key."""
    return f"{code}-{watch_key(secret, code)}"


def watch_address(url: str, key: str, code: str) -> str:
    """Return the address at which anyone may watch a match, by its spectators' key; passed on, it shows its board."""
    return f"{url.rstrip('/')}/m/{code}?k={key}"


async def shown_on_page(settings: SettingsStore, match: Match) -> bool:
    """Return whether a match may be seen on the page: the place where it was made and its chat decide, wherever else it is shown."""
    places = {place for made in match.addresses[:1] for place in (made, made.chat)}
    return all(chosen.page for chosen in await settings.get_many(*places))


async def make_link(notes: NoteStore, url: str, player: Player, code: str, locale: str) -> str:
    """Return the address that opens the page for a person; it can be opened once, and not after `LINK_KEPT`."""
    token = secrets.token_urlsafe(_TOKEN)
    held = json.dumps([player.account.platform, player.account.uid, player.name, code, locale])
    await notes.write(f"page:link:{token}", held, keep=LINK_KEPT)
    return f"{url.rstrip('/')}/{f'm/{code}' if code else ''}#link={token}"


async def take_link(notes: NoteStore, token: str) -> str | None:
    """Return what is stored of a link, and delete it; None: it is used or lapsed."""
    return await notes.take(f"page:link:{token}") if len(token) <= 2 * _TOKEN and token.isascii() else None


async def launched(notes: NoteStore, account: Account, code: str) -> None:
    """Remember that an Activity is opened for a match: what opens it does not carry that."""
    await notes.write(f"page:launch:{account}", code, keep=_LAUNCH_KEPT)


async def launched_for(notes: NoteStore, account: Account) -> str:
    """Return the match for which a person had an Activity opened just now; empty if there is none."""
    return await notes.take(f"page:launch:{account}") or ""
