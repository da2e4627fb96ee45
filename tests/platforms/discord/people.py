"""People who use Discord: what they type, press and choose reaches the bot as their clients would send it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Final

from tests.platforms.discord.server import Discord
from tests.platforms.discord.world import DM, GROUP, Channel, Interaction, Message, User, snowflake

_COMMAND: Final = 2
_PRESS: Final = 3
_COMPLETE: Final = 4
_MODAL: Final = 5


class CannotDo(AssertionError):
    """What a client would not let anybody do."""


class Person:
    """A person in a channel."""

    def __init__(self, discord: Discord, user: User, channel: Channel) -> None:
        self.discord = discord
        self.user = user
        self.channel = channel

    def at(self, channel: Channel) -> Person:
        """The same person somewhere else."""
        return Person(self.discord, self.user, channel)

    # --- what they do

    async def types(self, name: str, **options: Any) -> Interaction:
        """A slash command, by any of its names, with options by any of theirs; a person for an option is a `User`."""
        command = self._command(name, 1)
        resolved: dict[str, Any] = {}
        given = [self._option(command, key, value, resolved) for key, value in options.items()]
        for option in command.get("options") or ():
            if option.get("required") and option["name"] not in {each["name"] for each in given}:
                raise CannotDo(f"/{name} needs {option['name']}")
        data = {"id": str(snowflake()), "name": command["name"], "type": 1, "options": given}
        return await self._do(_COMMAND, data | {"resolved": resolved})

    async def completes(self, name: str, option: str, typed: str) -> list[dict[str, str]]:
        """What is offered while an option is typed."""
        command = self._command(name, 1)
        focused = self._named(command, option) | {}
        if not focused.get("autocomplete"):
            raise CannotDo(f"{option} of /{name} does not complete itself")
        given = [{"name": focused["name"], "type": 3, "value": typed, "focused": True}]
        data = {"id": str(snowflake()), "name": command["name"], "type": 1, "options": given}
        done = await self._do(_COMPLETE, data)
        assert done.choices is not None
        return done.choices

    async def picks_person(self, menu: str, other: User) -> Interaction:
        """An entry of the menu of a person."""
        command = self._command(menu, 2)
        data = {"id": str(snowflake()), "name": command["name"], "type": 2, "target_id": str(other.id)}
        return await self._do(_COMMAND, data | {"resolved": self._people([other])})

    async def presses(self, message: Message, button: str | int, *, forged: bool = False) -> Interaction:
        """A button, by its words, its number or its id; a forged one need not be there."""
        custom_id = button if forged else self._button(message, button)["custom_id"]
        return await self._do(_PRESS, {"component_type": 2, "custom_id": custom_id}, message)

    async def chooses(self, message: Message, words: str, select: int = 0) -> Interaction:
        """An entry of a select, by its words or its value."""
        self._sees(message)
        found = [each for each in message.pressed() if each["type"] == 3][select]
        for option in found["options"]:
            if words in (option["label"], option["value"]):
                data = {"component_type": 3, "custom_id": found["custom_id"], "values": [option["value"]]}
                return await self._do(_PRESS, data, message)
        raise CannotDo(f"{words!r} is not offered: {[each['label'] for each in found['options']]}")

    async def chooses_people(self, message: Message, *users: User) -> Interaction:
        """People in the select of people."""
        self._sees(message)
        found = next((each for each in message.pressed() if each["type"] == 5), None)
        if found is None:
            raise CannotDo("no people can be chosen there")
        if not (found.get("min_values") or 1) <= len(users) <= (found.get("max_values") or 1):
            raise CannotDo(f"{len(users)} people cannot be chosen there")
        data = {
            "component_type": 5,
            "custom_id": found["custom_id"],
            "values": [str(each.id) for each in users],
            "resolved": self._people(users),
        }
        return await self._do(_PRESS, data, message)

    async def fills_in(self, opened: Interaction, text: str) -> Interaction:
        """The one input of a modal that has opened."""
        assert opened.modal is not None, "no modal has opened"
        (part,) = opened.modal["components"]
        filled = {"type": 4, "custom_id": part["component"]["custom_id"], "value": text}
        data = {"custom_id": opened.modal["custom_id"], "components": [{"type": 18, "component": filled}]}
        return await self._do(_MODAL, data, opened.message)

    # --- what they see

    def sees(self) -> list[Message]:
        """The messages here that are for them, the latest last."""
        return [each for each in self.channel.messages.values() if each.only in (None, self.user)]

    def private(self) -> list[Message]:
        """The messages here that are for them alone."""
        return [each for each in self.sees() if each.only is self.user]

    def pinged(self) -> list[Message]:
        """The messages anywhere that called them."""
        return [each for each in self.discord.all_messages() if self.user.id in each.pings]

    # --- how it reaches the bot

    def _command(self, name: str, kind: int) -> dict[str, Any]:
        for command in self.discord.commands:
            names = [command["name"], *(command.get("name_localizations") or {}).values()]
            if command.get("type", 1) == kind and name in names:
                allowed = command.get("contexts")
                if allowed is not None and self._context not in allowed:
                    raise CannotDo(f"/{name} is not offered here")
                needed = int(command.get("default_member_permissions") or 0)
                guild = self.channel.guild
                if needed and guild is not None and guild.permissions(self.user) & needed != needed:
                    raise CannotDo(f"/{name} is not offered to {self.user.name}")
                return command
        raise CannotDo(f"there is no command {name!r}")

    def _named(self, command: dict[str, Any], name: str) -> dict[str, Any]:
        for option in command.get("options") or ():
            if name in (option["name"], *(option.get("name_localizations") or {}).values()):
                return dict(option)
        raise CannotDo(f"/{command['name']} has no option {name!r}")

    def _option(
        self, command: dict[str, Any], name: str, value: Any, resolved: dict[str, Any]
    ) -> dict[str, Any]:
        option = self._named(command, name)
        kind = option["type"]
        if kind == 6:
            for key, held in self._people([value]).items():
                resolved.setdefault(key, {}).update(held)
            value = str(value.id)
        elif kind == 11:
            filename, content = value
            attachment = str(snowflake())
            self.discord.cdn[f"{attachment}-{filename}"] = content
            url = f"{self.discord.origin}/attachments/{attachment}-{filename}"
            held = {
                "id": attachment,
                "filename": filename,
                "size": len(content),
                "url": url,
                "proxy_url": url,
            }
            resolved.setdefault("attachments", {})[attachment] = held | {"content_type": "text/plain"}
            value = attachment
        elif kind == 3:
            if not isinstance(value, str) or len(value) > option.get("max_length", 6000):
                raise CannotDo(f"{name}: {value!r}")
            choices = [each["value"] for each in option.get("choices") or ()]
            if choices and value not in choices:
                raise CannotDo(f"{name}: {value!r} is none of {choices}")
        return {"name": option["name"], "type": kind, "value": value}

    def _people(self, users: Sequence[User]) -> dict[str, Any]:
        held: dict[str, Any] = {"users": {str(each.id): each.payload() for each in users}}
        if self.channel.guild is not None:
            guild = self.channel.guild
            held["members"] = {
                str(each.id): guild.member(each, permissions=guild.permissions(each)) for each in users
            }
            for member in held["members"].values():
                del member["user"]
        return held

    def _sees(self, message: Message) -> None:
        if message.only not in (None, self.user):
            raise CannotDo("that message is for another person")

    def _button(self, message: Message, button: str | int) -> dict[str, Any]:
        self._sees(message)
        buttons = [each for each in message.pressed() if each["type"] == 2]
        if isinstance(button, int):
            found = buttons[button : button + 1]
        else:
            found = [each for each in buttons if button in (each.get("label"), each.get("custom_id"))]
        if not found:
            raise CannotDo(f"there is no button {button!r}: {[each.get('label') for each in buttons]}")
        if found[0].get("disabled"):
            raise CannotDo(f"the button {button!r} cannot be pressed")
        return found[0]

    @property
    def _context(self) -> int:
        """Where this is, as Discord numbers it: a server, a conversation with the bot, one among people."""
        return {DM: 1, GROUP: 2}.get(self.channel.kind, 0)

    async def _do(self, kind: int, data: dict[str, Any], message: Message | None = None) -> Interaction:
        """Send it, and wait for the first answer."""
        done = await self.sends(kind, data, message)
        await self.discord.until(lambda: done.acked is not None or done.failed, f"an answer to {data}")
        return done

    async def sends(
        self,
        kind: int,
        data: dict[str, Any],
        message: Message | None = None,
        *,
        again: Interaction | None = None,
    ) -> Interaction:
        """Send it without waiting; `again` sends the very same once more."""
        done = again or Interaction(kind, self.user, self.channel, message)
        guild = self.channel.guild
        payload: dict[str, Any] = {
            "id": str(done.id), "application_id": str(self.discord.bot.id), "type": kind, "token": done.token,
            "version": 1, "data": data, "channel_id": str(self.channel.id), "channel": self.channel.payload(),
            "locale": self.user.locale, "context": self._context, "attachment_size_limit": 10 * 1024 * 1024,
            "app_permissions": str(self.channel.bot_may), "entitlements": [],
        }  # fmt: skip
        installed = guild.installed if guild else self.channel.kind == DM
        owners = {"0": str(guild.id) if guild else "0"} if installed else {"1": str(self.user.id)}
        payload["authorizing_integration_owners"] = owners
        if guild is not None:
            member = guild.member(self.user, permissions=guild.permissions(self.user))
            payload |= {"guild_id": str(guild.id), "guild_locale": guild.locale, "member": member}
            payload["guild"] = {"id": str(guild.id), "locale": guild.locale, "features": guild.features}
        else:
            payload["user"] = self.user.payload()
        if message is not None:
            payload["message"] = message.payload()
        done.sent = asyncio.get_running_loop().time()
        done.acked, done.failed = None, False
        self.discord.interactions[done.token] = done
        if self.discord.posting.processes:
            self.discord.bring(done, payload)
            return done
        await self.discord.gateway.tell(
            "INTERACTION_CREATE", payload, guild if guild and guild.installed else None
        )
        return done
