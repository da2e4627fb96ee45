# A clock for each move: reminders, a pause, quiet hours, and a flag.
ann: /challenge bob breakthrough 4x5 clock:soon
ann: /challenge bob breakthrough 4x5 clock:3d
bob: /accept
bob: /games
-- 30 hours
-- 10 hours
ann: /move a2-a3
ann: /games
bob: /settings reminders:25 quiet:22-8 zone:Europe/Kyiv headsup:on
bob: /settings reminders:always
bob: /settings quiet:dusk
bob: /settings zone:Atlantis
bob: /settings colour:red
cem: /settings zone:UTC
bob: /pause
ann: [2]
bob: /pause
ann: /pause
bob: [1]
bob: /move b4-b3
-- 200 hours
ann: /board
ann: [1]
ann: /claim
bob: /resume
-- 60 hours
-- 30 hours
ann: /games
ann: /claim
