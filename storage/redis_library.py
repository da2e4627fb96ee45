"""Load redis-py without OpenTelemetry.

redis-py loads that wherever it is installed, 35 ms and 3 MB, and uses it only for metrics of its own, which Klop never asks for.
"""

import sys

_HIDDEN = "opentelemetry"

if _HIDDEN in sys.modules:
    import redis
else:
    sys.modules[_HIDDEN] = None  # type: ignore[assignment]  # so that importing it fails
    try:
        import redis  # noqa: F401
    finally:
        del sys.modules[_HIDDEN]
