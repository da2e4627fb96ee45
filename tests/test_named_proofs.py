"""The documents on security and reliability name tests that exist."""

from __future__ import annotations

import re

import pytest

from bot.version import ROOT


@pytest.mark.parametrize("document", ["security", "reliability"])
def test_every_test_that_is_named_exists(document: str) -> None:
    text = (ROOT / "docs" / f"{document}.md").read_text()
    named = re.findall(r"`((?:tests/[\w./]+)?(?:::\w+)?)`", text)
    path, missing = "", []
    for each in filter(None, named):
        given, _, test = each.partition("::")
        path = given or path  # a test alone is in the file named before it
        found = ROOT / path
        if not found.exists() or (test and f"def {test}(" not in found.read_text()):
            missing.append(each)
    proofs = {path.stem: path.read_text() for path in (ROOT / "tests" / "reliability").glob("test_*.py")}
    missing += [
        each
        for each in re.findall(r"`(test_\w+)`", text)
        if each not in proofs and not any(f"def {each}(" in source for source in proofs.values())
    ]
    assert named
    assert not missing
