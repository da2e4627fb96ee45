"""Users found by their names, and forgotten users."""

from __future__ import annotations

from datetime import timedelta

import pytest
from telegram import User

from bot.platforms.telegram.known_users import KnownUsers, spelled
from bot.platforms.telegram.places import account, account_of_name
from play.match import Phase
from play.people import Player
from tests.platforms.telegram.harness import HALL, TelegramHarness, words
from tests.support.memory import MemoryStore

ANN = User(1, "Ann", is_bot=False, last_name="Lee", username="AnnLee")
OTHER = User(2, "Ann", is_bot=False, last_name="Bee")
BOB = User(3, "Bob", is_bot=False, username="ann")
BOT = User(9, "Klop", is_bot=True)


async def found(people: KnownUsers, typed: str, chat: int = -5) -> str | None:
    find = await people.finder(chat, f"/challenge {typed} lgame", {})
    player: Player | None = find(typed.removeprefix("@"))
    return player.account.uid if player else None


async def test_a_move_asks_the_store_for_no_name(monkeypatch: pytest.MonkeyPatch) -> None:
    store, looked_up = MemoryStore(), list[str]()
    people = KnownUsers(store.notes)
    await people.met(-5, [ANN])

    async def read(*names: str) -> list[None]:
        looked_up.extend(names)
        return [None for _ in names]

    monkeypatch.setattr(store.notes, "read", read)
    await people.finder(-5, "/move c7-b6 b2", {})
    assert await people.name("1") == "Ann Lee"
    assert not looked_up
    await people.finder(-5, "/challenge b2 @bob", {})
    await people.name("2")
    assert looked_up == ["telegram:in:-5:b2", "telegram:user:bob", "telegram:name:2"]


async def test_names() -> None:
    store = MemoryStore()
    people = KnownUsers(store.notes)
    await people.met(-5, [ANN, BOT])
    assert await found(KnownUsers(store.notes), "@annlee") == "1"  # the store knows them
    assert await found(people, "annlee") == "1"
    assert await found(people, "ANN") == "1"
    assert await found(people, "ann", chat=-6) is None  # she was never seen there
    assert await found(people, "@annlee", chat=-6) == "1"
    assert await found(people, "klop") is None
    await people.met(-5, [OTHER])
    assert await found(people, "ann") is None  # which?
    await people.met(-5, [BOB])
    assert await found(people, "ann") == "3"  # whose user name it is
    assert await found(people, "@ann") == "3"
    await people.met(-5, [OTHER, ANN])
    assert await found(people, "ann") == "3"
    assert await people.name("2") == "Ann Bee"


async def test_a_user_who_wants_to_be_forgotten_is() -> None:
    store = MemoryStore()
    people = KnownUsers(store.notes)
    for chat in (-5, -6, 1):
        await people.met(chat, [ANN, OTHER, BOB])
    renamed = User(1, "Anna", is_bot=False, username="anna_l")
    await people.met(-6, [renamed])
    await people.forget(renamed)
    held = "\n".join(f"{name} {text}" for name, (text, _) in store.notes._notes.items())
    for part in ("AnnLee", "annlee", "Ann Lee", "anna", "Anna"):
        assert part not in held, part
    assert "Ann Bee" in held
    assert await found(people, "@ann") == "3"


def test_people_chosen_from_a_list_become_words() -> None:
    text = "/challenge 𝕬nn <Lee> lgame"
    said, who = spelled(text, [(11, 10, ANN)])
    assert said.split() == ["/challenge", "@1", "lgame"]
    assert who == {"@1": ANN}
    assert spelled("/move a1", []) == ("/move a1", {})


@pytest.mark.parametrize("typed", [False, True])
async def test_the_whole_way(f: TelegramHarness, typed: bool) -> None:
    zoe = f.api.human("Zoroaster", user="zoro_x")
    hall = f.api.group(HALL, "Hall", zoe)
    await f.say(zoe, hall, "/games")
    await f.say(zoe, None, "/forgetme yes" if typed else "/forgetme")
    if not typed:
        await f.tap_on(zoe, f.api.last(zoe), "sure")
    held = "".join(f"{name} {text}" for name, (text, _) in f.store.notes._notes.items()).lower()
    assert "zoro" not in held


async def test_a_chair_kept_for_a_user_name_is_his_who_has_the_name_first(f: TelegramHarness) -> None:
    ann, cem = f.api.human("Ann"), f.api.human("Cem")
    hall = f.api.group(HALL, "Hall", ann, cem)
    await f.say(ann, hall, "/challenge @bob lgame")
    await f.say(ann, hall, "/challenge @bob @dan klopodavka players:3")
    # Once he has been there, it is his, under any later name.
    bob = f.api.human("Bob", started=False)
    await f.say(bob, hall, "/accept")
    bob.user, cem.user = "bobby", "bob"
    assert await f.press(cem, f.board(hall), "Accept")
    assert {match.phase for match in f.matches} == {Phase.OPEN}
    reserved = {match.game: [c.reserved.account for c in match.chairs if c.reserved] for match in f.matches}
    assert reserved == {
        "lgame": [account(bob.id)],
        "klopodavka": [account(bob.id), account_of_name("dan")],
    }
    # An invitation that has expired is no one's.
    dan = f.api.human("Dan", started=False)
    f.now += timedelta(days=30)
    await f.say(dan, hall, "/games")
    assert account(dan.id) not in {each for match in f.matches for each in match.people()}


async def test_in_private_the_name_is_called_by_a_link_to_pass_on(f: TelegramHarness) -> None:
    ann = f.api.human("Ann")
    await f.say(ann, None, "/challenge @bob lgame")
    (match,) = f.matches
    assert any("@bob" in words(m) and f"start=join-{match.id}" in words(m) for m in f.api.shown(ann))
    await f.say(ann, None, "/rating @bob")
    assert (
        words(f.api.last(ann))
        == "There is nobody called “@bob” here. Check the spelling; /games shows who plays here."
    )
    bob = f.api.human("Bob", started=False)
    await f.say(bob, None, f"/start join-{match.id}")
    assert f.matches[0].phase is Phase.PLAYING
