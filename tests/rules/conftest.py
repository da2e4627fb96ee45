"""The checks are modules of their own: pytest is told to explain their asserts too."""

from __future__ import annotations

import pytest

pytest.register_assert_rewrite(*(f"tests.rules.{name}" for name in ("catalogues", "conformance", "lines")))
