# The puzzle of the day: one for everyone, three tries, a row to pass on, and nothing of the answer for the others.
languages: en uk ru
-- 136 hours
ann: /daily
ann: [2]
ann: [1]
bob: [1]
bob: /daily L a2-a4-b4
bob: /daily L a2-a4-b4
bob: /puzzle solution
ann: /daily L b4-d4-d3
ann: /daily L b4-d4-d3
bob: /daily L a2-a4-b4 n b1-a1
bob: /daily L b4-d4-d3
cem: [2]
cem: [1]
cem: /daily L a2-a4-b4
cem: /daily L a2-a4-b4 n b1-a1
cem: /daily L a2-a4-b4 n b1-c1
dan: [1]
dan: [4]
dan: /daily L b4-d4-d3
ann: /daily
ann: [2]
-- 24 hours
ann: /daily
