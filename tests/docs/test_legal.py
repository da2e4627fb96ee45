"""The pages on privacy and terms say what the bot says."""

from __future__ import annotations

from tests.docs.legal import pages


def test_the_pages_say_what_the_bot_says() -> None:
    for path, text in pages():
        assert path.read_text("utf-8") == text, f"{path.name}: python -m tests.docs.legal"
