# Four players on one table; one of them leaves in the middle, and the others play on.
ann: /new klopodavka players:4 board:6x6
bob: /join
cem: /join
dan: /join
eve: /join
bob: /start
ann: /move a2 a3 b3
bob: /move a5 b4 xa3
cem: /move e5 e6 d4
dan: /move e2 d3 xd4
ann: /move xb4 xa5 xa6
cem: /move d5 e4
dan: /leave
dan: [1]
dan: /move f2
cem: /move c4
ann: /move xc4 xd5 xe6
cem: /move xd3 xe2 xf1
cem: [1]
ann: /move xe5 xf6 xe4
dan: /board
