# Time that is given to an opponent, and a clock that rests while its player sleeps.
languages: en uk ru
ann: /challenge bob breakthrough 4x5 clock:"2d soft"
bob: /accept
-- 49 hours
bob: /moretime 3d
bob: /moretime ann 2d
bob: /moretime
ann: /moretime
cem: /moretime
ann: /move a2-a3
ann: /resign
ann: [1]
ann: /challenge bob breakthrough 4x5 clock:"20h awake"
bob: /accept
-- 12 hours
ann: /board
ann: /games
-- 24 hours
