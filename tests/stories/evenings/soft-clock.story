# A soft clock: time that is up costs nothing until somebody claims it.
ann: /challenge bob breakthrough 4x5 clock:"2d soft"
bob: /accept
-- 50 hours
ann: /board
ann: /claim
cem: /claim
ann: /move a2-a3
-- 49 hours
bob: /games
ann: [1]
