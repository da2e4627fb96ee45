# A draw is offered and declined, offered and agreed; a rematch has the seats swapped.
ann: /challenge bob breakthrough 5x5
bob: /accept
ann: /claim
ann: /draw
ann: /draw
ann: /draw yes
cem: /draw yes
bob: /draw maybe
bob: /draw no
bob: /draw no
bob: /draw
ann: [2]
bob: /draw
ann: /move a2-a3
bob: /move c4-c3
bob: /draw
ann: [1]
ann: [1<1]
ann: /move a3-a4
ann: [1]
bob: /rematch
bob: /move a2-a3
ann: /draw
ann: /draw no
