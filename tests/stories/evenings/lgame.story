# A whole L-game: a short move that fits several is chosen by its number, others are refused, one corner is fatal.
ann: /challenge bob lgame
bob: /accept
ann: L a1-a3-b3 n a4-b1
ann: [1]
bob: /move L c1-c3 n b2
bob: [2]
ann: /move L b1-b3
ann: /move n d4-a1
ann: /move L c4 a4 a3 b4 n b1 d4
ann: [1]
bob: /move
bob: [1]
bob: /move L c1-c3-b3 n b2-a2
ann: /move L a1-a3
bob: /board
