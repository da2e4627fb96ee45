# Finding an opponent among all chats: who waits, who suits, what is cancelled.
ann: /seek
ann: [3]
ann: [1]
ann: [1]
ann: /seek klopodavka players:3
ann: /seek lgame bob
ann: /seek lgame clock:1d rated:yes
ann: /seek
@hall
bob: /seek lgame rated:yes
cem: /seek lgame clock:24h rated:yes
bob: /seek off chess
bob: /seek off now
bob: /seek off breakthrough
bob: /seek off
dan: /seek breakthrough standing:9
dan: /seek breakthrough standing:2
eve: /seek
eve: [1]
cem: /seek
dan: /seek off
