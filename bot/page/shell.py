"""The HTML of the page: what it loads, and for spectators without scripts the board as a picture and in words.

`host.js` comes first, before the style, for which scripts wait: it asks for the match while the rest is loaded.
"""

from __future__ import annotations

from html import escape
from typing import Final

from aiohttp import web

from bot.i18n import Words
from bot.page.files import static_files

FIRST: Final = "host.js"
"""The script that is loaded first, and needs no other."""

HEAD: Final = """<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1,viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
"""
"""What every page begins with; a language and a title are filled in."""

_PAGE: Final = (
    HEAD
    + """<script type="module" async fetchpriority="high" src="/s/{hash}/{first}"></script>
{meta}<link rel="stylesheet" href="/s/{hash}/page.css">
<script type="module" src="/s/{hash}/page.js"></script>
{preloads}</head>
<body>
<main id="page" data-expired="{expired}"><h1>{title}</h1>{body}<noscript><p>{scripts}</p></noscript></main>
</body>
</html>
"""
)


def shell(words: Words, title: str = "Klop", body: str = "", meta: str = "") -> str:
    """Return the page with a title; `body` and `meta` are HTML."""
    folder, found = static_files()
    preloads = "".join(
        f'<link rel="modulepreload" href="/s/{folder}/{name}">\n'
        for name in found
        if name.endswith(".js") and name not in (FIRST, "page.js")
    )
    return _PAGE.format(
        language=words.language,
        title=escape(title),
        hash=folder,
        first=FIRST,
        preloads=preloads,
        meta=meta,
        body=body,
        expired=escape(words("bot.page.expired")),
        scripts=escape(words("bot.page.scripts")),
    )


def readable(picture: str, alt: str, said: str) -> str:
    """Return a board that can be read without scripts."""
    image = f'<img src="{escape(picture)}" alt="{escape(alt)}" width="640">'
    return f"<p>{escape(said)}</p><noscript>{image}</noscript>"


def preview(picture: str, title: str, said: str) -> str:
    """Return what shows the board where the address is passed on (Open Graph)."""
    properties = {"og:title": title, "og:description": said, "og:image": picture, "og:type": "website"}
    return "".join(
        f'<meta property="{name}" content="{escape(value)}">\n' for name, value in properties.items()
    )


def spoken(request: web.Request) -> str | None:
    """Return the language that a browser asks for first."""
    return request.headers.get("Accept-Language", "").split(",")[0].split(";")[0].strip()[:20] or None
