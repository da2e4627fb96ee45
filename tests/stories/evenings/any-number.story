# A table of open size: whoever comes plays, and the board follows from their number. A table with free seats asks.
ann: /new klopodavka
ann: [1]
bob: /join
cem: /join
dan: /join
bob: /leave
ann: /start
dan: /new klopodavka players:4 board:8x8
eve: [1]
dan: /start
dan: [1]
