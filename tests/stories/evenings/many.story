# Many matches in one room: a move finds its match where it can; where it cannot, the bot asks; codes name one, in full or in part.
ann: /challenge bob lgame
bob: /accept
ann: /challenge bob breakthrough
bob: /accept #b3xn8c
ann: /challenge cem breakthrough 6x6
cem: /accept
ann: /move L a1-a3-b3
ann: /move b2-b3
ann: [2]
ann: /move #b3 b2-b3
ann: /move c2-c3 #m5wtr2
ann: /draw
ann: [3]
cem: /draw yes
ann: /games
bob: /games
bob: /resign
bob: [1]
bob: /board #zz
bob: /resign #k7
bob: [1]
cem: d2-d3
cem: hello, what is b2?
