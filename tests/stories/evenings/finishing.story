# A turn that is decided: the board says so, and one key or one word plays the rest as ordinary actions.
ann: /new klopodavka board:3x4 players:2
bob: /join
ann: /start
ann: /move a2 b3 c3
bob: /move b3 a2 a1
bob: [1]
ann: /move finish
ann: /move c4
bob: [1]
ann: /board
ann: /undo
ann: /move c4
ann: /move закончить
