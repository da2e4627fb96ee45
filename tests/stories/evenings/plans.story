# Conditional moves, played at once where they fit and never shown to anybody else.
ann: /challenge bob breakthrough 4x5
bob: /accept
ann: /plan if a4-a3 then b2-a3
bob: /plan
bob: /plan if a2-a3 then b4-a3; if c2-c3 then b4-c3
bob: /plan
ann: /export
ann: /move b2-b3
bob: /plan
bob: /move a4-b3
bob: /if a2-b3 then c4-b3
ann: /board
ann: /move a2-b3
bob: /plan off
cem: /plan
