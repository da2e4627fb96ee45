# Two players, a small board: part of a turn, free undo inside a turn and after it, a whole turn in one line, the end.
ann: /new klopodavka board:5x5 players:2
bob: /join
ann: /start
ann: /move b1
ann: /move e4
ann: /undo
ann: /undo
ann: /move b1, c2 c3
bob: /move d4 xc3 xc2 xb1
bob: /move d4 c3 c2
ann: /undo
ann: /move c1 a2 b3
bob: /move xb1 xb3 c3
bob: /move xb1 xb3 xc1
ann: /move b2 a3 a4
ann: /move b2 a3 a4
bob: /move xa1
bob: /move xa3 xa4
ann: /move c5
