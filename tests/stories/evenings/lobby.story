# A table fills and empties: joining, leaving, the host leaving, too few, too many, options that cannot be.
ann: /new
ann: /new chess
ann: /new klopodavka players:11
ann: /new klopodavka players:4 board:3x3
ann: /new klopodavka colour:red
ann: /new klopodavka please
ann: /new klopodavka players:3 quick
ann: /start
ann: /move a1
bob: /join
bob: /join
bob: /start
cem: /accept
ann: /leave
dan: /withdraw
dan: /leave
bob: /start
bob: [1]
bob: /leave
bob: [1]
cem: /games
cem: /leave
cem: /join
# A game for two does not start with one.
ann: /new breakthrough
ann: /start
bob: [3]
ann: [3]
bob: /challenge ann cem dan breakthrough
bob: /challenge ann cem dan klopodavka
