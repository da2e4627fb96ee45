"""Users found by their names, and forgotten users."""

from __future__ import annotations

from telegram import User

from bot.on_telegram.known_users import KnownUsers, spelled
from play.people import Player
from storage.memory import MemoryStore
from tests.platforms.telegram.harness import HALL, TelegramHarness, keys

ANN = User(1, "Ann", is_bot=False, last_name="Lee", username="AnnLee")
OTHER = User(2, "Ann", is_bot=False, last_name="Bee")
BOB = User(3, "Bob", is_bot=False, username="ann")
BOT = User(9, "Klop", is_bot=True)


async def found(people: KnownUsers, typed: str, chat: int = -5) -> str | None:
    find = await people.finder(chat, f"/challenge {typed} lgame", {})
    player: Player | None = find(typed.removeprefix("@"))
    return player.account.uid if player else None


async def test_names() -> None:
    people = KnownUsers(MemoryStore().notes)
    await people.met(-5, [ANN, BOT])
    assert await found(people, "@annlee") == "1"
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


async def test_what_is_noted_outlives_the_bot() -> None:
    store = MemoryStore()
    await KnownUsers(store.notes).met(-5, [ANN])
    assert await found(KnownUsers(store.notes), "annlee") == "1"


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


async def test_the_whole_way(f: TelegramHarness) -> None:
    zoe = f.api.human("Zoroaster", user="zoro_x")
    hall = f.api.group(HALL, "Hall", zoe)
    await f.say(zoe, hall, "/games")
    await f.say(zoe, None, "/forgetme")
    question = f.api.last(zoe)
    sure = next(key["callback_data"] for key in keys(question) if "sure" in key["callback_data"])
    await f.tap(zoe, question, sure)
    held = "".join(f"{name} {text}" for name, (text, _) in f.store.notes._notes.items()).lower()
    assert "zoro" not in held


async def test_admins_say_what_goes_on_in_a_group(f: TelegramHarness) -> None:
    ann, bob, hall = f.three()
    hall.admins.add(ann.id)
    await f.say(bob, hall, "/config language:uk")
    assert not f.api.shown(hall)
    await f.say(ann, hall, "/config")
    card = f.api.last(hall)
    assert card["reply_to_message"]["from"]["id"] == ann.id
    change = keys(card)[0]["callback_data"]
    assert await f.tap(bob, card, change)  # not his to change
    before = dict(card)
    assert await f.tap(ann, card, change) is None
    assert f.api.messages[HALL][card["message_id"]] != before
