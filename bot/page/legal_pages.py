"""The page's `/privacy` and `/terms`: what the operator tells everyone, for any browser, without scripts."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from html import escape
from typing import Final

from aiohttp import web

from bot.i18n import LANGUAGES, pick
from bot.i18n import words as words_for
from bot.i18n.languages import NAMES
from bot.page.files import static_files
from bot.page.shell import HEAD, spoken
from bot.presenter.legal import LEGAL, LegalText, Operator

KEPT: Final = 3600  # seconds for which a browser keeps a text

_MAIL: Final = re.compile(r"[^@\s]+@[^@\s]+")

_PAGE: Final = (
    HEAD
    + """<link rel="stylesheet" href="/s/{hash}/page.css">
</head>
<body>
<main class="home"><h1>{title}</h1>
{paragraphs}
<p>{others}</p></main>
</body>
</html>
"""
)


def legal_routes(operator: Operator, language: str) -> list[web.RouteDef]:
    """Return the routes; `language` is the bot's, for browsers that want another one than there is."""
    return [web.get(f"/{name}", _handler(name, operator, language)) for name in LEGAL]


def _handler(
    name: str, operator: Operator, language: str
) -> Callable[[web.Request], Awaitable[web.Response]]:
    async def answer(request: web.Request) -> web.Response:
        words = words_for(pick(request.query.get("lang"), spoken(request), language))
        html = _html(LEGAL[name](words, operator), words.language, operator)
        headers = {"Cache-Control": f"private, max-age={KEPT}", "Vary": "Accept-Language"}
        return web.Response(text=html, content_type="text/html", headers=headers)

    return answer


def _html(text: LegalText, language: str, operator: Operator) -> str:
    return _PAGE.format(
        language=language,
        title=escape(text.title),
        hash=static_files()[0],
        paragraphs="\n".join(f"<p>{_linked(part, operator.contact)}</p>" for part in text.paragraphs),
        others=" · ".join(
            f'<a href="?lang={other}" lang="{other}">{escape(NAMES[other])}</a>'
            for other in LANGUAGES
            if other != language
        ),
    )


def _linked(text: str, contact: str | None) -> str:
    """Return a paragraph in which the contact can be followed, if it is an address."""
    if not contact:
        return escape(text)
    mail, web_page = _MAIL.fullmatch(contact), contact.startswith(("https://", "http://"))
    if not mail and not web_page:
        return escape(text)
    address = f"mailto:{contact}" if mail else contact
    return escape(text).replace(escape(contact), f'<a href="{escape(address)}">{escape(contact)}</a>')
