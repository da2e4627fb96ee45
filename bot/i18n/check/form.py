"""One file: its format, its header, and that every entry is there once and whole."""

from __future__ import annotations

import gettext
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from babel.messages.catalog import Message
from babel.messages.plurals import get_plural
from babel.messages.pofile import PoFileError, read_po

from bot.i18n.catalogues import key_of, messages
from bot.i18n.check.entries import CatalogueEntry, Problem

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
