# A league over a season: people join, say whether they stay, resign; games that are open at the date are decided.
ann: /league
ann: /league join
ann: /league new klopodavka players:4 clock:1d
ann: [1]
ann: [3]
ann: /league new lgame clock:60d
ann: /league new lgame clock:60d
ann: /league join
bob: /league join
cem: /league join
dan: /league join
dan: /league skip
dan: /league
dan: [1]
eve: /league stay
eve: /league
eve: /league table
eve: /league join
-- 40 hours
eve: /league
ann: /league mine
ann: [1]
ann: /league
ann: [2]
bob: /league skip
dan: /league table 2
eve: /league leave
eve: /league leave
-- 668 hours
ann: /league mine
bob: /league table
eve: /league join it
dan: /league skip now
ann: /league stop
ann: /league
ann: /league join
