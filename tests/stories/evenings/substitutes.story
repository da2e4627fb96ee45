# A game of three on a clock: one leaves, one is out of time, and others take their seats.
ann: /new klopodavka players:3 board:8x8 clock:"1d"
bob: /join
cem: /join
bob: /settings heads-up:on
ann: /start
dan: /substitute
ann: /move a1 b1 c1
bob: /leave
bob: [1]
dan: /substitute 9
dan: /substitute
dan: /substitute
dan: /board words
-- 25 hours
eve: /substitute nine
eve: [1]
