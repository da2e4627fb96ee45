"""Commands for operators: `klop verify`, `reindex`, `doctor`, `backup FILE`, `restore FILE`."""

from bot.admin.commands import ADMIN, administer

__all__ = ["ADMIN", "administer"]
