# What is not typed quite right is asked back, and a button says what was meant.
ann: help
ann: /chalenge bob lgame
ann: [1]
bob: yes
bob: [1]
ann: /ход b1 b3 c3
bob: /ьщму
bob: /bord
bob: /board wrods
bob: /settings them:dark
bob: [1]
cem: /challenge @Klop brekthrough
cem: /challenge bob klopodavka гравців:3 varient:hq
cem: /challenge bob breakthrough 5x5
cem: withdraw
cem: [1]
cem: /help chalenge
cem: /new klopodvka
cem: /challenge lgame level 3
cem: /new klopodavka на 4 гравці 2 bots
cem: /withdraw
cem: /new klopodavka варіант:штаби 3 players
