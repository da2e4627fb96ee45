# One of several declines: the seat is free, everyone is told once, and the match is played without them.
ann: /challenge bob cem dan klopodavka players:4 board:8x8
cem: [2]
bob: [1]
dan: /decline
eve: [1]
ann: /start
ann: /challenge bob cem klopodavka players:3 board:8x8
bob: /decline
cem: /decline
