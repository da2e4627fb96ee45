# A cup in a chat: opened by pressing, joined, left, ended; what is typed wrong is refused at once.
ann: /cup
ann: /cup join
ann: /cup blah
ann: /cup new lgame clock:1d most:1
ann: /cup new lgame clock:1d closes:never
ann: /cup new lgame clock:banana
ann: /cup new lgame clock:1d closes:2h
ann: /cup
ann: [1]
ann: [1]
ann: [1]
ann: [1]
ann: [1]
bob: /cup join
bob: /cup join
cem: /cup mine
cem: [1]
cem: /cup leave
cem: /cup admin
ann: /cup new breakthrough clock:1d most:3 closes:24h
ann: /cup
bob: /cup leave
ann: /cup stop
-- 25 hours
ann: /cup
