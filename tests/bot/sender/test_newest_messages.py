"""Whether a board is still where its player looks."""

from __future__ import annotations

from bot.chat.sending.posted import NewestMessages


def test_a_board_is_buried_by_what_comes_below_it_until_it_is_pressed() -> None:
    newest = NewestMessages()
    assert newest.buried("hall", 5)  # nothing is known of the hall
    newest.came("hall", 5)
    assert not newest.buried("hall", 5)
    newest.came("yard", 6)
    newest.came("hall", 4)
    assert not newest.buried("hall", 5)
    newest.came("hall", 8)
    assert newest.buried("hall", 5)
    newest.pressed("hall", 5)
    assert not newest.buried("hall", 5)
    assert newest.buried("hall", 7)
    newest.came("hall", 9)
    assert newest.buried("hall", 5)
