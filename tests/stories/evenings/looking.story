# Boards in words and from the other side, a match as an animation, colours.
ann: /replay
ann: /challenge bob klopodavka board:4x4
bob: /accept
ann: /board words
ann: /replay
ann: /move b2 b3 c3
bob: /board words
bob: /board flip
bob: /board words:yes flip:no
bob: /board words flip words:no flip:no
bob: /board upside-down
bob: /settings flip:on theme:dark
bob: /board
bob: /board flip
bob: /settings theme:pink
bob: /settings here theme:wood
bob: /settings here flip:on
bob: /settings here
bob: /move d3 d2 xc3
ann: /resign
ann: [1]
ann: /board words
ann: /replay
ann: /replay here
ann: /replay backwards
