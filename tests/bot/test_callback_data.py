from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.chat.callback_data import MAX_BYTES, BadCallbackData, CallbackData, Verb

CODES = st.text(alphabet="abcdefghijklmnopqrstuvwxyz0123456789", min_size=6, max_size=6)
PRINTABLE = st.text(alphabet=[chr(code) for code in range(0x20, 0x7F)], max_size=46)
ACTIONS = st.builds(CallbackData, st.sampled_from(Verb), CODES, st.integers(0, 36**6 - 1), PRINTABLE)


@given(ACTIONS)
def test_a_button_says_what_was_packed_in_64_ascii_bytes(data: CallbackData) -> None:
    packed = data.pack()
    assert len(packed.encode("ascii")) <= MAX_BYTES
    assert CallbackData.unpack(packed) == data


@given(CODES, st.text(min_size=1, max_size=80))
def test_what_no_platform_carries_is_no_button(code: str, argument: str) -> None:
    data = CallbackData(Verb.MOVE, code, 1, argument)
    if data.fits:
        assert CallbackData.unpack(data.pack()) == data
    else:
        with pytest.raises(ValueError, match="no button"):
            data.pack()


@pytest.mark.parametrize(
    "data",
    [
        CallbackData(Verb.MOVE, "k7q2mz", 1, "x" * 60),
        CallbackData(Verb.MOVE, "k7q2mz", 1, "с3"),
        CallbackData(Verb.MOVE, "k7q2mz", 1, "a\n"),
        CallbackData(Verb.MOVE, "k7q2mz", 36**6),
        CallbackData(Verb.MOVE, "K7Q2MZ", 1),
        CallbackData(Verb.MOVE, "k7", 1),
    ],
)
def test_too_long_or_not_ascii_or_not_of_a_match_does_not_fit(data: CallbackData) -> None:
    assert not data.fits


@given(st.text(max_size=80))
def test_any_other_text_is_no_button_or_one_that_packs_the_same(text: str) -> None:
    try:
        data = CallbackData.unpack(text)
    except BadCallbackData:
        return
    assert data.pack() == text


@given(ACTIONS, st.integers(0, 63), st.characters(max_codepoint=0x2FF))
def test_a_forged_button_is_refused_or_packs_the_same(data: CallbackData, at: int, character: str) -> None:
    packed = data.pack()
    forged = packed[:at] + character + packed[at + 1 :]
    with suppress(BadCallbackData):
        assert CallbackData.unpack(forged).pack() == forged


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1mo:k7q2mz:1",
        "2mo:k7q2mz:1:",
        "1zz:k7q2mz:1:",
        "1mo:k7q2mz:01:",
        "1mo:k7q2mz::",
        "1mo:k7q2mz:1:\n",
        "1mo:k7q2mz:1:a\n",
        "1mo:k7q2mz:-1:",
        "1mo:к7q2mz:1:",
        "1mo:k7q2mz:1:" + "a" * 60,
    ],
)
def test_not_ours(text: str) -> None:
    with pytest.raises(BadCallbackData):
        CallbackData.unpack(text)


def test_verbs_are_two_letters_and_all_different() -> None:
    assert all(len(verb.value) == 2 and verb.value.isalpha() for verb in Verb)
    assert len({verb.value for verb in Verb}) == len(Verb)
