"""The page's settings, and what it gives to the process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pydantic import Field

from bot.config import LISTEN, Config, ListenAddress, Role
from bot.platforms.integration import Integration

if TYPE_CHECKING:
    from bot.platforms.platform import PlatformServices, WebServer
    from play.people import Address


class PageSettings(Config):
    """The settings of the page; its address is all platforms'."""

    page_listen: str = Field("127.0.0.1:8082", pattern=rf"{LISTEN}|^off$")

    @property
    def page_address(self) -> ListenAddress | None:
        """Where the page's server listens; None where another process serves the page."""
        return None if self.page_listen == "off" else self.address("page_listen")

    def needs(self, role: Role) -> Mapping[str, object]:
        own = {"KLOP_PAGE_LISTEN": self.page_address} if role == "page" else {}
        return {**super().needs(role), **own}


class BoardPage(Integration):
    """See `Integration`."""

    settings = PageSettings

    def server(self, services: PlatformServices, room: Address | None) -> WebServer | None:
        address, config = services.config.of(PageSettings).page_address, services.config
        if not config.does("page") or config.page_url is None or address is None:
            return None
        from bot.platforms.page.server import PageServer  # noqa: PLC0415

        return PageServer(services, address, url=config.page_url, room=room)
