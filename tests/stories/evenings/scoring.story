# Other ways to win the L-game: points are counted aloud, a block in mid-game is shown before the pieces go back; a mirror image ends the game.
ann: /challenge bob lgame scoring points:5
bob: /accept
ann: /move L a3-a1-b1 n d1-c1
ann: [1]
bob: /move L d3-b3-b4 n a4-b2
ann: /challenge bob lgame symmetry
bob: /accept
ann: /move L b1-b3-a3 n d1-d2
ann: [1]
bob: /move L c1-c3-d3 n d2-d4
ann: /challenge bob lgame scoring
bob: /accept
ann: /move L a3-a1-b1 n d1-c1
bob: /move L d3-b3-b4 n a4-b2
ann: /board words
bob: /replay
