"""What people do, and what everybody sees of it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.bot.on_discord.playing import begun, latest, public
from tests.platforms.discord.harness import DiscordHarness
from tests.platforms.discord.world import Message


async def test_a_challenge_is_a_card_with_buttons_for_whom_it_is_for(home: DiscordHarness) -> None:
    ann, bob = home.person("ann"), home.person("bob")
    done = await ann.types("challenge", person=bob.user, game="lgame")
    assert done.ack == 5
    assert done.ephemeral
    assert not ann.private()  # everybody sees it: there is nothing to tell her alone
    card = ann.sees()[-1]
    assert card.only is None
    assert "Bob" in card.content
    await bob.presses(card, "Accept")
    assert not card.components
    (turn,) = ann.pinged()
    assert bob.pinged() == [card]  # once, when he was invited
    assert turn.attachments[0]["description"]
    assert turn.files["board.png"]


async def test_an_illegal_move_is_explained_to_its_player(home: DiscordHarness) -> None:
    ann, bob = await begun(home)
    public = len([each for each in ann.sees() if each.only is None])
    await ann.types("move", move="a2-a5")
    (said,) = ann.private()
    assert said.content
    assert len([each for each in bob.sees() if each.only is None]) == public


async def test_a_move_is_picked_on_a_board_of_keys_and_played_by_a_press_of_its_own(
    home: DiscordHarness,
) -> None:
    ann, bob = await begun(home, "lgame", "")
    board = latest(ann)
    seen = len(public(ann))
    await ann.presses(board, "Move")
    picking = ann.private()[-1]
    assert [len(row["components"]) for row in picking.components[:4]] == [4, 4, 4, 4]
    assert not bob.private()
    while True:
        plays = [each for each in picking.pressed() if each.get("style") == 3]
        if plays:
            break
        await ann.presses(picking, _way_on(picking))
        assert ann.private() == [picking]  # it is changed in place
    assert picking.files["board.png"]  # a preview
    assert len(public(ann)) == seen  # the others have seen nothing of it
    await ann.presses(picking, plays[0]["custom_id"])
    assert not ann.private()
    assert len(public(ann)) == seen + 1
    assert latest(ann).pings == (bob.user.id,)


def _way_on(picking: Message) -> str:
    """The first key that leads on, not back."""
    for each in picking.pressed():
        if each["type"] == 2 and not each.get("disabled") and each["style"] == 2:
            return str(each["custom_id"])
    raise AssertionError(picking)


async def test_a_move_is_typed_into_a_modal_while_it_is_being_picked(home: DiscordHarness) -> None:
    ann, _ = await begun(home)
    await ann.presses(latest(ann), "Move")
    opened = await ann.presses(ann.private()[-1], "Type it…")
    assert opened.ack == 9
    await ann.fills_in(opened, "a2-a3")
    assert "a2-a3" in latest(ann).content.replace("\\", "")
    assert not ann.private()


async def test_moves_are_offered_while_one_types_and_narrow_down(home: DiscordHarness) -> None:
    ann, bob = await begun(home)
    offered = await ann.completes("move", "move", "")
    assert 1 < len(offered) <= 25
    narrowed = await ann.completes("move", "move", "b2")
    assert narrowed
    assert len(narrowed) < len(offered)
    assert all(each["value"].startswith("b2") for each in narrowed)
    assert await bob.completes("move", "move", "b4") == []  # it is not his turn
    await ann.types("move", move=narrowed[0]["value"])
    assert latest(ann).pings == (bob.user.id,)


async def test_a_file_can_be_attached_or_pasted(home: DiscordHarness) -> None:
    ann, _ = await begun(home)
    await ann.types("export")
    (text,) = [content for name, content in ann.private()[-1].files.items() if name.endswith(".txt")]
    matches = len(home.matches)
    await ann.at(home.hall).types("import", file=("match.txt", text))
    assert len(home.matches) == matches + 1
    opened = await ann.at(home.hall).types("import")
    assert opened.ack == 9
    await ann.at(home.hall).fills_in(opened, text.decode())
    assert len(home.matches) == matches + 2
    await ann.types("import", file=("match.txt", b"x" * 2_000_000))
    assert "bytes" in ann.private()[-1].content
    assert len(home.matches) == matches + 2


async def test_a_person_is_challenged_from_their_menu(home: DiscordHarness) -> None:
    ann, bob = home.person("ann"), home.person("bob", "uk")
    await ann.picks_person("Challenge to a game", bob.user)
    assert ann.private()[-1].content or "Bob" in latest(ann).content
    await bob.picks_person("Викликати на гру", ann.user)
    assert bob.sees()


async def test_people_named_in_the_text_of_an_option_are_found(home: DiscordHarness) -> None:
    ann, bob, cem = home.person("ann"), home.person("bob"), home.person("cem")
    await ann.types("challenge", person=bob.user, game="klopodavka", options=f"<@{cem.user.id}> players:3")
    assert "Cem" in latest(ann).content


@pytest.mark.parametrize(("locale", "word"), [("uk", "викликає"), ("ru", "вызывает"), ("de", "challenges")])
async def test_everybody_is_answered_in_their_language(home: DiscordHarness, locale: str, word: str) -> None:
    ann = home.person("ann", locale)
    await ann.types("move", move="a2")
    private = ann.private()[-1].content
    bob = home.person("bob")
    await bob.types("move", move="a2")
    assert (private == bob.private()[-1].content) == (locale == "de")
    home.guild.admins.add(ann.user.id)
    await ann.types("language", language={"de": "en"}.get(locale, locale), here=True)
    await ann.types("challenge", game="lgame")
    assert word in latest(ann).content


@pytest.mark.parametrize(
    ("server", "features", "locale", "word"),
    [
        ("uk", [], "en-US", "викликає"),
        ("en-US", [], "ru", "вызывает"),  # which no one has chosen: a server that is no community has it
        ("en-US", ["COMMUNITY"], "ru", "challenges"),
        ("de", ["COMMUNITY"], "uk", "викликає"),
    ],
)
async def test_an_unset_channel_speaks_the_language_of_its_server_or_of_its_first_user(
    home: DiscordHarness, server: str, features: list[str], locale: str, word: str
) -> None:
    home.guild.locale, home.guild.features = server, features
    await home.discord.gateway.tell("GUILD_UPDATE", home.guild.payload(home.discord.bot), home.guild)
    ann, bob = home.person("ann", locale), home.person("bob", "en-US")
    await ann.types("challenge", game="lgame", person=bob.user)
    assert word in latest(ann).content
    home.guild.locale = "ru"
    await bob.types("challenge", game="lgame", person=ann.user)
    assert word in latest(ann).content  # it stays


async def test_names_cannot_call_or_format_anything(home: DiscordHarness) -> None:
    ann, bob = home.person("ann"), home.person("bob")
    bob.user.shown = f"@everyone **<@{ann.user.id}>** \u202eevil `x` https://x.example"
    await ann.types("challenge", person=bob.user, game="lgame")
    card = latest(ann)
    await bob.presses(card, "Accept")
    for shown in public(ann):
        bare = shown.content.replace(f"<@{ann.user.id}> Turn", "Turn")
        assert f"\\<\\@{ann.user.id}" in bare
        assert "\\@everyone" in bare
        assert "\u202e" not in bare
        assert "https://" not in bare
        invited = bob.user.id if shown is card else ann.user.id
        assert shown.pings in ((), (invited,))


async def test_a_bug_is_told_only_to_the_person_who_met_it(
    home: DiscordHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, _ = await begun(home)

    async def broken(*_: object) -> Sequence[object]:
        raise ZeroDivisionError

    monkeypatch.setattr(home.services.desk, "run", broken)
    seen = len(public(ann))
    await ann.types("games")
    assert "/board" in ann.private()[-1].content
    assert len(public(ann)) == seen


async def test_the_time_that_is_left_counts_by_itself_in_the_readers_own_words(home: DiscordHarness) -> None:
    ann, _bob = await begun(home, "lgame", "", clock="3d")
    until = int(home.now.timestamp()) + 3 * 24 * 3600
    assert f"Turn: Ann · ⏳ <t:{until}:R>" in latest(ann).content
    assert "3 days" not in latest(ann).content


async def test_a_match_that_is_over_is_shown_as_an_animation(home: DiscordHarness) -> None:
    ann, bob = await begun(home)
    await ann.types("move", move="a2-a3")
    await bob.presses(latest(bob), "More…")
    await bob.presses(bob.private()[-1], "Resign")
    question = bob.private()[-1]
    assert all(match.live for match in home.matches.values())  # before it is answered
    await bob.presses(question, 0)
    assert question.id not in home.games.messages
    await ann.presses(latest(ann), "Replay")
    (film,) = [name for name in ann.private()[-1].files if name.endswith(".gif")]
    assert ann.private()[-1].files[film].startswith(b"GIF8")
    assert ann.private()[-1].attachments[0]["description"]
