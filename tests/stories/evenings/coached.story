# A coach in a first game against the computer: an idea on the board, and a question after a serious mistake.
languages: en uk ru
ann: /challenge bot lgame level:1 coached:yes
ann: /move L a1-a3-b3 n d1-b1
-- the computer answers
ann: [1]
-- the computer answers
ann: /move L a1-a3-b3
-- the computer answers
ann: /coach
ann: /coach
# The next game is coached on asking alone.
ann: /resign
ann: [1]
ann: [1]
# Never against people, and never for ratings.
bob: /challenge cem breakthrough coached:yes
bob: /challenge bot lgame level:1 тренер:ні
