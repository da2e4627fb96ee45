# Days off: refused where no clock heeds them, begun before a match, ended, taken by themselves.
ann: /challenge bob breakthrough 4x5 clock:3d
bob: /accept
ann: /vacation 10d
ann: /challenge bob breakthrough 4x5 clock:"1d vacation"
ann: /vacation
ann: /vacation long
ann: /vacation 2d
bob: /accept #b3xn8c
bob: /games
ann: /games
ann: /vacation off
ann: /vacation off
ann: /move #b3xn8c a2-a3
-- 25 hours
bob: /board #b3xn8c
bob: /games
ann: /claim #b3xn8c
-- 23 hours
bob: /vacation
