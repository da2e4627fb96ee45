# Challenges: accepted, declined, withdrawn, run out; open to anyone; not for others, not for oneself.
languages: en uk ru
ann: /challenge
ann: /challenge bob
ann: /challenge bob chess
ann: /challenge ann lgame
ann: /challenge bob lgame variant:blitz
ann: /challenge bob breakthrough 30x30
ann: /challenge bob breakthrough 4x5 side:green
ann: /challenge bob breakthrough 4x5 side:black
cem: /accept
cem: [1]
ann: /accept
bob: /decline
bob: /accept #k7q2mz
bob: /decline
ann: /challenge bob lgame variant:scoring points:7 side:random
cem: [3]
ann: [3]
bob: [1?]
ann: /challenge anyone lgame half-turn
ann: /withdraw now
bob: /games
cem: /accept
bob: /accept
ann: /challenge bob lgame
-- 25 hours
bob: /accept
bob: /games
cem: /games
