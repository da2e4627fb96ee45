# The puzzle of the day: one for everyone, three tries, a row to pass on, and nothing of the answer for the others.
-- 640 hours
ann: /daily
ann: [2]
ann: [1]
bob: [1]
bob: /daily L c4-a4-a3
bob: /puzzle solution
ann: /daily L a4-c4-c3
ann: /daily L a4-c4-c3
bob: /daily L c4-a4-a3 n b3-a1
bob: /daily L a4-c4-c3
cem: [2]
cem: [1]
cem: /daily L c4-a4-a3
cem: /daily L c4-a4-a3 n b3-a1
cem: /daily L c4-a4-a3 n b3-c1
dan: [1]
dan: [3]
dan: /daily L a4-c4-c3
ann: /daily
ann: [2]
-- 24 hours
ann: /daily
