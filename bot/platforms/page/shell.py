"""The page's HTML, its script and its style, whose addresses change with their contents, and its `/privacy` and `/terms`.

The script comes first, before the style, for which scripts wait: it asks for the match while the rest is loaded.
"""

from __future__ import annotations

import re
from functools import cache
from hashlib import blake2b
from html import escape
from http import HTTPStatus
from importlib.resources import files
from typing import Final

from aiohttp import web

from bot.chat.i18n import LANGUAGES, Words
from bot.chat.i18n.catalogue import NAMES
from bot.chat.presenting.cards import LEGAL, Operator

SCRIPTS: Final = ("page.js", "panels.js")
"""What the first board needs, and the rest, which is loaded after it: the modules that each script begins with.

`page.js` alone does anything by itself. The style of a module, if it has one, is beside it and comes with it.
"""

_STATIC: Final = files("bot.platforms.page").joinpath("static")

_IMPORT: Final = re.compile(r'^import [^;]*? from "\./([a-z]+\.js)";\n', re.MULTILINE)
_NAMES: Final = re.compile(r'^import \{ ([^}]*) \} from "\./([a-z]+\.js)";$', re.MULTILINE)
_EXPORT: Final = re.compile(r"^export ", re.MULTILINE)
_COMMENT: Final = re.compile(r"^\s*(?:/\*(?:(?!\*/).)*\*/|//[^\n]*)\n", re.MULTILINE | re.DOTALL)
"""Comments that have their lines for themselves."""

_ASIDE: Final = re.compile(r"/\*\*[^\n]*?\*/ ?|(?<=[;,{}()\]]) // [^\n]*$", re.MULTILINE)
"""Types within a line, and comments at its end; no string has either."""

_INDENTATION: Final = re.compile(r"^\s+", re.MULTILINE)


@cache
def static_files() -> tuple[str, dict[str, tuple[str, bytes]]]:
    """Return the hash of the files, which is part of their address, and by name each file's type and contents."""
    found: dict[str, tuple[str, bytes]] = {}
    for script, held in modules().items():
        found[script] = "text/javascript", _joined(held).encode()
        found[script.replace(".js", ".css")] = "text/css", "".join(map(_style, [script, *held[:-1]])).encode()
    whole = blake2b(digest_size=8)
    for name, (_, contents) in found.items():
        whole.update(name.encode() + b"\0" + contents + b"\0")
    return whole.hexdigest(), found


def modules() -> dict[str, list[str]]:
    """Return of each script its modules, each after those that it imports."""
    held: dict[str, list[str]] = {}

    def take(name: str, script: str) -> None:
        for imported in _IMPORT.findall(_source(name)):
            if not any(imported in known for known in held.values()):
                take(imported, script)
        held[script].append(name)

    for script in SCRIPTS:
        held[script] = []
        take(script, script)
    return held


def _joined(held: list[str]) -> str:
    """Return the modules of a script as one: they share one scope, and what the second script imports of the first is passed on."""
    parts = [_IMPORT.sub("", _stripped(_source(name))) for name in held]
    entry = parts.pop()
    text = _EXPORT.sub("", "".join(parts)) + entry
    first, second = modules().values()
    names = {
        name
        for module in second
        for listed, imported in _NAMES.findall(_source(module))
        if imported in first
        for name in listed.split(", ")
    }
    passed = "{" + ",".join(sorted(names)) + "}"
    return f"{text}export{passed};\n" if held == first else f'import{passed}from"./{SCRIPTS[0]}";\n{text}'


def _style(module: str) -> str:
    style = module.replace(".js", ".css")
    return _stripped(_source(style)) if _STATIC.joinpath(style).is_file() else ""


def _source(name: str) -> str:
    return _STATIC.joinpath(name).read_text("utf-8")


def _stripped(source: str) -> str:
    """Return a text without comments and indentation; no module has a string of several lines."""
    return _INDENTATION.sub("", _ASIDE.sub("", _COMMENT.sub("", source)))


HEAD: Final = """<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1,viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
"""
"""What every page begins with; a language and a title are filled in."""

TROUBLES: Final = ("wait", "offline", "crowd", "down", "unproven")
"""Why there may be nothing to show, as host.js finds it out: the ends of their words."""

KEYS: Final = {"bot.page.{}": (TROUBLES,)}
"""As in `sessions`."""

_PAGE: Final = (
    HEAD
    + """<script type="module" async fetchpriority="high" src="/s/{hash}/page.js"></script>
{meta}<link rel="stylesheet" href="/s/{hash}/page.css">
</head>
<body>
<main id="page" data-expired="{expired}"><h1>{title}</h1>{trouble}{body}<noscript><p>{scripts}</p></noscript></main>
</body>
</html>
"""
)


def shell(words: Words, title: str = "Klop", body: str = "", meta: str = "") -> str:
    """Return the page with a title; `body` and `meta` are HTML."""
    return _PAGE.format(
        language=words.language,
        title=escape(title),
        hash=static_files()[0],
        meta=meta,
        body=body,
        expired=escape(words("bot.page.expired")),
        scripts=escape(words("bot.page.scripts")),
        trouble=_trouble(words),
    )


def preloads() -> str:
    """Return what has the second script and its style loaded at once: for the list of matches, which is drawn by them."""
    folder = f"/s/{static_files()[0]}"
    style = f'<link rel="stylesheet" href="{folder}/panels.css">'
    return f'<link rel="modulepreload" href="{folder}/panels.js">\n{style}\n'


def _trouble(words: Words) -> str:
    """Return where the client says why nothing is shown yet: in words that are there before the server's first answer."""
    told = " ".join(f'data-{why}="{escape(words(f"bot.page.{why}"))}"' for why in TROUBLES)
    return f'<p id="trouble" role="status" {told}></p>'


_TEXTS: Final = (
    HEAD
    + """<link rel="stylesheet" href="/s/{hash}/page.css">
</head>
<body>
<main class="home"><h1>{title}</h1>
{paragraphs}</main>
</body>
</html>
"""
)


def _text_page(words: Words, title: str, *paragraphs: str) -> str:
    """Return a page to read; its paragraphs are HTML."""
    return _TEXTS.format(
        language=words.language,
        title=escape(title),
        hash=static_files()[0],
        paragraphs="\n".join(f"<p>{each}</p>" for each in paragraphs),
    )


def problem_page(status: int, words: Words) -> str:
    """Return what people read in place of a page: that there is none, or that it cannot be had yet."""
    if status == HTTPStatus.NOT_FOUND:
        title, said = words("bot.page.gone"), words("bot.page.gone-why")
        to, link = "/", words("bot.page.to-games")
    else:
        crowd = status == HTTPStatus.TOO_MANY_REQUESTS
        said = words("bot.page.crowd") if crowd else words("bot.page.down")
        title, to, link = "Klop", "", words("bot.page.again")
    return _text_page(words, title, escape(said), f'<a href="{to}">{escape(link)}</a>')


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


_MAIL: Final = re.compile(r"[^@\s]+@[^@\s]+")


def legal_page(name: str, words: Words, operator: Operator) -> str:
    """Return one of the texts of `LEGAL`, with links to its other languages."""
    text = LEGAL[name](words, operator)
    others = " · ".join(
        f'<a href="?lang={other}" lang="{other}">{escape(NAMES[other])}</a>'
        for other in LANGUAGES
        if other != words.language
    )
    return _text_page(
        words, text.title, *(_linked(part, operator.contact) for part in text.paragraphs), others
    )


def _linked(text: str, contact: str | None) -> str:
    if not contact:
        return escape(text)
    mail, web_page = _MAIL.fullmatch(contact), contact.startswith(("https://", "http://"))
    if not mail and not web_page:
        return escape(text)
    address = f"mailto:{contact}" if mail else contact
    return escape(text).replace(escape(contact), f'<a href="{escape(address)}">{escape(contact)}</a>')
