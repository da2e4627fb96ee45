"""What the words themselves can have wrong: in one language, and between the languages."""

from __future__ import annotations

import gettext
import re
from collections.abc import Iterator, Mapping
from string import Formatter
from typing import Final

from babel.messages.plurals import get_plural

from bot.i18n.check.entries import CatalogueEntry, Problem

_WORD: Final = re.compile(r"[^\W\d_]+")
_LATIN: Final = re.compile(r"[a-zA-Z\u00c0-\u024f]")
_CYRILLIC: Final = re.compile(r"[\u0400-\u052f]")
_CYRILLIC_SQUARE: Final = re.compile(r"(?<![\w-])[\u0400-\u052f]\d{1,2}(?!\w)")
_LONE: Final = {
    # A Latin letter that stands alone where the language has a word of one letter that looks the same.
    "uk": re.compile(r"(?<=[а-яіїєґ] )[iyI](?= [а-яіїєґ])"),
    "ru": re.compile(r"(?<=[а-яё] )[coyCOK](?= [а-яё])"),
}
_OTHERS_LETTERS: Final = {
    "uk": re.compile(r"[ыэъёЫЭЪЁ]"),
    "ru": re.compile(r"[іїєґІЇЄҐ]"),
    "en": _CYRILLIC,
}
_PLACEHOLDER: Final = re.compile(r"\{[^{}]*\}")
_COMMAND: Final = re.compile(r"(?<![\w/])/[a-z]{2,}")
_FIELD: Final = re.compile(r"[a-z][a-z_]*\Z")
_FORBIDDEN: Final = re.compile(r"[\x00-\x09\x0b-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_ASCII_QUOTE: Final = re.compile(r'"|(?<!\w)\'|\'(?!\w)')

_SENTENCE: Final = re.compile(r"\w \S.*[.!?…]\Z", re.DOTALL)

ANY_LETTERS: Final = re.compile(r".*\.(?:aliases|language)(?:\.|\Z)")
"""Keys whose words may be of other languages: what people type, and what languages call themselves."""


def check_text(entry: CatalogueEntry, language: str) -> Iterator[Problem]:
    """What is wrong with the words of one entry, each thing once."""
    seen = set()
    for form in entry.forms:
        for what in _faults(entry.key, form, language):
            if what not in seen:
                seen.add(what)
                yield Problem(entry.path, entry.key, what)


def _faults(key: str, text: str, language: str) -> Iterator[str]:
    try:
        fields_of(text)
    except ValueError as error:
        yield str(error)
        return
    if text != text.strip():
        yield "blanks at an end"
    if re.search(r"[^ \n] {2,}", text):
        yield "two blanks in a row"
    if odd := _FORBIDDEN.search(text):
        yield f"an invisible character, U+{ord(odd[0]):04X}"
    plain = _PLACEHOLDER.sub(" ", text)
    yield from _stray_letters(plain, language)
    if not ANY_LETTERS.match(key) and (odd := _OTHERS_LETTERS[language].search(plain)):
        yield f"a letter of another language: {odd[0]}"
    if language != "en" and _ASCII_QUOTE.search(plain):
        yield "a straight quote where the language has « »"


def _stray_letters(plain: str, language: str) -> Iterator[str]:
    for word in _WORD.findall(plain):
        if _LATIN.search(word) and _CYRILLIC.search(word):
            yield f"Latin and Cyrillic letters in one word: {word}"
    for square in _CYRILLIC_SQUARE.findall(plain):
        yield f"a square with a Cyrillic letter: {square}"
    if language in _LONE and (lone := _LONE[language].search(plain)):
        yield f"a Latin {lone[0]} in place of a word"


def compare(spoken: Mapping[str, Mapping[str, CatalogueEntry]]) -> Iterator[Problem]:
    """Where the languages differ: keys, placeholders, commands, what depends on a number."""
    keys = sorted({key for entries in spoken.values() for key in entries})
    for key in keys:
        there = {language: entries[key] for language, entries in spoken.items() if key in entries}
        model = there.get("en") or next(iter(there.values()))
        for language in spoken.keys() - there.keys():
            yield Problem(model.path, key, f"no words in {language}")
        for language, entry in there.items():
            yield from _compare(entry, model, language)


def repeated(spoken: Mapping[str, Mapping[str, CatalogueEntry]]) -> Iterator[Problem]:
    """Sentences that stand under two keys, the same in every language: one key would do."""
    known: dict[tuple[tuple[str, ...], ...], str] = {}
    for key, entry in sorted(spoken["en"].items()):
        forms = tuple(entries[key].forms for entries in spoken.values() if key in entries)
        if all(map(_SENTENCE.search, entry.forms)) and (other := known.setdefault(forms, key)) != key:
            yield Problem(entry.path, key, f"the same sentence as {other}")


def _compare(entry: CatalogueEntry, model: CatalogueEntry, language: str) -> Iterator[Problem]:
    try:
        sets, wanted = [fields_of(form) for form in entry.forms], _all_fields(model)
    except ValueError:
        return  # said by check_text
    for index, found in enumerate(sets):
        lacking = wanted - found
        if entry.plural and _one_number(language, index):
            lacking = set()  # "one move left" needs no number, "21 moves left" does
        if lacking or found - wanted:
            where = f" in plural form {index}" if entry.plural else ""
            yield Problem(
                entry.path, entry.key, f"placeholders differ{where}: {_listed(lacking, found - wanted)}"
            )
    if entry.plural != model.plural:
        yield Problem(entry.path, entry.key, "depends on a number in one language and not in another")
    if _commands(entry) != _commands(model):
        differ = sorted(_commands(entry) ^ _commands(model))
        yield Problem(entry.path, entry.key, f"other commands than in {model.path.name}: {', '.join(differ)}")


def fields_of(text: str) -> set[str]:
    """The placeholders of a template.

    Raises:
        ValueError: it is no template, or a placeholder is more than a name.
    """
    fields = set()
    for _, name, spec, conversion in Formatter().parse(text):
        if name is None:
            continue
        if spec or conversion or not _FIELD.match(name):
            raise ValueError(f"a placeholder must be a name alone: {{{name}}}")
        fields.add(name)
    return fields


def _all_fields(entry: CatalogueEntry) -> set[str]:
    return set().union(*map(fields_of, entry.forms))


def _one_number(language: str, index: int) -> bool:
    """Whether a plural form stands for exactly one number, so that it can do without naming it."""
    formula = gettext.c2py(get_plural(language).plural_expr)
    return sum(formula(n) == index for n in range(201)) == 1


def _commands(entry: CatalogueEntry) -> set[str]:
    return {command for form in entry.forms for command in _COMMAND.findall(form)}


def _listed(lacking: set[str], extra: set[str]) -> str:
    return ", ".join(
        [*(f"no {{{name}}}" for name in sorted(lacking)), *(f"{{{name}}} too" for name in sorted(extra))]
    )
