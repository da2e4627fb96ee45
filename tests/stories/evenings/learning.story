# A game is learnt by making moves: pressed and typed, right and wrong, now and later.
languages: en uk ru
ann: /learn
ann: [3]
ann: /learn L a1-a3-a4
ann: /learn L a1-a3-b3
ann: [1]
ann: /learn L a2-a4-b4
ann: [2]
ann: /learn L c4-a4-a3
ann: [1]
ann: [1]
ann: [4]
-- 2 hours
ann: /learn
ann: /learn L b3-b1-c1
ann: [1]
ann: /learn L b3-b1-c1 n d1-d3
# A friend who has never played is challenged, and learns it first.
ann: /challenge bob klopodavka
bob: [4]
bob: /learn b2
bob: [1]
bob: /learn b2 c3
bob: /learn d1
bob: /learn b2 c2 d1
bob: /accept
