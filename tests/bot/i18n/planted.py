"""Small catalogues, for tests to plant faults in."""

from __future__ import annotations

FORMULA = {
    "en": "nplurals=2; plural=(n != 1);",
    "uk": "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<12 || n%100>14) ? 1 : 2);",
    "ru": "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<12 || n%100>14) ? 1 : 2);",
}


def header(language: str) -> str:
    """The header that a file of a language has."""
    return (
        'msgid ""\nmsgstr ""\n"Project-Id-Version: klop\\n"\n'
        f'"Language: {language}\\n"\n"MIME-Version: 1.0\\n"\n"Content-Type: text/plain; charset=UTF-8\\n"\n'
        f'"Content-Transfer-Encoding: 8bit\\n"\n"Plural-Forms: {FORMULA[language]}\\n"\n'
    )


def po(language: str, *entries: str) -> str:
    """A whole file."""
    return "\n".join([header(language), *(f"{entry}\n" for entry in entries)])


def singular(key: str, text: str) -> str:
    """An entry that counts nothing."""
    return f'msgid "{key}"\nmsgstr "{text}"'


def plural(key: str, *forms: str) -> str:
    """An entry with a text for each plural form."""
    said = "\n".join(f'msgstr[{i}] "{form}"' for i, form in enumerate(forms))
    return f'msgid "{key}"\nmsgid_plural "{key}"\n{said}'
