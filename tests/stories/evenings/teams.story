# Two against two, with headquarters left out: team-mates are not crushed, and win together.
ann: /new klopodavka teams:2v2 board:6x6 actions:4
bob: /join team:1
cem: /join team:1
cem: /join team:3
cem: /join team:two
cem: [1]
dan: /join
ann: [1]
ann: /move b2 a3 a4 c3
cem: /move a5 xa4 xa3 xb2
bob: /move e5 d4 d3 e4
dan: /move e2 xd3 xc3 xf1
dan: /move e2 xd3 xc3 xa1
bob: /move xa6
cem: /move xe4 xd4 xe5 xf6
