"""Languages: which there are, which one to speak, and speaking it. The only home of gettext and Babel."""

from bot.chat.i18n.catalogue import (
    FALLBACK,
    LANGUAGES,
    NAMES,
    Dated,
    MissingWords,
    Words,
    available,
    pick,
    read_language,
    words,
    words_of,
)
from bot.chat.i18n.times import Hours, Span, all_zones, is_time, read_hour, read_hours, read_span, read_zone

__all__ = [
    "FALLBACK",
    "LANGUAGES",
    "NAMES",
    "Dated",
    "Hours",
    "MissingWords",
    "Span",
    "Words",
    "all_zones",
    "available",
    "is_time",
    "pick",
    "read_hour",
    "read_hours",
    "read_language",
    "read_span",
    "read_zone",
    "words",
    "words_of",
]
