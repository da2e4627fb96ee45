# Somebody in another room watches; an import is watched as it goes on.
ann: /challenge bob breakthrough 4x5
bob: /accept
@hall
cem: /watch
cem: /watch #zzzzzz
cem: /watch #k7q2mz
cem: /watch #k7q2mz
cem: /move a2-a3
cem: /board
@parlour
ann: /move a2-a3
bob: /move a4xb3
bob: /watch off
@hall
ann: /move #k7 b2-b4
dan: /watch off
@parlour
bob: /move b4-b3
@hall
cem: /watch off
cem: /move #k7q2mz a2-a3
ann: /games
ann: /move a3-b4
