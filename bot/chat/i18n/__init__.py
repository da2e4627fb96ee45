"""Languages: which there are, which one to speak, and speaking it. The only home of gettext and Babel."""

from bot.chat.i18n.catalogue import (
    FALLBACK,
    LANGUAGES,
    NAMES,
    Words,
    pick,
    read_language,
    words,
    words_of,
)
