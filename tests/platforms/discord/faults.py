"""What Discord says no with, and what goes wrong with it on purpose."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final


class Refusal(Exception):
    """What Discord says no with."""

    def __init__(self, status: int, code: int, message: str) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message


UNKNOWN_CHANNEL: Final = (404, 10003, "Unknown Channel")
UNKNOWN_MESSAGE: Final = (404, 10008, "Unknown Message")
UNKNOWN_WEBHOOK: Final = (404, 10015, "Unknown Webhook")
UNKNOWN_INTERACTION: Final = (404, 10062, "Unknown interaction")
MISSING_ACCESS: Final = (403, 50001, "Missing Access")
MISSING_PERMISSIONS: Final = (403, 50013, "Missing Permissions")
CANNOT_DM: Final = (403, 50007, "Cannot send messages to this user")
ARCHIVED: Final = (400, 50083, "Thread is archived")
LOCKED: Final = (400, 160005, "This thread is locked")


@dataclass(slots=True)
class Fault:
    """What goes wrong with requests of a kind.

    Attributes:
        method: Of the requests; `*` for any.
        path: A pattern of their path.
        status: What is answered; None to hang up without a word.
        code: Discord's own number of the error.
        times: How often.
        after: Whether the request is done first, and only the answer is lost.
        headers: Of the answer.
        body: Of the answer; made from status and code if None.
    """

    method: str
    path: str
    status: int | None
    code: int = 0
    times: int = 1
    after: bool = False
    headers: dict[str, str] = field(default_factory=dict)
    body: Any = None


def too_fast(
    path: str, seconds: float, *, everywhere: bool = False, times: int = 1, method: str = "*"
) -> Fault:
    """A 429 as Discord sends it."""
    headers = {"Retry-After": str(seconds), "Via": "1.1 google", "X-RateLimit-Reset-After": str(seconds)}
    headers["X-RateLimit-Scope"] = "global" if everywhere else "user"
    if everywhere:
        headers["X-RateLimit-Global"] = "true"
    body = {"message": "You are being rate limited.", "retry_after": seconds, "global": everywhere}
    return Fault(method, path, 429, times=times, headers=headers, body=body)
