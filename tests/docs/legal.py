"""`docs/privacy.*.md` and `docs/terms.*.md`, from the texts that the bot shows. `python -m tests.docs.legal` writes them anew."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

from bot.chat.i18n import LANGUAGES
from bot.chat.i18n import words as words_for
from bot.chat.i18n.catalogue import NAMES, ROOT
from bot.chat.presenting.cards import LEGAL, Operator


def pages() -> Iterator[tuple[Path, str]]:
    """Yield each page, and what it has to say."""
    for name, write in LEGAL.items():
        for language in LANGUAGES:
            text = write(words_for(language), Operator())
            others = (f"[{NAMES[each]}]({name}.{each}.md)" for each in LANGUAGES if each != language)
            parts = [f"# {text.title}", " · ".join(others), *map(_marked, text.paragraphs)]
            yield ROOT / "docs" / f"{name}.{language}.md", "\n\n".join(parts) + "\n"


def _marked(paragraph: str) -> str:
    """Return a paragraph in lines, with its commands as code."""
    told = re.sub(r"(?<![\w/])/[a-z]+(?: (?:export|profile:off))?", r"`\g<0>`", paragraph)
    return textwrap.fill(told, 120, break_long_words=False, break_on_hyphens=False)


if __name__ == "__main__":
    for path, text in pages():
        path.write_text(text, "utf-8")
