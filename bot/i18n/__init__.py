"""Languages: which there are, which one to speak, and speaking it. The only home of gettext and Babel."""

from bot.i18n.languages import FALLBACK, LANGUAGES, NAMES, available, pick, read_language
from bot.i18n.words import Dated, MissingWords, Words, words

__all__ = [
    "FALLBACK",
    "LANGUAGES",
    "NAMES",
    "Dated",
    "MissingWords",
    "Words",
    "available",
    "pick",
    "read_language",
    "words",
]
