"""Languages: which there are, which one to speak, and speaking it. The only home of gettext and Babel."""

from bot.chat.i18n.languages import FALLBACK, LANGUAGES, NAMES, available, pick, read_language
from bot.chat.i18n.times import Hours, Span, all_zones, is_time, read_hour, read_hours, read_span, read_zone
from bot.chat.i18n.words import Dated, MissingWords, Words, words

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
]
