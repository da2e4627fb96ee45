"""A whole match as an animation: boards with captions, one after the other, in a GIF file.

Why GIF, when animated WebP is smaller: both platforms play it by themselves, in the message. Telegram's sendAnimation
takes GIF and H.264 only, and a WebP file that is sent there is a sticker or a document, which does not move. Discord
plays both. A board has few colours, all of them in one palette, so GIF loses nothing of it.
"""

from render.animation.animator import HOLD, LIMIT, MOST, Animation, animate
from render.animation.frames import Frame, spread

__all__ = ["HOLD", "LIMIT", "MOST", "Animation", "Frame", "animate", "spread"]
