"""What files and their words can have wrong: each file, each language, and between the languages."""

from __future__ import annotations

import gettext
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Formatter
from typing import Final

from babel.messages.catalog import Message
from babel.messages.plurals import get_plural
from babel.messages.pofile import PoFileError, read_po

from bot.chat.i18n.catalogue import ROOT, key_of, messages


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with a catalogue."""

    where: Path | str  # the file to mend, or the module that asks
    key: str  # the entry, or nothing where it is about the whole file
    what: str
    fatal: bool = False  # whether the file could not be read

    def __str__(self) -> str:
        where = self.where
        if isinstance(where, Path) and where.is_relative_to(ROOT):
            where = where.relative_to(ROOT)
        return ": ".join(filter(None, (str(where), self.key, self.what)))


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """The words of a key in one language: one template, or one for each plural form."""

    path: Path
    key: str
    forms: tuple[str, ...]
    plural: bool


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
        sets, wanted = [fields_of(form) for form in entry.forms], all_fields(model)
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
    """The placeholders of a template; ValueError if it is no template, or a placeholder is more than a name."""
    fields = set()
    for _, name, spec, conversion in Formatter().parse(text):
        if name is None:
            continue
        if spec or conversion or not _FIELD.match(name):
            raise ValueError(f"a placeholder must be a name alone: {{{name}}}")
        fields.add(name)
    return fields


def all_fields(entry: CatalogueEntry) -> set[str]:
    """The placeholders of all forms of an entry; ValueError as `fields_of`."""
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


_KEY: Final = re.compile(r"[a-z0-9]+(?:[.-][a-z0-9]+)+\Z")
_MSGID: Final = re.compile(r'^msgid "(.+)"$', re.MULTILINE)
_QUOTED: Final = re.compile(r'^(?:msgstr )?"(.*)"$', re.MULTILINE)
_COUNTED: Final = range(1001)


def read(path: Path, language: str) -> Iterator[CatalogueEntry]:
    """The entries of a file that can be read."""
    for message in messages(path, language):
        yield CatalogueEntry(path, key_of(message), _forms(message), message.pluralizable)


def check_file(path: Path, language: str) -> Iterator[Problem]:
    """What is wrong with a file as such."""
    try:
        text = path.read_bytes().decode("utf-8")
        with path.open("rb") as file:
            catalogue = read_po(file, abort_invalid=True)
        catalogue.num_plurals, catalogue.plural_expr  # noqa: B018 - a bad header is found here
    except UnicodeDecodeError:
        yield Problem(path, "", "not in UTF-8", fatal=True)
        return
    except (PoFileError, ValueError) as error:
        yield Problem(path, "", f"cannot be read: {error}", fatal=True)
        return
    yield from _check_header(path, language, _header(text))
    for key, times in Counter(_MSGID.findall(text)).items():
        if times > 1:
            yield Problem(path, key, f"there are {times} of it")
    for message in catalogue.obsolete.values():
        yield Problem(path, key_of(message), "obsolete: delete it")
    for message in catalogue:
        if message.id:
            yield from _check_entry(path, message)
    yield from _check_with_msgfmt(path)


def _header(text: str) -> Mapping[str, str]:
    first = text.split('\nmsgid "', 2)
    joined = "".join(_QUOTED.findall(first[0] if text.startswith("msgid") else "\n".join(first[:2])))
    pairs = (line.partition(":") for line in joined.split("\\n") if line)
    return {name.strip(): value.strip() for name, _, value in pairs}


def _check_header(path: Path, language: str, header: Mapping[str, str]) -> Iterator[Problem]:
    if header.get("Language") != language:
        yield Problem(path, "", f"the header says Language: {header.get('Language', 'nothing')}")
    if header.get("Content-Type", "").replace(" ", "").lower() != "text/plain;charset=utf-8":
        yield Problem(path, "", "the header does not say Content-Type: text/plain; charset=UTF-8")
    spelled = re.match(r"nplurals *= *(\d+) *; *plural *= *(.+?);?\Z", header.get("Plural-Forms", ""))
    if not spelled:
        yield Problem(path, "", "the header has no Plural-Forms")
        return
    known = get_plural(language)
    try:
        formula, right = gettext.c2py(spelled[2]), gettext.c2py(known.plural_expr)
        same = int(spelled[1]) == known.num_plurals and all(formula(n) == right(n) for n in _COUNTED)
    except ValueError:
        same = False
    if not same:
        yield Problem(path, "", f"the header's Plural-Forms are not those of the language: {known}")


def _check_entry(path: Path, message: Message) -> Iterator[Problem]:
    key = key_of(message)
    if not _KEY.match(key):
        yield Problem(path, key, "not spelled as a key")
    if message.context:
        yield Problem(path, key, "has a context, which is not used")
    if message.fuzzy:
        yield Problem(path, key, "fuzzy: read it over and take the mark away")
    if message.pluralizable and message.id[1] != key:
        yield Problem(path, key, "its msgid_plural is another key")
    empty = [index for index, form in enumerate(_forms(message)) if not form.strip()]
    if empty:
        yield Problem(
            path, key, f"no words in plural form {empty[0]}" if message.pluralizable else "no words"
        )


def _check_with_msgfmt(path: Path) -> Iterator[Problem]:
    msgfmt = shutil.which("msgfmt")
    if not msgfmt:
        return
    run = subprocess.run(  # noqa: S603 - a program of the system's, on a file of ours
        [msgfmt, "--check", "-o", "/dev/null", str(path)], capture_output=True, text=True, check=False
    )
    if run.returncode:
        said = " ".join(line.strip() for line in run.stderr.splitlines() if " warning: " not in line)
        yield Problem(path, "", f"msgfmt: {said}")


def _forms(message: Message) -> tuple[str, ...]:
    text = message.string or ""
    return (text,) if isinstance(text, str) else tuple(text)
