# A soft clock: time that is up costs nothing until somebody claims it. And vacation, asked for and taken by itself.
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
ann: /challenge bob breakthrough 4x5 clock:"1d vacation"
bob: /accept
ann: /vacation
ann: /vacation long
ann: /vacation 2d
-- 40 hours
ann: /vacation off
ann: /vacation off
ann: /move a2-a3
-- 26 hours
bob: /vacation
bob: /settings
-- 30 hours
