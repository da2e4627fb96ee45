"""What people do, and what everybody sees of it."""

from __future__ import annotations

from tests.platforms.discord.indoors import Indoors


async def test_a_challenge_is_a_card_with_buttons_for_whom_it_is_for(home: Indoors) -> None:
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
    assert not bob.pinged()
    assert turn.attachments[0]["description"]
    assert turn.files["board.png"]


async def test_one_new_message_a_turn_and_the_old_one_folded(home: Indoors) -> None:
    ann, bob = home.person("ann"), home.person("bob")
    await ann.types("challenge", person=bob.user, game="breakthrough", options="board:5x5")
    await bob.presses(ann.sees()[-1], "Accept")
    first = ann.sees()[-1]
    before = len(ann.sees())
    await ann.types("move", move="a2-a3")
    assert len(ann.sees()) == before + 1
    second = ann.sees()[-1]
    assert second.pings == (bob.user.id,)
    assert not first.components
    assert first.attachments
    assert second.components


async def test_an_illegal_move_is_explained_to_whoever_tried(home: Indoors) -> None:
    ann, bob = home.person("ann"), home.person("bob")
    await ann.types("challenge", person=bob.user, game="breakthrough", options="board:5x5")
    await bob.presses(ann.sees()[-1], "Accept")
    public = len([each for each in ann.sees() if each.only is None])
    await ann.types("move", move="a2-a5")
    (said,) = ann.private()
    assert said.content
    assert len([each for each in bob.sees() if each.only is None]) == public
