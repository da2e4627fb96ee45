"""Time zones, times of day and dates as people type them in any of the languages: every reading that a text has.

Each reader returns its readings by the text that says one of them and nothing else; none for what cannot be read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from itertools import islice, product
from typing import Final, NamedTuple, TypeAlias
from unicodedata import combining, normalize
from zoneinfo import ZoneInfo, available_timezones

from babel import Locale
from babel.core import get_global
from babel.dates import format_date, get_day_names, get_month_names

from bot.chat.i18n.catalogue import FALLBACK, LANGUAGES
from play.time.clock import read as read_length
from play.time.week import DAYS, zone_of

Hours: TypeAlias = tuple[time, time, str | None]
"""From a time of day to another, and the time zone that is named with them."""

Span: TypeAlias = tuple[datetime, datetime]
"""From a moment to a later one, in UTC."""


_WEEKDAY: Final = 0
_FROM_TODAY: Final = -1
"""Numbers of the month of a day that is a day of the week, 0 for Monday, or so many days from today."""


class _Point(NamedTuple):
    """A day, a time, or both; a day as its number, month (or one of the numbers above) and year."""

    day: tuple[int, int, int | None] | None
    time: time | None


_MAX_TEXT: Final = 80
_AREAS: Final = (
    *("Africa", "America", "Antarctica", "Arctic", "Asia"),
    *("Atlantic", "Australia", "Europe", "Indian", "Pacific"),
)
"""The first parts of the names of zones that end in a city."""

_LAW: Final = 2037  # a year in which the zones follow the rules that are in force now
_HALF: Final = 12  # hours
_FARTHEST: Final = 6.5  # hours from the middle of a part of the day to what may still be called by it
_LEAP: Final = 8  # years until 29 February comes again, at most
_LETTERS: Final = 3  # of a month, at least
_LARGEST_OFFSET: Final = 14 * 60
_ZONE_WORDS: Final = 3
_MSK: Final = {"мск": "Europe/Moscow"}
"""The abbreviation that people write in other letters than the data of the zones."""

_OFFSET: Final = re.compile(r"(?:utc|gmt)? ?([+-])([0-9]{1,2})(?::?([0-9]{2}))?\Z")
_ABBREVIATION: Final = re.compile(r"[a-z]{3,5}\Z")
_TIME: Final = re.compile(
    r"([0-9]{1,2})(?:[:.]([0-9]{2}))?(?::([0-9]{2}))?(?:-(?:й|ї|та|ту))?"
    r"(?: ?(?:год(?:ин[аиіу]?)?|ч(?:ас(?:а|ов)?)?|o['’]clock)\b\.?)? ?([^0-9:]*)\Z"
)
_INFLECTED: Final = {
    **dict.fromkeys(("опівночі", "півночі", "полуночи"), 0),
    **dict.fromkeys(("опівдні", "полудні", "полудня"), 12),
}
"""The hours of words that the data of the languages have in the nominative alone."""

_DAY: Final = re.compile(
    r"([0-9]{1,2})(?:st|nd|rd|th)?(?: of)? ?([^\W\d_]+)\.?(?: ([0-9]{4}))?(?: [рг]\.?)?\Z"
    r"|([^\W\d_]+)\.? ([0-9]{1,2})(?:st|nd|rd|th)?(?: ([0-9]{4}))?\Z"
)
_NUMBERS: Final = re.compile(r"([0-9]{1,2})([./])([0-9]{1,2})(?:\2([0-9]{4})?)?\Z")
_BARE: Final = re.compile(r"[0-9.]+\Z")
_ISO: Final = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})\Z")
_AT: Final = re.compile(r"(?:at|о|об|в|у) ")
_ON: Final = re.compile(r"(?:on|next|this|в|во|у|наступн\w+|следующ\w+) ")
_FOR: Final = re.compile(r"(?:for|на) ")
_NEAR: Final = {
    **dict.fromkeys(("today", "сьогодні", "сегодня"), 0),
    **dict.fromkeys(("tomorrow", "завтра"), 1),
}
"""How many days from today a word means."""

_FROM: Final = re.compile(r"(?:from|since|з|із|зі|с|со|від|от) ")
_UNTIL: Final = re.compile(r"(?:to|till|until|through|до|по) ")
_BOUNDARY: Final = re.compile(rf" ?- ?| {_UNTIL.pattern}")


def read_zone(text: str) -> Mapping[str, str]:
    """Return the time zones that a text may name: by name, city, abbreviation or distance from UTC."""
    text = _plain(text)
    if found := _OFFSET.match(text):
        hours, minutes = int(found[2]), int(found[3] or 0)
        name = f"UTC{found[1]}{hours}" + (f":{minutes:02}" if minutes else "")
        known = minutes < 60 and hours * 60 + minutes <= _LARGEST_OFFSET
        return {name if hours or minutes else "UTC": name} if known else {}
    exact = _names().get(text.replace(" ", "_"))
    if exact and ("/" in exact or _ABBREVIATION.match(text) is None):
        return {exact: exact}
    short = _abbreviations().get(text, ()) if _ABBREVIATION.match(text) else ()
    names = (*short, *_cities().get(_bare(text), ())) or filter(None, (exact,))
    return {name: name for name in names}


def read_hour(text: str) -> Mapping[str, time]:
    """Return the time of day that a text says: `21:30`, `9pm`, `9 вечора`."""
    return {_clock(at): at for at, _ in _times(_plain(text))}


def read_hours(text: str) -> Mapping[str, Hours]:
    """Return the hours that a text may say: `23-8`, `from 11pm to 8am`, `23:00–8:00 Kyiv`.

    Where only one end says which half of the day it means, the other may be in either.
    """
    found: dict[str, Hours] = {}
    for said, zone in _zoned(_plain(text)):
        for first, last in _ends(said):
            for (start, sure), (end, also_sure) in product(_times(first), _times(last)):
                starts = _halves(start) if also_sure and not sure else (start,)
                ends = _halves(end) if sure and not also_sure else (end,)
                for one, other in product(starts, ends):
                    if one != other:
                        named = f" {zone}" if zone else ""
                        found[f"{_clock(one)}-{_clock(other)}{named}"] = one, other, zone
    return found


def read_days(text: str) -> tuple[int, ...] | None:
    """Return the days of the week that a text names, Monday as 0: `sat, sun`, `пт-нд`; None if it says anything else."""
    days: set[int] = set()
    text = re.sub(r"\s*[-–—]\s*", "-", text.casefold())
    for part in filter(None, re.split(r"[,;\s]+(?:(?:and|і|й|та|и)\s+)?", text)):
        ends = [_weekday(_bare(end)) for end in part.split("-")]
        if None in ends or len(ends) > 2:
            return None
        first, last = (end or 0 for end in (ends[0], ends[-1]))
        days |= {(first + count) % 7 for count in range((last - first) % 7 + 1)}
    return tuple(sorted(days)) if days else None


def _weekday(word: str) -> int | None:
    """Return the day of the week that a word names, in any case: `sat`, `субота`, `суботу`; 0 for Monday."""
    bare = re.sub(r"['’ʼ`.]", "", word)
    fits = (
        number
        for number, (short, stem, longest) in _weekdays()
        if bare == short or (bare.startswith(stem) and len(bare) <= longest)
    )
    return next(fits, None)


def read_span(text: str, at: datetime, zone: str | None, language: str = FALLBACK) -> Mapping[str, Span]:
    """Return what a text may say of the time from a moment on: `24 Dec - 2 Jan`, `friday 5 days`, `until 9pm`, `2 січня`.

    One day or moment is the end of a span that has begun. Days count whole, the last one too. The time zone is that of the
    text, else the given one (None: UTC). A span may begin before that moment; one that ends before it begins is returned
    where its years say so.
    """
    found: dict[str, Span] = {}
    for (said, named), month_first in product(_zoned(_plain(text)), (False, True)):
        now = at.astimezone(zone_of(named or zone or "UTC"))
        spans = (*_from_to(said, month_first, now, language), *_so_long(said, month_first, now, language))
        for words, since, until in spans:
            named_too = f" {named}" if named else ""
            found[words + named_too] = since.astimezone(UTC), until.astimezone(UTC)
    return found


def _from_to(
    text: str, month_first: bool, now: datetime, language: str
) -> Iterator[tuple[str, datetime, datetime]]:
    single = _UNTIL.sub("", text, count=1) if _UNTIL.match(text) else text
    sides: list[tuple[_Point | None, _Point]] = [(None, end) for end in _points(single, month_first)]
    for first, last in _ends(text):
        for end in _points(last, month_first):
            if first.isdigit() and end.day:  # 24-28 Dec
                sides.append((_Point((int(first), *end.day[1:]), None), end))
            sides += [(start, end) for start in _points(first, month_first)]
    for start, end in sides:
        if start and (start.day is None) != (end.day is None):
            continue
        coming = (placed for placed in _placed(end, now) if placed[1] > now)
        if start is None:
            yield from ((_dated(until[0], end, language), now, until[1]) for until in islice(coming, 1))
            continue
        spans = ((since, until) for until in coming if (since := _begin(start, until, now)))
        for since, until in islice(spans, 1):
            begins = f"{_dated(since, start, language)} - " if since > now else ""
            yield begins + _dated(until[0], end, language), since, until[1]


def _so_long(
    text: str, month_first: bool, now: datetime, language: str
) -> Iterator[tuple[str, datetime, datetime]]:
    words = _FROM.sub("", text, count=1).split()
    for cut in range(1, len(words)):
        typed = _FOR.sub("", " ".join(words[cut:]), count=1)
        length = read_length(typed)
        for start in _points(" ".join(words[:cut]), month_first) if length else ():
            coming = (each for each, over in _placed(start, now) if start.day and over > now)
            for since in islice(coming, 1):
                yield f"{_dated(since, start, language)} {typed}", since, since + (length or timedelta())


def _begin(start: _Point, until: Span, now: datetime) -> datetime | None:
    """Return when a span begins, by how its beginning and its end are written; None: never."""
    if start.day and start.day[1] in (_WEEKDAY, _FROM_TODAY):
        coming = [each for each, over in _placed(start, now) if over > now and each < until[1]]
        return coming[0] if coming else None
    placed = [each for each, _ in _placed(start, until[0])]
    before = [each for each in placed if each < until[1]]
    return before[-1] if before else next(iter(placed), None)


def names_no_day(text: str, at: datetime) -> bool:
    """Whether a text names a day that no calendar has, such as 31 February."""
    sides = [each for pair in _ends(_plain(text)) for each in pair]
    points = [each for side in (*sides, _plain(text)) for each in _points(side, month_first=False)]
    return any(each.day and not any(_placed(each, at)) for each in points)


def is_time(text: str) -> bool:
    """Whether a text is a time zone, a time of day, hours, or a date."""
    return bool(
        read_zone(text)
        or read_hour(text)
        or read_hours(text)
        or read_span(text, datetime(1970, 1, 2, tzinfo=UTC), None)
    )


def all_zones() -> Sequence[str]:
    """Return the names of the time zones, in order."""
    return sorted(_names().values())


def _plain(text: str) -> str:
    if len(text) > _MAX_TEXT:
        return ""
    text = re.sub(r"[‐-―−]", "-", text.casefold())
    return " ".join(re.sub(r"[,()\s]", " ", text).split())


def _bare(name: str) -> str:
    letters = normalize("NFKD", re.sub(r"['’ʼ`.]", "", name.casefold()))
    return " ".join(re.sub(r"[_,-]", " ", "".join(each for each in letters if not combining(each))).split())


def _zoned(text: str) -> Iterator[tuple[str, str | None]]:
    yield text, None
    words = text.split()
    for count in range(1, min(_ZONE_WORDS, len(words) - 1) + 1):
        for zone in read_zone(" ".join(words[-count:])):
            yield " ".join(words[:-count]), zone


def _ends(text: str) -> Iterator[tuple[str, str]]:
    for found in _BOUNDARY.finditer(text):
        yield _FROM.sub("", text[: found.start()], count=1), text[found.end() :]


def _times(text: str) -> Sequence[tuple[time, bool]]:
    """Return the time of day that a text says, and whether it says which half of the day is meant."""
    text = _AT.sub("", text, count=1) if _AT.match(text) else text
    if text in _parts() and _parts()[text][1]:
        return [(time(int(_parts()[text][0])), True)]
    found = _TIME.match(text)
    if found is None:
        return ()
    hour, minute, second = (int(each or 0) for each in found.groups()[:3])
    part = found[4].replace(".", "")
    if hour > 24 or minute > 59 or second > 59 or (part and part not in _parts()):
        return ()
    middle = _parts()[part][0] if part else hour
    hours = (hour % _HALF, hour % _HALF + _HALF) if part and 1 <= hour <= _HALF else (hour % 24,)
    away, hour = min((min(abs(each - middle), 24 - abs(each - middle)), each) for each in hours)
    return [(time(hour, minute, second), bool(part))] if away <= _FARTHEST or not part else ()


def _halves(at: time) -> tuple[time, ...]:
    if not 1 <= at.hour <= _HALF:
        return (at,)
    return at.replace(hour=at.hour % _HALF), at.replace(hour=at.hour % _HALF + _HALF)


def _points(text: str, month_first: bool) -> Iterator[_Point]:
    """Yield what days and times a text may say, in either order."""
    words = text.split()
    for cut in range(len(words) + 1):
        first, last = " ".join(words[:cut]), " ".join(words[cut:])
        for day, clock in {(first, last), (last, first)}:
            for one in _days(day, month_first) if day else (None,):
                times = [at for at, _ in _times(clock) if not _BARE.match(clock)] if clock else [None]
                yield from (_Point(one, at) for at in times if one or at)


def _days(text: str, month_first: bool) -> Sequence[tuple[int, int, int | None]]:
    """Return the day that a text says: number, month and year. Where two numbers have a stroke, either may be the month."""
    if found := _ISO.match(text):
        return [(int(found[3]), int(found[2]), int(found[1]))]
    if found := _NUMBERS.match(text):
        first, last = int(found[1]), int(found[3])
        if month_first and found[2] == "/":
            first, last = last, first
        return [(first, last, int(found[4]) if found[4] else None)]
    if (number := _day_by_name(_ON.sub("", text, count=1))) is not None:
        return [number]
    if not (found := _DAY.match(text)):
        return ()
    day, name, year = found.groups()[:3] if found[1] else (found[5], found[4], found[6])
    months = {month for word, month in _months() if len(name) >= _LETTERS and word.startswith(name)}
    return [(int(day), months.pop(), int(year) if year else None)] if len(months) == 1 else ()


def _day_by_name(name: str) -> tuple[int, int, None] | None:
    if name in _NEAR:
        return _NEAR[name], _FROM_TODAY, None
    weekday = _weekday(name)
    return None if weekday is None else (weekday, _WEEKDAY, None)


def _placed(point: _Point, near: datetime) -> Iterator[Span]:
    if point.day is None:
        days = [near.date() + timedelta(days=count) for count in (-1, 0, 1)]
    elif point.day[1] == _FROM_TODAY:
        days = [near.date() + timedelta(days=point.day[0])]
    elif point.day[1] == _WEEKDAY:
        first = near.date() + timedelta(days=(point.day[0] - near.weekday()) % DAYS)
        days = [first, first + timedelta(days=DAYS)]
    else:
        number, month, year = point.day
        days = []
        for each in (year,) if year else range(near.year - _LEAP, near.year + _LEAP + 1):
            with suppress(ValueError):
                days.append(date(each, month, number))
    for day in days:
        start = datetime.combine(day, point.time or time(), near.tzinfo)
        ends = start if point.time else datetime.combine(day + timedelta(days=1), time(), near.tzinfo)
        yield start, ends


def _dated(when: datetime, point: _Point, language: str) -> str:
    day = format_date(when, "d MMM y", locale=language)
    return f"{day}, {_clock(point.time)}" if point.time else day


def _clock(at: time) -> str:
    return at.isoformat("auto" if at.second else "minutes")


@cache
def _names() -> Mapping[str, str]:
    return {name.casefold(): name for name in available_timezones() if name not in ("localtime", "Factory")}


def _canonical(name: str) -> str:
    now = get_global("zone_aliases").get(name, name)
    return now if now.casefold() in _names() else name


@cache
def _cities() -> Mapping[str, Sequence[str]]:
    found: dict[str, list[str]] = {word: [zone] for word, zone in _MSK.items()}
    spelt = [Locale.parse(language).time_zones for language in LANGUAGES]
    for name in all_zones():
        if name.partition("/")[0] not in _AREAS:
            continue
        cities = [name.rpartition("/")[2], *(each[name].get("city", "") for each in spelt if name in each)]
        for city in {_bare(part) for each in cities for part in (each, each.partition(",")[0])} - {""}:
            zones = found.setdefault(city, [])
            if _canonical(name) not in zones:
                zones.append(_canonical(name))
    return found


@cache
def _abbreviations() -> Mapping[str, Sequence[str]]:
    """The zones of each abbreviation by distance from UTC; of several the one with summer time and the most old names."""
    found: dict[str, dict[timedelta | None, list[tuple[bool, bool, int, str]]]] = {}
    aliases = list(get_global("zone_aliases").values())
    for name in all_zones():
        moments = [datetime(_LAW, month, 1, tzinfo=ZoneInfo(name)) for month in (1, 7)]
        steady = moments[0].utcoffset() == moments[1].utcoffset()
        for moment in moments:
            short = (moment.tzname() or "").casefold()
            other = "/" in name or short not in name.casefold()
            rank = (other, steady, -aliases.count(_canonical(name)), name)
            found.setdefault(short, {}).setdefault(moment.utcoffset(), []).append(rank)
    best = {short: [min(group)[-1] for group in groups.values()] for short, groups in found.items()}
    return {
        short: [name if name.casefold() == short else _canonical(name) for name in names]
        for short, names in best.items()
    }


@cache
def _months() -> Sequence[tuple[str, int]]:
    return [
        (word.casefold(), month)
        for language in LANGUAGES
        for context in ("format", "stand-alone")
        for month, word in get_month_names("wide", context, language).items()
    ]


@cache
def _weekdays() -> Sequence[tuple[int, tuple[str, str, int]]]:
    """The days of the week, 0 for Monday: in short, the part of the name that no case changes, and the longest form."""
    return [
        (number, (short.casefold().rstrip("."), stem, len(stem) + 4))
        for language in LANGUAGES
        for number, name in get_day_names("wide", "stand-alone", language).items()
        for short in (get_day_names("abbreviated", "stand-alone", language)[number],)
        for stem in (re.sub(r"['’ʼ]", "", name.casefold())[:-2],)
    ]


@cache
def _parts() -> Mapping[str, tuple[float, bool]]:
    """The words for parts of the day: the hour in the middle of each, and whether the word says it alone."""
    found: dict[str, tuple[float, bool]] = {word: (hour, True) for word, hour in _INFLECTED.items()}
    for language in LANGUAGES:
        locale = Locale.parse(language)
        rules = locale.day_period_rules[None]
        for names in (names for context in locale.day_periods.values() for names in context.values()):
            for key, name in names.items():
                word = name.casefold().replace(".", "")
                if key in ("am", "pm"):
                    found[word] = (5.5 if key == "am" else 17.5), False
                elif "at" in rules[key][0]:
                    found.setdefault(word, (rules[key][0]["at"] / 3600, True))
                else:
                    start, end = (rules[key][0][edge] / 3600 for edge in ("from", "before"))
                    found[word] = ((start + end + (24 if end < start else 0)) / 2 % 24, False)
    return found
