# A button means what it said: an old one resigns nothing, and a question between the players makes no move stale.
ann: /new klopodavka players:3 board:6x6
bob: /join
cem: /join
cem: /leave
ann: /start
ann: [1]
bob: [2<1]
bob: [3<1]
bob: /leave
bob: [1]
bob: [1<1]
ann: /challenge bob breakthrough 4x5
bob: /accept
ann: /move
ann: [1]
ann: /claim
bob: /draw
ann: /takeback
ann: /draw maybe
ann: /draw no
ann: [1<1]
bob: [1?]
