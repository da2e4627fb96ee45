# A ladder in a chat: who is above can be challenged, an answer is a press, and a win by absence gives one place.
ann: /ladder
ann: [1]
ann: [1]
ann: [2]
ann: [2]
bob: /ladder join
eve: /ladder join
eve: /ladder leave
eve: /ladder
eve: [1]
-- 25 hours
bob: /ladder
bob: [1]
eve: /ladder challenge ann
ann: /ladder
ann: [4]
ann: /ladder accept
bob: /ladder
eve: /ladder challenge ann
eve: /ladder challenge dan
-- 25 hours
cem: /ladder join
cem: /ladder challenge ann
cem: /ladder back
cem: /ladder challenge eve
-- 73 hours
cem: /ladder
ann: /ladder table
eve: /ladder stop
