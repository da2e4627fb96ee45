# A finished match looked at: where it turned, what was better and the idea of it, on a board; and why not another move.
ann: /challenge bob lgame
bob: /accept
ann: /move L b1-b3-a3 n a4-d3
bob: /move L c2-c4-d4 n d1-a1
ann: /move L b1-d1-d2 n d3-b3
bob: /move L c2-c4-b4 n b3-d3
ann: /move L b3-b1-c1 n a1-a3
ann: /analyse
bob: /resign
bob: [1]
ann: /analyse
ann: [1]
ann: [1]
ann: [5]
bob: /analyse 4
bob: /analyse 9
bob: /analyse 4 L a1-a3
bob: /analyse 4 L c4-a4
bob: [1]
ann: /analyse 3 L b1-d1-d2
ann: [1]
ann: [2]
ann: [1]
ann: [1]
