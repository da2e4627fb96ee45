"""What every message keeps to: one way of writing things, and one term for one thing."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from bot.chat.i18n import LANGUAGES
from bot.chat.i18n.catalogue import files, folders
from bot.chat.i18n.check.texts import read

EVERYWHERE = {
    r"[\d}] %": "50%, without a blank",
    r"(?<![:\w-])\d+ ?[xх] ?\d+|\d × \d|\} × \{": "8×8, unless it is to be typed",
    r"`": "no backticks: not every platform knows them",
    r"(?<!\\)\.\.\.": "…",
}
OF_A_LANGUAGE = {
    "en": {
        r'"|[«»„]|(?<=\w)\'(?=\w)': "“ ” and ’",
        r"\bsquares\b|\b(?:an?|the|one|each|empty|another) square\b": "cell",
        r"\b[Cc]olours of\b": "board theme",
        r"\b[Hh]eads-up\b": "tell me when I’m next",
        r"\blook on\b": "watch",
        r"” (?:is|are) no\b": "isn’t a",
    },
    "uk": {
        r"[“”„]|\"": "« »",
        r"клітинк|клітинок|клітинц": "клітина",
        r"шашк|шашок|шашц": "фігура",
        r"навскіс|навскос": "по діагоналі",
        r"[Вв]ибер(?:іть|и)\b|[Вв]ибра(?:ти|но)": "обрати",
        r"(?:кида\w+|киньте) .*виклик": "викликати",
        r"приватн\w+ чат|особист\w+ повідомлен": "особистий чат",
        r"[Кк]аталог": "тека",
        r"стінк": "стіна",
    },
    "ru": {
        r"[“”„]|\"": "« »",
        r"шаш(?:к|ек)": "фигура",
        r"наискос": "по диагонали",
        r"брос\w+ .*вызов": "вызвать",
        r"личны\w+ сообщен|приватн\w+ чат": "личный чат",
        r"[Кк]аталог": "папка",
        r"стенк": "стена",
    },
}


def messages(language: str) -> Iterator[tuple[str, str]]:
    for path in files(language, folders()):
        for entry in read(path, language):
            if not entry.key.endswith(".aliases"):
                yield from ((entry.key, re.sub(r"\{\w+\}", "{}", form)) for form in entry.forms)


@pytest.mark.parametrize("language", LANGUAGES)
def test_messages_keep_to_the_house_style(language: str) -> None:
    rules = {
        re.compile(pattern): better for pattern, better in (EVERYWHERE | OF_A_LANGUAGE[language]).items()
    }
    found = [
        f"{key}: “{odd[0]}”, better: {better}"
        for key, text in messages(language)
        for pattern, better in rules.items()
        if (odd := pattern.search(text))
    ]
    assert not found, "\n".join(found)
