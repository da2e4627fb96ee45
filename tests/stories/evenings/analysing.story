# A finished match looked at: where it turned, what was better and the idea of it, on a board.
languages: en uk ru
ann: /challenge bob lgame
bob: /accept
ann: /move L b1-b3-a3 n a4-d3
bob: /move L c2-c4-d4 n d1-a1
ann: /move L b1-d1-d2 n d3-b3
bob: /move L c2-c4-b4 n b3-d3
ann: /move L b3-b1-c1 n a1-a3
bob: /resign yes
ann: /analyse
ann: [1]
ann: [1]
ann: [1]
ann: [4]
ann: [2]
