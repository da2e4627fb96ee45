from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from play.facts import KINDS, Fact, Moved
from play.match import Match
from rules.core import Seat
from storage.errors import Damage, Damaged
from storage.records.codec import decode_fact, encode_fact
from tests.support.matches import running

MATCH = running()

# How hypothesis makes what facts are made of.
st.register_type_strategy(str, st.text(st.characters(exclude_categories=["Cs"]), max_size=10))
st.register_type_strategy(datetime, st.datetimes(timezones=st.just(UTC)))
st.register_type_strategy(Match, st.just(MATCH))
st.register_type_strategy(int, st.integers(-(2**31), 2**31))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_fact_comes_back(kind: type[Any]) -> None:
    @settings(max_examples=20)
    @given(st.from_type(kind))
    def comes_back(fact: Fact) -> None:
        again = decode_fact(encode_fact(fact), MATCH)
        assert again == fact
        assert type(again) is kind

    comes_back()


def test_the_match_is_not_kept_with_it() -> None:
    moved = Moved(MATCH, Seat.S1, MATCH.log[:1], True, ())  # type: ignore[arg-type]
    assert MATCH.host.name.encode() not in encode_fact(moved)
    assert len(encode_fact(moved)) < 120


@pytest.mark.parametrize(
    "stored", [b"", b"\xc1", b"\x80", b"\x81\xa4fact\xa5Danse", b"\x81\xa4fact\xa5Moved"]
)
def test_what_is_no_fact(stored: bytes) -> None:
    with pytest.raises(Damaged) as error:
        decode_fact(stored, MATCH)
    assert error.value.reason is Damage.CONTENT


def test_a_fact_with_fewer_fields_is_read() -> None:
    said = (
        b"\x85\xa4fact\xa5Moved\xa4seat\x01\xa5plies\x90\xa9handed_on\xc3\xa4fell\x90"  # it knew no answers
    )
    assert decode_fact(said, MATCH) == Moved(MATCH, Seat.S2, (), True, ())
