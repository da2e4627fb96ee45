# Undo is free until the other has moved; after that a takeback needs consent.
ann: /challenge bob breakthrough 4x6
bob: /accept
ann: /undo
ann: /move a2-a3
bob: /undo
ann: /undo
ann: /move b2-b3
bob: /move b5-b4
ann: /undo
ann: /takeback
bob: [2]
ann: /takeback
ann: /move c2-c3
bob: /move c5-c4
ann: /takeback
ann: [1]
bob: /takeback yes
ann: /move d2-d3
bob: /move c5-c4
ann: /takeback
bob: /move d5-d4
bob: /takeback yes
# Back to any turn by its number, whoever began it.
ann: /takeback 12
ann: /takeback 3
ann: /takeback 2
bob: /takeback no
ann: /takeback 1
bob: /takeback 1
ann: /takeback yes
bob: /takeback 1
ann: /move a2-a3
