"""Messages between seats from Discord to Telegram and back: delivered, answered, reported, and lost."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from bot.chat.sending import Sender
from bot.chat.sending.ports import Courier
from tests.platforms.discord.harness import DiscordHarness, Settled, latest
from tests.platforms.discord.world import Message
from tests.platforms.telegram.harness import HALL, TelegramHarness, telegram_bot
from tests.platforms.telegram.server import Human, Json, Room, keys, words

SLY = "<b>x</b> @everyone [y](http://a.example) /resign"


@dataclass
class Both:
    """A match of Ann, on Discord, with Bohdan and Olha in a group on Telegram."""

    f: TelegramHarness
    home: DiscordHarness
    ann: Settled
    bohdan: Human
    olha: Human
    hall: Room
    code: str

    @property
    def letters(self) -> list[Message]:
        """What Ann has in her conversation with the bot."""
        return [*self.home.discord.conversation(self.ann.user.id).messages.values()]

    @property
    def in_dm(self) -> Settled:
        return self.ann.at(self.home.discord.conversation(self.ann.user.id))

    async def tells(self, text: str) -> Json:
        """Ann writes to Bohdan; return the last message in his private chat."""
        await self.ann.types("tell", to="bohdan", text=text)
        return self.f.api.last(self.bohdan)


@asynccontextmanager
async def both() -> AsyncIterator[Both]:
    async with telegram_bot() as f, DiscordHarness(store=f.store, clock=lambda: f.now) as home:
        couriers: list[Courier] = [f.telegram.courier, home.platform.courier]
        stored = (f.store.outgoing(), f.store.bucket(), f.services.composer)
        paced, also = f._paced, f.services.hooks()
        f.sender = home.sender = Sender(*stored, couriers, now=paced, paced=paced, sleep=f._sleep, also=also)
        bohdan, olha = f.api.human("Bohdan"), f.api.human("Olha")
        hall = f.api.group(HALL, "Hall", bohdan, olha)
        await f.say(bohdan, hall, "/new klopodavka players:3 board:8x8")
        (match,) = f.matches
        ann = home.person("ann")
        await f.say(olha, hall, "/join")
        await ann.types("join", match=match.id)
        await f.say(bohdan, hall, "/start")
        yield Both(f, home, ann, bohdan, olha, hall, match.id)


async def test_a_message_crosses_over_and_is_answered_by_a_reply() -> None:
    async with both() as here:
        await here.f.say(here.bohdan, None, "/help")
        letter = await here.tells(f"{SLY} #now")
        assert f"#{here.code}: Ann writes to you:" in words(letter)
        assert words(letter).replace("\u200c", "").endswith(f"{SLY} #now")
        assert not letter.get("entities")
        assert [key["text"] for key in keys(letter)] == ["Reply", "Report", "Block"]
        assert "Sent to Bohdan" in here.ann.private()[-1].content
        assert not [each for each in here.f.api.shown(here.hall) if "everyone" in words(each)]
        await here.f.say(here.bohdan, None, f"gladly, {SLY}", reply_to=letter)
        [answer] = here.letters
        assert "Bohdan writes to you:" in answer.content
        assert "@everyone" not in answer.content.replace("\\@", "")
        assert "https://" not in answer.content
        assert not answer.pings
        opened = await here.in_dm.presses(answer, "Reply")
        await here.in_dm.fills_in(opened, "good\nthen 2")
        assert words(here.f.api.last(here.bohdan)).endswith("good then 2")


async def test_a_seat_is_chosen_by_pressing_and_the_text_is_typed_where_a_field_opens() -> None:
    async with both() as here:
        await here.f.say(here.bohdan, None, "/help")
        await here.ann.presses(latest(here.ann), "More…")
        await here.ann.presses(here.ann.private()[-1], "Write to…")
        opened = await here.ann.presses(here.ann.private()[-1], "Bohdan")
        await here.ann.fills_in(opened, "by keys")
        assert words(here.f.api.last(here.bohdan)).endswith("by keys")
        for label in ("More…", "Write to…"):
            await here.f.press(here.bohdan, here.f.board(here.hall), label)
        await here.f.press(here.bohdan, here.f.api.last(here.bohdan), "Ann")
        asked = here.f.api.last(here.bohdan)
        assert asked["asks"]
        await here.f.say(here.bohdan, None, "by keys, too", reply_to=asked)
        assert here.letters[-1].content.endswith("by keys, too")
        await here.f.say(here.bohdan, here.hall, "/tell ann secret plan")
        assert f"/tell #{here.code}" in words(here.f.api.last(here.hall))
        assert "secret" not in here.letters[-1].content


async def test_a_player_met_on_another_platform_alone_is_blocked_under_their_message() -> None:
    async with both() as here:
        await here.f.say(here.bohdan, None, "/help")
        letter = await here.tells("bad")
        await here.f.say(here.bohdan, None, "worse", reply_to=letter)
        await here.in_dm.presses(here.letters[-1], "Block")
        assert "Blocked: Bohdan" in here.in_dm.private()[-1].content
        await here.f.say(here.bohdan, None, f"/tell #{here.code} ann and now?")
        assert "and now?" not in here.letters[-1].content
        await here.f.say(here.bohdan, None, f"/block #{here.code} ann")
        assert "Blocked: Ann" in words(here.f.api.last(here.bohdan))


async def test_a_report_shows_the_message_in_the_chat_of_its_reader() -> None:
    async with both() as here:
        await here.f.say(here.bohdan, None, "/help")
        letter = await here.tells(f"bad {SLY}")
        await here.f.press(here.bohdan, letter, "Report")
        await here.f.press(here.bohdan, here.f.api.last(here.bohdan), "Show it")
        shown = here.f.api.last(here.hall)
        assert "Bohdan reports a message" in words(shown)
        assert f"Ann writes to you: bad {SLY}" in words(shown).replace("\u200c", "")
        assert not shown.get("entities")
        await here.f.say(here.bohdan, None, f"worse {SLY}", reply_to=letter)
        await here.in_dm.presses(here.letters[-1], "Report")
        await here.in_dm.presses(here.in_dm.private()[-1], "Show it")
        shown_there = latest(here.ann).content
        assert "Ann reports a message" in shown_there
        assert "Bohdan writes to you: worse" in shown_there
        assert not latest(here.ann).pings


async def test_the_writer_is_told_once_the_bot_cannot_write_to_a_player() -> None:
    async with both() as here:
        here.f.api.started.discard(here.bohdan.id)
        await here.ann.types("tell", to="bohdan", text="are you there?")
        assert "Bohdan did not get your message" in here.letters[-1].content
        await here.ann.types("tell", to="bohdan", text="and now?")
        assert "No message can be delivered to Bohdan" in here.ann.private()[-1].content
        await here.f.say(here.bohdan, None, "/help")
        assert words(await here.tells("welcome")).endswith("welcome")
