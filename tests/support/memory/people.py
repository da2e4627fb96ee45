"""Settings and ratings in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from play.people import Account, Address, private_place
from play.ratings.model import Rating, RatingChange
from play.settings import Settings


class MemorySettings:
    """A `SettingsStore` in memory."""

    def __init__(self) -> None:
        self._settings: dict[Account | Address, Settings] = {}

    async def get(self, whose: Account | Address) -> Settings:
        return self._settings.get(whose, Settings())

    async def get_many(self, *whose: Account | Address) -> Sequence[Settings]:
        return [await self.get(each) for each in whose]

    async def change(self, whose: Account | Address, change: Callable[[Settings], Settings]) -> Settings:
        self._settings[whose] = changed = change(self._settings.get(whose, Settings()))
        return changed

    def forget(self, account: Account) -> None:
        """Delete a person's settings, and those of the chat that is called as they are."""
        self._settings.pop(account, None)
        self._settings.pop(private_place(account), None)


class MemoryRatings:
    """A `RatingStore` in memory."""

    def __init__(self) -> None:
        self._ratings: dict[tuple[str, Account], Rating] = {}  # by game and person
        self._replaced: dict[tuple[str, Account], Rating | None] = {}  # by game and the account merged
        self._counted: dict[tuple[str, str], Sequence[RatingChange | None]] = {}  # by game and match

    async def get(self, game: str, *whose: Account) -> Sequence[Rating | None]:
        return [self._ratings.get((game, person)) for person in whose]

    async def counted(self, game: str, match_id: str) -> Sequence[RatingChange | None] | None:
        return self._counted.get((game, match_id))

    async def count(
        self,
        game: str,
        match_id: str,
        whose: Sequence[Account | None],
        change: Callable[[Sequence[Rating | None]], Sequence[RatingChange]],
    ) -> Sequence[RatingChange | None]:
        if (done := self._counted.get((game, match_id))) is not None:
            return done
        changed = change([self._ratings.get((game, person)) if person else None for person in whose])
        for person, one in zip(whose, changed, strict=True):
            if person is not None:
                self._ratings[game, person] = one.after
        kept = [one if person else None for person, one in zip(whose, changed, strict=True)]
        self._counted[game, match_id] = kept
        return kept

    async def merge(self, old: Account, new: Account) -> None:
        for (game, person), theirs in list(self._ratings.items()):
            own = self._ratings.get((game, new))
            if person == old and (own is None or theirs.played > own.played):
                self._ratings[game, new] = theirs
                self._replaced[game, old] = own

    async def part(self, old: Account, new: Account) -> None:
        for game, person in [key for key in self._replaced if key[1] == old]:
            own = self._replaced.pop((game, person))
            if self._ratings.get((game, new)) != self._ratings.get((game, old)):
                continue
            if own is None:
                self._ratings.pop((game, new), None)
            else:
                self._ratings[game, new] = own

    def forget(self, account: Account) -> None:
        """Delete a person's ratings."""
        self._ratings = {key: rating for key, rating in self._ratings.items() if key[1] != account}
        self._replaced = {key: rating for key, rating in self._replaced.items() if key[1] != account}
