# A match without a clock that one of two leaves alone: a reminder, a refusal with dates, an end. Of three, one is removed by vote.
ann: /challenge bob breakthrough 4x5
bob: /accept
bob: /claim
bob: /end
bob: /end
-- 73 hours
bob: /board
-- 97 hours
bob: /end
ann: /new klopodavka players:3
bob: /join
cem: /join
ann: /start
bob: /end remove
-- 169 hours
ann: /board
bob: /board
bob: /end remove
ann: /end yes
cem: /end yes
ann: /end remove
