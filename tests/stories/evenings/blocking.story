# Who has blocked a person meets them no more, and what is under way goes on.
ann: /challenge bob breakthrough 4x5
bob: /accept
ann: /block
bob: /block ann
ann: /challenge bob lgame
bob: /challenge ann lgame
ann: /draw
ann: /takeback
ann: /move a2-a3
ann: /new klopodavka players:3
bob: /join
cem: /join
ann: /mute
ann: /mute
bob: /block bob
bob: /block
bob: /unblock ann
ann: /draw
bob: /draw no
ann: /unlink
ann: /link 12345678
