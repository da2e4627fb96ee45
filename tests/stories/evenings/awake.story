# A clock that rests while its player sleeps: Kyiv and New York, over a night.
ann: /settings awake:8-12
ann: /settings weekend:mon-fri
ann: /settings zone:Kyiv
bob: /settings awake:"from 9am to 10pm" zone:New York
ann: /challenge bob breakthrough 4x5 pause:night
ann: /challenge bob breakthrough 4x5 clock:2h awake
bob: /accept
ann: /move a2-a3
bob: /move b4-b3
-- 1 hour
ann: /move c2-c3
-- 1 hour
bob: /settings zone:Tokyo
bob: /move d4-d3
-- 10 hours
ann: /games
ann: /move a1-a2
bob: /games
