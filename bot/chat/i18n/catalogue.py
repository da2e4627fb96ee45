"""The languages the bot speaks: choosing one, its message catalogue, and from a key and values to words.

The `.po` files are read at run time, so that the repository holds no compiled copies that could differ from them.
Reading one language costs some 20 ms, once, when it is first spoken.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta, tzinfo
from functools import lru_cache
from gettext import c2py
from pathlib import Path
from typing import Final, Literal, TypeAlias

from babel.dates import format_date, format_datetime, get_day_names
from babel.lists import format_list
from babel.messages.catalog import Message
from babel.messages.plurals import get_plural
from babel.messages.pofile import read_po
from babel.units import format_unit

import engine
import rules
from bot.version import program
from play.settings import Settings
from rules.core import Grid, Phrase, Seat, Square

LANGUAGES: Final = ("uk", "ru", "en")  # every language with catalogues, by its ISO 639 code
FALLBACK: Final = "en"  # used where no available language is wished for

NAMES: Final[Mapping[str, str]] = {"uk": "українська", "ru": "русский", "en": "English"}
"""What each language calls itself."""

_SPELLINGS: Final[Mapping[str, str]] = {
    # Codes: "ua" is the country, but it is what most people type.
    "uk": "uk ua ukr укр уа ук"
    # The name, in the three languages and the case that "speak ..." wants.
    " українська українською українську"
    " украинский украинская украинском по-украински украинська"
    " ukrainian ukrainska ukrayinska",
    "ru": "ru rus рус ру"
    " російська російською російську рос"
    " русский русская русском по-русски русски русс"
    " russian russkij russkiy russki",
    "en": "en eng gb us англ анг ен"
    " англійська англійською англійську"
    " английский английская английском по-английски"
    " english engl british american inglish",
}
_SPELT: Final = {
    spelling: language for language, spellings in _SPELLINGS.items() for spelling in spellings.split()
} | {"🇺🇦": "uk", "🇬🇧": "en", "🇺🇸": "en"}
_NOISE: Final = re.compile(r"[\s.,!«»\"'’`()]+")
_SUBTAGS: Final = re.compile(r"[-_.@]")


Wish: TypeAlias = Settings | str | None
"""A code, a locale such as `uk-UA` or `ru_RU.UTF-8`, or the settings of a person or a place."""


def pick(*wishes: Wish) -> str:
    """Return the first wish that names a language, else the fallback."""
    return available(*wishes) or FALLBACK


def words_of(*wishes: Wish) -> Words:
    """Return the words of the language that `pick` returns."""
    return words(pick(*wishes))


def available(*wishes: Wish) -> str | None:
    """As `pick`; None where no wish names an available language."""
    for wish in wishes:
        named = wish if isinstance(wish, str) or wish is None else wish.language
        primary = _SUBTAGS.split(named, 1)[0].strip().lower() if named else ""
        if primary in LANGUAGES:
            return primary
    return None


def read_language(text: str) -> str | None:
    """The language that typed text names in any of the three languages, or None if it names none of them."""
    if len(text) > 40:
        return None
    bare = _NOISE.sub("", text.casefold())
    if bare in _SPELT:
        return _SPELT[bare]
    primary = _SUBTAGS.split(bare, 1)[0]
    if primary in LANGUAGES:
        return primary
    # "українська мова", "русский язык", "english language"
    first = _NOISE.split(text.casefold().strip(), 1)[0]
    return _SPELT.get(first)


ROOT: Final = Path(__file__).parents[3]  # the folder that holds the packages


class Catalogue(dict[str, str | tuple[str, ...]]):
    """The templates of one language by key; of a key that counts, one for each plural form."""

    def __init__(self, language: str, files: Iterable[Path]) -> None:
        """Read and merge files; where two hold the same key (a fault), the first counts."""
        super().__init__()
        self.language = language
        self.form_of = c2py(get_plural(language).plural_expr)
        for path in files:
            for message in messages(path, language):
                forms = tuple(message.string or ()) if message.pluralizable else str(message.string)
                self.setdefault(key_of(message), forms)


def messages(path: Path, language: str) -> Iterator[Message]:
    """The entries of a file, without its header."""
    with path.open("rb") as file:
        for message in read_po(file, locale=language, abort_invalid=True):
            if message.id:
                yield message


def key_of(message: Message) -> str:
    """The key of an entry; a plural entry repeats it."""
    return message.id if isinstance(message.id, str) else message.id[0]


def folders() -> tuple[Path, ...]:
    """Return the folders of catalogues: of the core and each game, of their engines, of the bot and its features."""
    paths = (*map(Path, rules.__path__), *map(Path, engine.__path__), ROOT / "bot")
    return tuple(texts for path in paths for texts in sorted(path.rglob("texts")))


def files(language: str, among: Sequence[Path]) -> tuple[Path, ...]:
    """The files of a language in some folders: `uk.po`, and `match.uk.po` where a folder has several areas."""
    return tuple(
        path
        for folder in among
        for path in sorted((*folder.glob(f"{language}.po"), *folder.glob(f"*.{language}.po")))
    )


@lru_cache
def load(language: str) -> Catalogue:
    """The catalogue of a language, read when it is first wanted."""
    return Catalogue(language, files(language, folders()))


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
    sequences with commas between, lengths of time in words, a seat as "player 2" (pass a name instead where there is one). `program`
    is known without being given: what an operator types to start the bot and its commands.
    """

    __slots__ = ("_catalogue", "_strict", "_warned", "language")

    def __init__(self, catalogue: Catalogue, *, strict: bool = False) -> None:
        """Speak from a catalogue; what it lacks is said in the fallback language, or where `strict` raises MissingWords."""
        self.language = catalogue.language
        self._catalogue = catalogue
        self._strict = strict
        self._warned: set[str] = set()

    def __repr__(self) -> str:
        return f"Words({self.language!r})"

    def __call__(self, key: str, /, **fields: object) -> str:
        """The words of a key; one that counts takes its form from `count`, or from the only number among the fields."""
        catalogue = self._catalogue
        if key not in catalogue:
            self._miss(key, "no words in %s for %s")
            catalogue = load(FALLBACK)
        template = catalogue.get(key, key)
        if not isinstance(template, str):
            template = template[catalogue.form_of(abs(self._number(key, fields)))]
        values = {"program": program(), **{name: self.show(value) for name, value in fields.items()}}
        moments = [each for value in values.values() if isinstance(value, Dated) for each in value.moments]
        try:
            text = (template or key).format_map(values)
        except KeyError:
            self._miss(key, "in %s, a value is missing for %s")
            return (template or key).format_map(_Gaps(values))
        return Dated(text, moments) if moments else text

    def count(self, key: str, n: int, /, **fields: object) -> str:
        """The words of a key in the form that a number takes; they may name it as `count`."""
        return self(key, **{**fields, "count": n})

    def has(self, key: str) -> bool:
        """Whether a key has words in this language."""
        return key in self._catalogue

    def list(self, items: Iterable[object]) -> str:
        """Things in a row, as they are said: "a, b, and c"."""
        return format_list([self.show(item) for item in items], locale=self.language)

    def time_left(self, left: timedelta, *, short: bool = False, awake: bool = False) -> str:
        """A length of time in its two largest units: "2 days 3 hours", "5 minutes", below one minute in seconds.

        Where there is little room, in short: "2 days 3 hr", "5 min". Time `awake` is not counted in days, which have fewer hours.
        """
        minutes, seconds = divmod(max(0, round(left.total_seconds())), 60)
        hours, minutes = divmod(minutes, 60)
        days, hours = (0, hours) if awake else divmod(hours, 24)
        if days:
            parts = [(days, "day"), (hours, "hour")]
        elif hours:
            parts = [(hours, "hour"), (minutes, "minute")]
        else:
            parts = [(minutes, "minute")] if minutes else [(seconds, "second")]
        return self._units([part for part in parts if part[0]] or parts, "short" if short else "long")

    def length(self, length: timedelta) -> str:
        """A length of time as a rule says it, to the minute: "1 day 3 hours 20 minutes"."""
        hours, minutes = divmod(max(0, int(length.total_seconds())) // 60, 60)
        days, hours = divmod(hours, 24)
        parts = [(n, unit) for n, unit in ((days, "day"), (hours, "hour"), (minutes, "minute")) if n]
        return self._units(parts or [(0, "minute")], "long")

    def roughly(self, length: timedelta) -> str:
        """A length of time in one unit: "10 months", "45 days", "5 hours"."""
        days, hours = length / timedelta(days=1), length / timedelta(hours=1)
        if days >= 60:
            return self._units([(round(days / 30.44), "month")], "long")
        return self._units(
            [(round(days), "day")] if days >= 1.5 or round(hours) == 24 else [(round(hours) or 1, "hour")],
            "long",
        )

    def _units(self, parts: Iterable[tuple[int, str]], length: Literal["short", "long"]) -> str:
        return " ".join(format_unit(n, f"duration-{unit}", length, locale=self.language) for n, unit in parts)

    def date(self, when: datetime, zone: tzinfo | None = None) -> str:
        """A moment with its day, in a time zone (UTC if none is given)."""
        return format_datetime(when, "medium", tzinfo=zone, locale=self.language)

    def minute(self, when: datetime, zone: tzinfo | None = None) -> str:
        """A moment with its day, to the minute, in a time zone (UTC if none is given)."""
        return format_datetime(when, "d MMM y, HH:mm", tzinfo=zone, locale=self.language)

    def day(self, when: datetime) -> str:
        """The day of a moment in its own time zone, with its month: "24 December"."""
        return format_date(when, "d MMMM", locale=self.language)

    def soon(self, when: datetime, at: datetime, zone: tzinfo | None = None) -> str:
        """A moment after another one, as short as it is clear: "13:00", "Mon 13:00", "2 Jan, 13:00"."""
        ahead = when - at
        form = "HH:mm" if ahead < timedelta(hours=12) else "EEE HH:mm" if ahead.days < 6 else "d MMM, HH:mm"
        return format_datetime(when, form, tzinfo=zone, locale=self.language)

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

    def _number(self, key: str, fields: Mapping[str, object]) -> int:
        if isinstance(count := fields.get("count"), int):
            return count
        numbers = [each for each in fields.values() if isinstance(each, int) and not isinstance(each, Seat)]
        if len(numbers) != 1:
            self._miss(key, "in %s, nothing to count for %s")
        return numbers[0] if numbers else 0

    def _miss(self, key: str, what: str) -> None:
        if self._strict:
            raise MissingWords(what % (self.language, key))
        if key not in self._warned:
            self._warned.add(key)
            _log.warning(what, self.language, key)


class _Gaps(dict[str, str]):
    def __missing__(self, name: str) -> str:
        return f"{{{name}}}"


@lru_cache
def words(language: str, *, strict: bool = False) -> Words:
    """The words of one of `LANGUAGES`; ValueError for any other."""
    if language not in LANGUAGES:
        raise ValueError(f"no catalogues in {language!r}")
    return Words(load(language), strict=strict)
