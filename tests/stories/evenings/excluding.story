# The admins keep a person out of a room: what is under way there goes on, and nothing else.
ann: /challenge bob breakthrough 5x5
bob: /accept
ann: /new klopodavka players:3
ann: /exclude
ann: /exclude bob
bob: /join
bob: /new lgame
bob: /board
ann: /move a2-a3
bob: /move b4-b3
bob: /takeback
ann: /takeback no
bob: [1]
cem: /challenge bob lgame
@hall
bob: /join #b3xn8c
bob: /games
@parlour
-- 25 hours
bob: /puzzle
bob: /help
bob: /resign
bob: [1]
ann: /exclude ann
ann: /admit cem
ann: /admit bob
bob: /games
