"""Whether the catalogues hold exactly what the program asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bot.i18n.check.entries import CatalogueEntry, Problem
from bot.i18n.check.texts import fields_of
from bot.i18n.languages import FALLBACK


@dataclass(frozen=True, slots=True)
class Needs:
    """What the program asks for.

    Attributes:
        required: Keys that must be there, each with where it is asked for.
        families: Patterns of which each must match at least one key.
        optional: Keys that may be there.
        fields: The values that come with a key, where that is known.
        undeclared: Templates of keys put together at run time whose members no module declares in `KEYS`.
    """

    required: Mapping[str, Path | str]
    families: Mapping[re.Pattern[str], Path | str] = field(default_factory=dict)
    optional: frozenset[str] = frozenset()
    fields: Mapping[str, frozenset[str]] = field(default_factory=dict)
    undeclared: Mapping[str, Path | str] = field(default_factory=dict)


def check_keys(spoken: Mapping[str, Mapping[str, CatalogueEntry]], needs: Needs) -> Iterator[Problem]:
    """Keys that are asked for and not there, there and not asked for, or that name values which never come.

    The languages are compared elsewhere: here the first of them that has a key speaks for it.
    """
    there: dict[str, CatalogueEntry] = {}
    for language in (FALLBACK, *spoken):
        for key, entry in spoken.get(language, {}).items():
            there.setdefault(key, entry)
    yield from _wanted(there, needs)
    yield from _unwanted(there, needs)
    for entries in spoken.values():
        for key in sorted(needs.fields.keys() & entries.keys()):
            yield from _check_fields(entries[key], needs.fields[key])


def _wanted(there: Mapping[str, CatalogueEntry], needs: Needs) -> Iterator[Problem]:
    for key, where in sorted(needs.required.items()):
        if key not in there:
            yield Problem(where, key, "is asked for, and no catalogue has it")
    for template, where in needs.undeclared.items():
        yield Problem(where, template, "is put together, and no KEYS declares its members")
    for family, where in needs.families.items():
        if not any(map(family.match, there)):
            yield Problem(where, family.pattern, "no key in the catalogues is like this")


def _unwanted(there: Mapping[str, CatalogueEntry], needs: Needs) -> Iterator[Problem]:
    for key, entry in sorted(there.items()):
        if key in needs.required or key in needs.optional:
            continue
        if not any(family.match(key) for family in needs.families):
            yield Problem(entry.path, key, "is not asked for")


def _check_fields(entry: CatalogueEntry, given: frozenset[str]) -> Iterator[Problem]:
    try:
        named = set().union(*map(fields_of, entry.forms))
    except ValueError:
        return  # said by check_text
    for name in sorted(named - given):
        yield Problem(entry.path, entry.key, f"names {{{name}}}, which does not come with it")
