from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo, available_timezones

import pytest
from babel import Locale
from hypothesis import given
from hypothesis import strategies as st

from bot.chat.i18n import LANGUAGES, words
from bot.chat.i18n.times import read_hour, read_hours, read_span, read_zone
from bot.chat.presenting.moments import moment
from bot.features.people.declared import quiet_text
from play.settings import QuietHours
from play.time.week import zone_of

NOW = datetime(2026, 11, 27, 6, 30, tzinfo=UTC)
AREAS = (
    *("Africa/", "America/", "Antarctica/", "Arctic/", "Asia/"),
    *("Atlantic/", "Australia/", "Europe/", "Indian/", "Pacific/"),
)
ZONES = sorted(name for name in available_timezones() if name.startswith(AREAS))
SOME = ("UTC", "UTC+3", "UTC-5:30", "Europe/Kyiv", "America/New_York", "Asia/Kolkata", "EET")


def rules(name: str) -> list[timedelta | None]:
    """The distances of a zone from UTC in the months of the years after the present law."""
    return [datetime(2037, month, 15, tzinfo=ZoneInfo(name)).utcoffset() for month in range(1, 13)]


@pytest.mark.parametrize("area", AREAS)
def test_every_city_is_read_in_every_language(area: str) -> None:
    spelt = [Locale(language).time_zones for language in LANGUAGES]
    for name in (name for name in ZONES if name.startswith(area)):
        cities = [
            name.rpartition("/")[2],
            *(each[name]["city"] for each in spelt if "city" in each.get(name, {})),
        ]
        for city in cities:
            for typed in (city, city.replace("_", " ").lower(), city.replace("-", " ").upper()):
                assert rules(name) in map(rules, read_zone(typed)), (name, typed)
        assert list(read_zone(name.lower())) == [name]


@pytest.mark.parametrize(
    ("typed", "zones"),
    [
        *((city, "Europe/Kyiv") for city in ("Kyiv", "Київ", "Киев", "Kiev", "КИЇВ")),
        *((text, "UTC+3") for text in ("UTC+3", "utc +03:00", "+3", "GMT+0300")),
        *((text, "UTC-5:30") for text in ("GMT-05:30", "−0530")),
        *((text, "UTC") for text in ("UTC", "utc", "UTC+0")),
        *((text, "CET") for text in ("CET", "cet")),
        *(("CEST", "Europe/Brussels"), ("EET", "EET"), ("EEST", "Europe/Kyiv")),
        *((text, "America/New_York") for text in ("EST", "EDT", "New York", "Нью-Йорк")),
        *((text, "Europe/Moscow") for text in ("MSK", "мск")),
        *(("PDT", "America/Los_Angeles"), ("MST", "America/Denver"), ("BST", "Europe/London")),
        ("CST", "America/Chicago America/Havana Asia/Shanghai"),
        ("IST", "Asia/Kolkata Asia/Jerusalem Europe/Dublin"),
        *((text, "") for text in ("Atlantis", "UTC+15", "+3:75", "", "ы" * 1000, "1/2")),
    ],
)
def test_a_zone_is_read_by_city_distance_and_abbreviation(typed: str, zones: str) -> None:
    assert " ".join(read_zone(typed)) == zones


@pytest.mark.parametrize("summer", ["CEST", "EEST", "EDT", "CDT", "MDT", "PDT", "BST", "IDT", "AEDT", "NZDT"])
def test_an_abbreviation_stands_for_a_zone_with_summer_time(summer: str) -> None:
    for name in read_zone(summer):
        assert len(set(rules(name))) == 2


@pytest.mark.parametrize(
    ("at", "texts"),
    [
        (time(9), "9|09:00|9am|9 a.m.|9 ранку|9 утра|at 9 in the morning|о 9 ранку"),
        (time(9), "о 9-й|9-та|о 9 годині|9 годин|в 9 часов|9 ч.|9 год. ранку|9 o’clock"),
        (time(21), "21|21:00|9pm|9 PM|9 вечора|в 9 вечера|9 in the evening|о 9-й вечора|в 9 часов вечера"),
        (time(21, 30), "21:30|21.30|9:30 p.m.|9:30 вечора|9.30 вечера"),
        (time(0), "0|24|12am|12 ночі|12 ночи|midnight|в полночь|північ|опівночі|о півночі"),
        (time(12), "12|12pm|12 дня|noon|полдень|полудень|опівдні|о полудні"),
        (time(15), "15|3pm|3 дня"),
        (time(2), "2|2 ночі|2 ночи"),
        (time(23), "23|11 ночи|11 ночі|11 at night"),
        (None, "25|9:60|13am|9 годинник|9-го|soon||9 9|-1"),
    ],
)
def test_a_time_of_day_is_read_by_either_clock(at: time | None, texts: str) -> None:
    for text in texts.split("|"):
        assert list(read_hour(text).values()) == ([] if at is None else [at]), text


@pytest.mark.parametrize(
    ("typed", "hours"),
    [
        ("23-8", "23:00-08:00"),
        ("11pm – 8am", "23:00-08:00"),
        ("from 11 pm to 8 am", "23:00-08:00"),
        ("з 11 вечора до 8 ранку", "23:00-08:00"),
        ("с 11 вечера до 8 утра", "23:00-08:00"),
        *((text, "23:00-08:00") for text in ("з 23-ї до 8-ї", "23 год – 8 год", "с 23 до 8 часов")),
        ("с полуночи до полудня", "00:00-12:00"),
        ("22:30 — 7 Київ", "22:30-07:00 Europe/Kyiv"),
        ("9-11pm", "09:00-23:00|21:00-23:00"),
        ("11pm-7", "23:00-07:00|23:00-19:00"),
        ("23-8 PST", "23:00-08:00 America/Los_Angeles|23:00-08:00 Asia/Manila"),
        *((text, "") for text in ("25-99", "8-8", "23", "23-", "never", "9-10-11")),
    ],
)
def test_hours_are_read_with_every_half_of_the_day_they_may_mean(typed: str, hours: str) -> None:
    assert "|".join(read_hours(typed)) == hours


CHRISTMAS = "24 Dec 2026 - 2 Jan 2027"


@pytest.mark.parametrize(
    ("typed", "readings"),
    [
        *(
            (text, CHRISTMAS)
            for text in (
                *("24 Dec - 2 Jan", "24 грудня – 2 січня", "с 24 декабря по 2 января", "24.12-02.01"),
                *("з 24 грудня до 2 січня", "from December 24th to January 2nd", "2026-12-24 - 2027-01-02"),
                *("24 дек — 2 янв 2027", "24/12 - 2/1"),
            )
        ),
        *(
            (text, "2 Jan 2027")
            for text in ("2 Jan", "until 2 January", "до 2 січня", "по 2 января", "Jan 2")
        ),
        ("20 Nov - 2 Jan", "2 Jan 2027"),  # it has begun
        ("24-28 грудня", "24 Dec 2026 - 28 Dec 2026"),
        ("24 Dec 9am - 2 Jan 6pm", "24 Dec 2026, 09:00 - 2 Jan 2027, 18:00"),
        *(
            (text, "27 Nov 2026, 21:00")
            for text in ("9pm", "until 21:00", "до 9 вечора", "27.11 21:00", "до 21 години")
        ),
        ("5:00", "28 Nov 2026, 05:00"),  # 5:00 is over
        ("29 Feb", "29 Feb 2028"),
        ("24.12.-2.1.", CHRISTMAS),
        *(
            (text, f"30 Nov 2026 {length}")
            for text, length in (
                ("from monday 2 weeks", "2 weeks"),
                ("next Monday for 2 weeks", "2 weeks"),
                ("mon 14d", "14d"),
                ("з понеділка на 2 тижні", "2 тижні"),
                ("с понедельника 2 недели", "2 недели"),
                ("30 листопада 14 днів", "14 днів"),
            )
        ),
        *((text, "28 Nov 2026 5d") for text in ("tomorrow 5d", "завтра 5d", "on saturday 5d")),
        ("mon - fri", "30 Nov 2026 - 4 Dec 2026"),
        ("у п’ятницю", "27 Nov 2026"),
        ("sat 18:00 - 2 Jan 12:00", "28 Nov 2026, 18:00 - 2 Jan 2027, 12:00"),
        ("2 Jan 2027 - 24 Dec 2026", "2 Jan 2027 - 24 Dec 2026"),  # it ends before it begins
        ("18:00 24 Dec EST", "24 Dec 2026, 18:00 America/New_York"),
        *((text, "1 Feb 2027|2 Jan 2027") for text in ("1/2", "01/02", "до 1/2")),
        ("1/2 - 5/2", "1 Feb 2027 - 5 Feb 2027|2 Jan 2027 - 2 May 2027"),
        ("1/2 - 13/2", "1 Feb 2027 - 13 Feb 2027"),
        *((text, "") for text in ("31 Feb", "9", "10d", "24 Dec 2025", "2 Ma", "24 Dec - 18:00", "32.1", "")),
    ],
)
def test_spans_are_read_with_every_order_of_day_and_month(typed: str, readings: str) -> None:
    assert "|".join(read_span(typed, NOW, "UTC")) == readings


def test_days_count_whole_in_the_zone_and_summer_time() -> None:
    [(start, end)] = read_span("30 Oct - 31 Oct 2027", NOW, "Europe/Kyiv").values()
    assert (start, end) == (datetime(2027, 10, 29, 21, tzinfo=UTC), datetime(2027, 10, 31, 22, tzinfo=UTC))


@given(
    st.datetimes(datetime(2026, 11, 28, 12), datetime(2038, 1, 1)),  # noqa: DTZ001 - a zone is put to them
    st.sampled_from(LANGUAGES),
    st.sampled_from(SOME),
)
def test_a_moment_that_is_printed_is_read_back(when: datetime, language: str, zone: str) -> None:
    when = when.replace(second=0, microsecond=0, tzinfo=UTC)
    said = words(language)
    for text in (moment(when, said, zone), moment(when, said), said.minute(when), said.date(when)):
        readings = read_span(text, NOW, None, language)
        local = when.astimezone(zone_of(zone))
        twice = local.replace(fold=0).utcoffset() != local.replace(fold=1).utcoffset()
        assert [end for _, end in readings.values()] == [when] or twice
        for reading in readings:
            assert read_span(reading, NOW, None, language) == {reading: readings[reading]}


@given(st.times(), st.times(), st.sampled_from(LANGUAGES), st.sampled_from(SOME))
def test_hours_that_are_printed_are_read_back(start: time, end: time, language: str, zone: str) -> None:
    hours = QuietHours(start.replace(second=0, microsecond=0), end.replace(second=0, microsecond=0), zone)
    if hours.start == hours.end:
        return
    printed = quiet_text(hours, words(language)).partition(":")[2].rstrip(".")
    assert list(read_hours(printed).values()) == [(hours.start, hours.end, zone)]
    assert list(read_hour(f"{hours.start:%H:%M}").values()) == [hours.start]


@given(st.text("0123456789:.-/+ amp,стдозDecгруд", max_size=40))
def test_a_reading_says_one_thing(text: str) -> None:
    for zone in read_zone(text):
        assert list(read_zone(zone)) == [zone]
    for hours, value in read_hours(text).items():
        assert read_hours(hours) == {hours: value}
    for reading, (since, until) in read_span(
        text, NOW, "Europe/Kyiv"
    ).items():  # one that has begun says its end
        assert read_span(reading, NOW, "Europe/Kyiv") == {reading: (max(since, NOW), until)}
