# Rated matches: what cannot be rated, what is not done in them, and who has which rating then.
ann: /profile
ann: /challenge bob breakthrough 5x5 rated:yes
ann: /challenge engine:3 lgame rated:yes
ann: /challenge bob lgame rated:maybe
ann: /challenge bob lgame rated:yes
bob: /accept
ann: /hint
ann: /move L b1-b3-a1
ann: /undo
ann: /takeback
bob: /takeback no
bob: /move L b4-d4-d3
bob: /resign
bob: [1]
ann: /profile bob
cem: /profile bob
ann: /top
ann: [1]
bob: /settings profile:off
ann: /profile bob
ann: /top lgame everywhere
bob: /rating
bob: /rematch
ann: /accept
bob: /draw
ann: /draw
ann: /new klopodavka quick players:3 рейтинг:так
bob: /join
cem: /join
ann: /start
ann: /move b4 c4 d4
bob: /move g8 f8 e8
cem: /move g1 f1 e1
bob: /leave
bob: [1]
dan: /substitute
ann: /leave
ann: [1]
dan: /profile cem klopodavka
dan: /top klopodavka week everywhere
