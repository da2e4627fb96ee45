# A room where no language was chosen speaks that of the first person who has chosen one.
ann: /language українська
bob: /language українська
ann: /challenge bob breakthrough 2x4
bob: [1]
ann: /move b2xa3
cem: /language english
cem: /challenge ann lgame
ann: /move a1
