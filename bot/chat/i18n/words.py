"""Speaking one language: from a key and values to words."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta, tzinfo
from functools import lru_cache
from typing import Final, Literal

from babel.dates import format_datetime, get_day_names
from babel.lists import format_list
from babel.units import format_unit

from bot.chat.i18n.languages import FALLBACK, LANGUAGES, Catalogue, load
from rules.core import Grid, Phrase, Seat, Square

_log: Final = logging.getLogger(__name__)


class MissingWords(LookupError):
    """A key without words, or words that name a value which was not given."""


class Dated(str):
    """Words with moments in them, each as it is written: a platform may write them in its own way."""

    __slots__ = ("moments",)
    moments: tuple[tuple[str, datetime], ...]

    def __new__(cls, text: str, moments: Iterable[tuple[str, datetime]]) -> Dated:
        """Return the words with their moments."""
        dated = super().__new__(cls, text)
        dated.moments = tuple(moments)
        return dated


class Words:
    """The words of one language.

    A value is put in as plain text, never read as a template, so that braces in a name stay braces: squares as `c3`, boards as `8×8`,
    sequences with commas between, lengths of time in words, a seat as "player 2" (pass a name instead where there is one).
    """

    __slots__ = ("_catalogue", "_strict", "_told", "language")

    def __init__(self, catalogue: Catalogue, *, strict: bool = False) -> None:
        """Speak from a catalogue.

        Args:
            catalogue: The words; what it lacks is said in the fallback language.
            strict: Raise MissingWords instead, so that a test notices.
        """
        self.language = catalogue.language
        self._catalogue = catalogue
        self._strict = strict
        self._told: set[str] = set()

    def __repr__(self) -> str:
        return f"Words({self.language!r})"

    def __call__(self, key: str, /, **fields: object) -> str:
        """The words of a key; one that counts takes its form from `count`, or from the only number among the fields.

        Raises:
            MissingWords: strict only.
        """
        catalogue = self._having(key)
        if catalogue is None:
            return key
        if not catalogue.counts(key):
            return self._fill(key, catalogue.text(key), fields)
        return self._fill(key, catalogue.form(key, self._number(key, fields)), fields)

    def count(self, key: str, n: int, /, **fields: object) -> str:
        """The words of a key in the form that a number takes; they may name it as `count`.

        Raises:
            MissingWords: strict only.
        """
        return self(key, **{**fields, "count": n})

    def has(self, key: str) -> bool:
        """Whether a key has words in this language."""
        return key in self._catalogue

    def list(self, items: Iterable[object], style: Literal["standard", "or"] = "standard") -> str:
        """Things in a row, as they are said: "a, b, and c", or with `style="or"` "a, b, or c"."""
        return format_list([self.show(item) for item in items], style=style, locale=self.language)

    def time_left(self, left: timedelta, *, short: bool = False) -> str:
        """A length of time in its two largest units: "2 days 3 hours", "5 minutes", below one minute in seconds.

        Where there is little room, in short: "2 days 3 hr", "5 min".
        """
        length: Literal["short", "long"] = "short" if short else "long"
        seconds = max(0, round(left.total_seconds()))
        minutes, seconds = divmod(seconds, 60)
        hours, minutes = divmod(minutes, 60)
        days, hours = divmod(hours, 24)
        if days:
            parts = [(days, "day"), (hours, "hour")]
        elif hours:
            parts = [(hours, "hour"), (minutes, "minute")]
        elif minutes:
            parts = [(minutes, "minute")]
        else:
            return format_unit(seconds, "duration-second", length, locale=self.language)
        return " ".join(
            format_unit(n, f"duration-{unit}", length, locale=self.language) for n, unit in parts if n
        )

    def length(self, length: timedelta) -> str:
        """A length of time as a rule says it, to the minute: "1 day 3 hours 20 minutes"."""
        hours, minutes = divmod(max(0, int(length.total_seconds())) // 60, 60)
        days, hours = divmod(hours, 24)
        parts = [(n, unit) for n, unit in ((days, "day"), (hours, "hour"), (minutes, "minute")) if n]
        return " ".join(
            format_unit(n, f"duration-{unit}", "long", locale=self.language)
            for n, unit in parts or [(0, "minute")]
        )

    def date(self, when: datetime, zone: tzinfo | None = None) -> str:
        """A moment with its day, in a time zone (UTC if none is given)."""
        return format_datetime(when, "medium", tzinfo=zone, locale=self.language)

    def minute(self, when: datetime, zone: tzinfo | None = None) -> str:
        """A moment with its day, to the minute, in a time zone (UTC if none is given)."""
        return format_datetime(when, "d MMM y, HH:mm", tzinfo=zone, locale=self.language)

    def weekday(self, number: int) -> str:
        """A day of the week in short, 0 for Monday: "Mon"."""
        return str(get_day_names("short", "stand-alone", self.language)[number])

    def show(self, value: object) -> str:
        """A value as plain text for the reader."""
        match value:
            case str():
                text = value
            case Seat():
                text = self("core.seat", number=value.number)
            case Grid():
                text = f"{value.files}×{value.ranks}"
            case Phrase():
                text = self(value.key, **value.fields)
            case timedelta():
                text = self.length(value)
            case datetime():
                written = self("bot.moment", when=self.minute(value))
                text = Dated(written, [(written, value)])
            case Sequence() if not isinstance(value, Square):
                text = ", ".join(map(self.show, value)) or "—"
            case _:
                text = str(value)
        return text

    def _having(self, key: str) -> Catalogue | None:
        if key in self._catalogue:
            return self._catalogue
        self._miss(key, "no words in %s for %s")
        fallback = load(FALLBACK)
        return fallback if key in fallback else None

    def _number(self, key: str, fields: Mapping[str, object]) -> int:
        count = fields.get("count")
        numbers = [
            value for value in fields.values() if isinstance(value, int) and not isinstance(value, Seat)
        ]
        if isinstance(count, int):
            return count
        if len(numbers) != 1:
            self._miss(key, "in %s, nothing to count for %s")
        return numbers[0] if numbers else 0

    def _fill(self, key: str, template: str, fields: Mapping[str, object]) -> str:
        values = {name: self.show(value) for name, value in fields.items()}
        moments = [
            moment for value in values.values() if isinstance(value, Dated) for moment in value.moments
        ]
        try:
            text = template.format_map(values)
            return Dated(text, moments) if moments else text
        except KeyError:
            self._miss(key, "in %s, a value is missing for %s")
            return template.format_map(_Gaps(values))

    def _miss(self, key: str, what: str) -> None:
        if self._strict:
            raise MissingWords(what % (self.language, key))
        if key not in self._told:
            self._told.add(key)
            _log.warning(what, self.language, key)


class _Gaps(dict[str, str]):
    """Values that leave the placeholders of missing ones standing."""

    def __missing__(self, name: str) -> str:
        return f"{{{name}}}"


@lru_cache
def words(language: str, *, strict: bool = False) -> Words:
    """The words of one of `LANGUAGES`.

    Raises:
        ValueError: there are no catalogues in that language.
    """
    if language not in LANGUAGES:
        raise ValueError(f"no catalogues in {language!r}")
    return Words(load(language), strict=strict)
