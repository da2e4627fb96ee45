# What is not done: for others, out of turn, in a match that is over, on old buttons, in words that nobody knows.
ann: /nonsense
ann: /хід a2-a3
ann: /move a2-a3
ann: /start
ann: [1?]
ann: /challenge bob breakthrough 4x5
bob: /start
bob: /accept
ann: [1?]
cem: /move a2-a3
bob: /move a4-a3
ann: /move a2-a4
ann: /move a2-a9
ann: /move z9
ann: /move hello
ann: /move a4-a3
ann: /move a2xb3
ann: /move ２-３
ann: /move a2-a3 b2-b3
ann: /move
ann: [1]
bob: [1?]
ann: [1]
ann: [1?]
ann: [1<1]
ann: [7?]
ann: /resign please
ann: /join
cem: /join
cem: /accept
cem: /rematch
ann: /rematch
bob: /resign
bob: [1]
bob: /move a4-a3
bob: /resign
bob: /undo
cem: [1]
ann: [1]
bob: [1<1]
cem: [2?]
