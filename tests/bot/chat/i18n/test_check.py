"""The check of the catalogues finds every kind of fault, and what every message keeps to."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from bot.chat.i18n import LANGUAGES
from bot.chat.i18n.catalogue import files, folders
from scripts.catalogue_texts import read
from scripts.catalogues import Needs, declared, needs, problems

# Small catalogues, for tests to plant faults in.


SLAVIC = (
    "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<12 || n%100>14) ? 1 : 2);"
)
FORMULA = {"en": "nplurals=2; plural=(n != 1);", "uk": SLAVIC, "ru": SLAVIC}


def po(language: str, *entries: str) -> str:
    """A whole file."""
    header = (
        'msgid ""\nmsgstr ""\n"Project-Id-Version: klop\\n"\n'
        f'"Language: {language}\\n"\n"MIME-Version: 1.0\\n"\n"Content-Type: text/plain; charset=UTF-8\\n"\n'
        f'"Content-Transfer-Encoding: 8bit\\n"\n"Plural-Forms: {FORMULA[language]}\\n"\n'
    )
    return "\n".join([header, *(f"{entry}\n" for entry in entries)])


def singular(key: str, text: str) -> str:
    """An entry that counts nothing."""
    return f'msgid "{key}"\nmsgstr "{text}"'


def plural(key: str, *forms: str) -> str:
    """An entry with a text for each plural form."""
    said = "\n".join(f'msgstr[{i}] "{form}"' for i, form in enumerate(forms))
    return f'msgid "{key}"\nmsgid_plural "{key}"\n{said}'


# The check finds every kind of fault, planted one at a time in catalogues that are right.


HELLO = {"en": "Hello, {name}. /help", "uk": "Привіт, {name}. /help", "ru": "Привет, {name}. /help"}
MOVES = {
    "en": ("one move", "{count} moves"),
    "uk": ("{count} хід", "{count} ходи", "{count} ходів"),
    "ru": ("{count} ход", "{count} хода", "{count} ходов"),
}
NEEDS = Needs(
    required={"bot.hello": "bot/here.py"},
    families={re.compile(r"bot[.]moves[.][a-z]+\Z"): "bot/there.py"},
    optional=frozenset({"bot.extra"}),
    fields={"bot.hello": frozenset({"name"})},
)


def right(language: str) -> str:
    return po(language, singular("bot.hello", HELLO[language]), plural("bot.moves.made", *MOVES[language]))


def found(folder: Path, texts: Mapping[str, str], needs: Needs = NEEDS) -> list[str]:
    for language in LANGUAGES:
        (folder / f"{language}.po").write_text(texts.get(language, right(language)), "utf-8")
    return [str(problem).replace(f"{folder}/", "") for problem in problems([folder], needs)]


def edited(language: str, old: str, new: str) -> dict[str, str]:
    text = right(language)
    assert text.count(old) == 1, old
    return {language: text.replace(old, new)}


@pytest.mark.parametrize(
    ("language", "old", "new", "says"),
    [
        # The file.
        ("uk", 'msgstr "Привіт', 'msgstrr "Привіт', "uk.po: cannot be read"),
        ("uk", 'msgstr[2] "', 'msgstr[3] "', "uk.po: cannot be read"),
        ("uk", "Language: uk", "Language: ru", "uk.po: the header says Language: ru"),
        ("uk", "charset=UTF-8", "charset=KOI8-U", "uk.po: "),
        ("uk", "charset=UTF-8", "charset=latin1", "uk.po: the header does not say Content-Type"),
        ("uk", '"Plural-Forms: ' + FORMULA["uk"] + '\\n"\n', "", "uk.po: the header has no Plural-Forms"),
        ("uk", "n%100!=11 ? 0", "n%100!=12 ? 0", "uk.po: the header's Plural-Forms are not those"),
        ("en", "(n != 1)", "(n >", "en.po: "),
        ("ru", 'msgid "bot.hello"', '#, fuzzy\nmsgid "bot.hello"', "ru.po: bot.hello: fuzzy"),
        ("ru", 'msgid "bot.hello"', 'msgctxt "x"\nmsgid "bot.hello"', "ru.po: bot.hello: has a context"),
        ("ru", 'msgid "bot.hello"', '#~ msgid "bot.old"\n#~ msgstr "x"\n\nmsgid "bot.hello"', "ru.po: bot.old: obsolete"),
        ("ru", "Привет, {name}. /help", "", "ru.po: bot.hello: no words"),
        ("ru", "{count} хода", " ", "ru.po: bot.moves.made: no words in plural form 1"),
        ("ru", 'msgstr[2] "{count} ходов"', "", "ru.po: bot.moves.made: no words in plural form 2"),
        ("en", 'msgid_plural "bot.moves.made"', 'msgid_plural "bot.moves"', "en.po: bot.moves.made: its msgid_plural"),
        ("en", 'msgid "bot.hello"', 'msgid "Bot hello"', "en.po: Bot hello: not spelled as a key"),
        # The words.
        ("uk", "Привіт", "Пpивіт", "uk.po: bot.hello: Latin and Cyrillic letters in one word: Пpивіт"),
        ("en", "Hello", "Hеllo", "en.po: bot.hello: Latin and Cyrillic letters in one word: Hеllo"),
        ("ru", "Привет", "На с3", "ru.po: bot.hello: a square with a Cyrillic letter: с3"),
        ("uk", "Привіт", "тут i там", "uk.po: bot.hello: a Latin i in place of a word"),
        ("ru", "Привет", "тут c нами", "ru.po: bot.hello: a Latin c in place of a word"),
        ("uk", "Привіт", "Прывіт", "uk.po: bot.hello: a letter of another language: ы"),
        ("ru", "Привет", "Привіт", "ru.po: bot.hello: a letter of another language: і"),
        ("en", "Hello", "Привет", "en.po: bot.hello: a letter of another language: П"),
        ("uk", "Привіт", '\\"Привіт\\"', "uk.po: bot.hello: a straight quote where"),
        ("ru", "Привет", "'Привет'", "ru.po: bot.hello: a straight quote where"),
        ("ru", "/help", "/help ", "ru.po: bot.hello: blanks at an end"),
        ("ru", "Привет, ", "Привет,  ", "ru.po: bot.hello: two blanks in a row"),
        ("ru", "Привет", "При\u200bвет", "ru.po: bot.hello: an invisible character, U+200B"),
        ("ru", "{name}", "{name", "ru.po: bot.hello: "),
        ("ru", "{name}", "{name!r}", "ru.po: bot.hello: a placeholder must be a name alone: {name}"),
        ("ru", "{name}", "{name:>9}", "ru.po: bot.hello: a placeholder must be a name alone: {name}"),
        ("ru", "{name}", "{name.x}", "ru.po: bot.hello: a placeholder must be a name alone: {name.x}"),
        ("ru", "{name}", "{}", "ru.po: bot.hello: a placeholder must be a name alone: {}"),
        # Between the languages.
        ("ru", "{name}", "Аня", "ru.po: bot.hello: placeholders differ: no {name}"),
        ("ru", "{name}", "{name} {other}", "ru.po: bot.hello: placeholders differ: {other} too"),
        ("ru", "{count} хода", "два хода", "ru.po: bot.moves.made: placeholders differ in plural form 1: no {count}"),
        ("uk", "{count} хід", "один хід", "uk.po: bot.moves.made: placeholders differ in plural form 0: no {count}"),
        ("ru", "/help", "/rules", "ru.po: bot.hello: other commands than in en.po: /help, /rules"),
        ("ru", 'msgid "bot.hello"', 'msgid "bot.extra"', "en.po: bot.hello: no words in ru"),
        # Between the code and the words.
        ("en", "{name}", "{nam}", "en.po: bot.hello: names {nam}, which does not come with it"),
    ],
)  # fmt: skip
def test_a_planted_fault_is_found(tmp_path: Path, language: str, old: str, new: str, says: str) -> None:
    faults = found(tmp_path, edited(language, old, new))
    assert any(fault.startswith(says) for fault in faults), faults


def test_another_encoding(tmp_path: Path) -> None:
    assert found(tmp_path, {}) == []
    (tmp_path / "uk.po").write_bytes(right("uk").encode("cp1251"))
    assert "not in UTF-8" in " ".join(map(str, problems([tmp_path], NEEDS)))


def test_a_key_twice_in_a_file(tmp_path: Path) -> None:
    twice = po("en", *[singular("bot.hello", HELLO["en"])] * 2, plural("bot.moves.made", *MOVES["en"]))
    assert "en.po: bot.hello: there are 2 of it" in found(tmp_path, {"en": twice})


def test_a_key_in_two_files(tmp_path: Path) -> None:
    (tmp_path / "more.en.po").write_text(po("en", singular("bot.hello", HELLO["en"])), "utf-8")
    assert found(tmp_path, {}) == ["more.en.po: bot.hello: also in en.po"]


def test_a_sentence_under_two_keys(tmp_path: Path) -> None:
    said = {"en": "It is over.", "uk": "Гру закінчено.", "ru": "Игра окончена."}
    for language in LANGUAGES:
        entries = singular("bot.extra", said[language]), singular("bot.moves.over", said[language])
        (tmp_path / f"more.{language}.po").write_text(po(language, *entries), "utf-8")
    assert found(tmp_path, {}) == ["more.en.po: bot.moves.over: the same sentence as bot.extra"]
    (tmp_path / "more.uk.po").write_text(
        po("uk", singular("bot.extra", "Кінець гри."), singular("bot.moves.over", said["uk"])), "utf-8"
    )
    assert found(tmp_path, {}) == []


def test_a_file_that_no_code_reads(tmp_path: Path) -> None:
    (tmp_path / "match.de.po").write_text(right("en"), "utf-8")
    assert found(tmp_path, {}) == ["match.de.po: no catalogue of a language there is"]


def test_a_number_counts_in_one_language_only(tmp_path: Path) -> None:
    text = po("ru", singular("bot.hello", HELLO["ru"]), singular("bot.moves.made", "{count} хода"))
    assert found(tmp_path, {"ru": text}) == [
        "ru.po: bot.moves.made: depends on a number in one language and not in another"
    ]


def test_words_that_are_asked_for_and_not_there(tmp_path: Path) -> None:
    needs = Needs({"bot.bye": "bot/x.py"}, {re.compile(r"bot[.]no[.].+\Z"): "bot/y.py"})
    faults = found(tmp_path, {}, needs)
    assert "bot/x.py: bot.bye: is asked for, and no catalogue has it" in faults
    assert any(fault.startswith("bot/y.py: ") and "no key" in fault for fault in faults)
    assert "en.po: bot.hello: is not asked for" in faults
    assert "en.po: bot.moves.made: is not asked for" in faults


def test_what_is_no_fault(tmp_path: Path) -> None:
    fine = edited("uk", "Привіт", "п’ять, п'ять, L-гра, n, a1–c3, «Привіт»")
    assert found(tmp_path, fine) == []
    other = {
        language: right(language) + "\n" + singular("game.aliases", "элька, ел, L game")
        for language in LANGUAGES
    }
    assert found(tmp_path, other) == ["en.po: game.aliases: is not asked for"]


def test_every_member_of_a_key_put_together_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A family of which the catalogues have one member lacks the others, and one that is not declared is named."""
    (code := tmp_path / "planted_code").mkdir()
    (texts := tmp_path / "texts").mkdir()
    monkeypatch.setattr("scripts.catalogues.ROOT", tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    keys = 'from typing import Final\nKEYS: Final = {"bot.moves.{}": (("made", "lost"),)}\n'
    asks = 'def said(words, what): return words("bot.hello"), words(f"bot.moves.{what}")\n'
    (code / "declared.py").write_text(keys + asks, "utf-8")
    (code / "undeclared.py").write_text('def said(words, what): return words(f"bot.other.{what}")\n', "utf-8")
    faults = [fault for fault in found(texts, {}, needs({}, [code])) if "planted_code" in fault]
    lacks = "planted_code/declared.py: bot.moves.lost: is asked for, and no catalogue has it"
    unknown = "planted_code/undeclared.py: bot.other.{}: is put together, and no KEYS declares its members"
    assert [fault.removeprefix(f"{tmp_path}/") for fault in faults] == [lacks, unknown]


def test_fields_are_read_from_the_comments_of_reasons() -> None:
    text = '''
class Why(Reason):
    """Reasons."""

    PLAIN = "bot.why.plain"
    TWO = "bot.why.two"  # square, count
    SAID = "bot.why.said"  # seat: whose turn it is
    PROSE = "bot.why.prose"  # everybody left
'''
    assert dict(declared(text, ast.parse(text))) == {
        "bot.why.plain": frozenset(),
        "bot.why.two": {"square", "count"},
        "bot.why.said": {"seat"},
    }


def test_of_a_known_set_of_keys_none_is_missing_or_superfluous(tmp_path: Path) -> None:
    """Where every key is known, what modules put together does not excuse another one."""
    (tmp_path / "code.py").write_text('words(f"bot.slash.{name}.name") + words(f"bot.other.{name}")')
    asked = needs({}, [tmp_path], {"bot.slash.": ["bot.slash.move.name"]})
    assert "bot.slash.move.name" in asked.required
    assert [*asked.undeclared] == ["bot.other.{}"]


# What every message keeps to: one way of writing things, and one term for one thing.


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
