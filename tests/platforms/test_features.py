"""Features on both platforms: linked accounts, cards of seeks, and progress bars."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from bot.chat.sending.delivery import Delivery
from bot.chat.thinking import Thinker
from bot.features.analysis import commands
from bot.features.people.linking import post_questions
from bot.platforms.telegram.known_users import KnownUsers
from play.match import Phase
from play.people import Address
from storage.ports import BoardMessage
from tests.bot.features.analysis.test_progress import Slow
from tests.platforms.discord.harness import DiscordHarness, Settled, begun, latest
from tests.platforms.telegram.harness import HALL, TelegramHarness, telegram_bot
from tests.platforms.telegram.server import keys, words
from tests.support.memory.streams import MemoryOutgoing


async def posted(f: TelegramHarness, home: DiscordHarness) -> None:
    """Have the questions about links and their answers posted."""
    store = f.store
    delivery = Delivery(store.outgoing(), store.bucket(), f.services.composer, now=f._paced, sleep=f._sleep)
    couriers = {each.platform: each for each in (f.telegram.courier, home.platform.courier)}
    for _ in range(2):
        await post_questions(f.services, delivery, couriers)


def told(home: DiscordHarness, who: Settled) -> list[str]:
    """What the bot has written in a person's conversation with it."""
    return [each.content for each in home.discord.conversation(who.user.id).messages.values()]


@pytest.mark.parametrize("agreed", [True, False])
async def test_one_person_plays_on_both(agreed: bool) -> None:
    async with telegram_bot() as f, DiscordHarness(store=f.store) as home:
        bohdan, ann = f.api.human("Bohdan"), f.api.human("Ann")
        hall = f.api.group(HALL, "Hall", bohdan, ann)
        await f.say(bohdan, hall, "/challenge ann breakthrough 4x5")
        await f.press(ann, f.board(hall), "Accept")
        (match,) = f.matches
        await f.say(bohdan, None, "/link")
        found = re.search(r"/link (\w{8})", words(f.api.last(bohdan)))
        assert found
        bob = home.person("bob")
        await bob.types("games")
        assert match.id not in bob.private()[-1].content
        await bob.types("link", code=found[1])
        assert "Bohdan on Telegram" in bob.private()[-1].content
        await bob.presses(bob.private()[-1], "Yes, it is mine")
        await bob.types("games")
        assert match.id not in bob.private()[-1].content
        await posted(f, home)
        question = f.api.last(bohdan)
        assert "Bob on Discord" in words(question)
        assert await f.tap(ann, question, keys(question)[0]["callback_data"]) is not None
        if not agreed:
            await f.press(bohdan, question, "No")
            await posted(f, home)
            assert told(home, bob) == ["Bohdan on Telegram said no. Not linked: nothing passes over."]
            await bob.types("games")
            assert match.id not in bob.private()[-1].content
            return
        await f.press(bohdan, question, "Yes, it is mine")
        await posted(f, home)
        assert [each.partition(":")[0] for each in told(home, bob)] == [
            "From now on you are the same person here and there"
        ]
        await bob.types("games")
        assert match.id in bob.private()[-1].content
        await bob.types("move", move="a2-a3", match=match.id)
        (match,) = f.matches
        assert len(match.log) == 1
        assert match.log[0].seat == 0
        # What one account has chosen, the other has.
        await bob.types("settings", theme="dark")
        await f.say(bohdan, None, "/settings")
        assert "dark" in words(f.api.last(bohdan))
        await bob.types("unlink")
        await bob.types("games")
        assert match.id not in bob.private()[-1].content


# Several seeks of one person have one card in a place.


async def test_five_seeks_of_one_person_have_one_card() -> None:
    async with telegram_bot() as f:
        ann, bob, hall = f.three()
        for board in ("4x5", "5x5", "6x6", "7x7", "8x9"):
            await f.say(ann, hall, f"/seek breakthrough {board}")
        first, second, third, _, last = f.matches
        for who, line, shown in (
            (ann, f"/withdraw #{first.id}", 1),  # it has no card
            (bob, f"/join #{last.id}", 2),
            (bob, f"/join #{second.id}", 3),
        ):
            await f.say(who, hall, line)
            assert len(f.api.shown(hall)) == shown
        phases = {match.id: match.phase for match in f.matches}
        assert (phases[second.id], phases[third.id]) == (Phase.PLAYING, Phase.OPEN)


@pytest.mark.parametrize("last", range(2))
async def test_a_delivery_that_breaks_off_takes_the_same_message_again(
    last: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored: list[str] = []
    set_shown = MemoryOutgoing.set_shown

    async def broken(self: MemoryOutgoing, code: str, where: Address, shown: BoardMessage | None) -> None:
        stored.append(code)
        if len(stored) == last + 1:
            raise RuntimeError
        await set_shown(self, code, where, shown)

    async with telegram_bot() as f:
        ann = f.api.human("Ann")
        hall = f.api.group(HALL, "Hall", ann)
        await f.say(ann, hall, "/seek breakthrough 4x5")
        with monkeypatch.context() as patched:
            patched.setattr(MemoryOutgoing, "set_shown", broken)
            await f.say(ann, hall, "/seek breakthrough 5x5")
        (card,) = f.api.shown(hall)
        first, second = f.matches
        assert f"#{second.id}\n" in words(card)
        assert f"\nAlso open: #{first.id}." in words(card)
        assert len(stored) > last + 1, "it was tried again"


# The progress bar of an analysis on Discord and Telegram: one private message, edited, and the answer in its
# place.


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "EVERY", 0.01)


class Watched(Slow):
    """Goes on once a bar is seen, and remembers what was."""

    def watch(self, seen: Callable[[], str]) -> None:
        self.seen: list[str] = []

        def begun() -> bool:
            if (text := seen()) not in self.seen:
                self.seen.append(text)
            return any("▓" in each for each in self.seen)

        self.until = begun


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("pressed", [False, True])
async def test_on_discord_the_answer_takes_the_place_of_the_bar(pressed: bool) -> None:
    solver = Watched()
    async with DiscordHarness(thinker=Thinker(solver)) as home:
        ann, bob = await begun(home, options="board:4x5")
        await ann.types("move", move="a2-a3")
        await bob.types("move", move="b4xa3")
        await bob.types("resign")
        await bob.presses(bob.private()[-1], "Yes, resign")
        before = len(ann.private())
        solver.watch(lambda: ann.private()[-1].content if len(ann.private()) > before else "")
        if pressed:
            await ann.presses(latest(ann), "Analyse")
        else:
            await ann.types("analyse")
        (answer,) = ann.private()[before:]
        assert any(text.startswith("Analysing the match: ▓") for text in solver.seen)
        assert "How the match went" in answer.content
        assert "░" not in answer.content
        assert not [each for each in bob.private() if "Analysing" in each.content]


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("pressed", [False, True])
async def test_on_telegram_the_bar_is_in_the_private_chat_and_goes_with_the_answer(pressed: bool) -> None:
    solver = Watched()
    async with telegram_bot(thinker=Thinker(solver)) as f:
        ann, bob, hall = await f.begun("breakthrough 4x5")
        await f.say(ann, hall, "/move a2-a3")
        await f.say(bob, hall, "/move b4xa3")
        await f.say(bob, hall, "/resign")
        question = f.api.last(hall)
        await f.press(bob, question, lambda label: True)
        assert question not in f.api.shown(hall), "it is answered"
        assert await KnownUsers(f.store.notes).name(str(bob.id)) == "Bob", "only resigned"
        before = len(f.api.shown(ann))
        solver.watch(lambda: words(f.api.last(ann)) if len(f.api.shown(ann)) > before else "")
        if pressed:
            await f.press(ann, f.board(hall), "Study")
        else:
            await f.say(ann, hall, "/analyse")
        (answer,) = f.api.shown(ann)[before:]
        assert any(text.startswith("Analysing the match: ▓") for text in solver.seen)
        assert "How the match went" in words(answer)
        assert not [each for each in f.api.shown(hall) if "Analysing" in words(each)]
