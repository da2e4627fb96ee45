# A league over a season: people join, are away, say whether they stay; games that are open at the date are decided.
ann: /league
ann: /league join
ann: /league new klopodavka players:4 clock:1d
ann: [1]
ann: [3]
ann: /league new lgame clock:15d
ann: /league new lgame clock:15d
ann: /league join
bob: /league join
bob: /league join
cem: /league join
dan: /league join
dan: /league skip
dan: /league
dan: [1]
eve: /league stay
eve: /league join
gil: /league
gil: /league table
-- 200 hours
ann: /league
gil: /league join
fay: /league join
-- 250 hours
ann: /league mine
bob: /league skip
bob: /league mine
bob: [3]
cem: /league stay
dan: /league stay
eve: /league skip
-- 360 hours
ann: /league mine
cem: /league mine
gil: /league mine
bob: /league table 7
fay: /league join it
fay: /league stop
eve: /league
ann: /league join
