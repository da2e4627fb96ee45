# Puzzles of the solved L-game: a failed try is explained on a board and can be made again, and progress is counted.
ann: /puzzle #lnefbq
ann: /puzzle L c2-a2-a1 n d3-d1
ann: /puzzle L d2-b2-b1 n c3-a3
ann: /puzzle L b1-d1-d2 n c3-a3
ann: /puzzle L c2-a2-a3 n d3-d1
ann: /puzzle L b4-b2-c2 n c3-d1
ann: /puzzle L d2-b2-b3 n c3-b4
ann: /puzzle L b4-b2-c2 n c3-a3
ann: /puzzle L a2-c2-c3 n b1-b4
