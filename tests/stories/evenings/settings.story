# Settings by buttons: one's own, the language, the room's, a vacation; times that can be read in several ways.
ann: /settings
ann: [2]
ann: [1]
ann: [3]
ann: [1]
ann: [9]
ann: [13]
ann: [2]
ann: /language
ann: [2]
ann: [3]
ann: /settings theme
ann: /settings here
ann: [1]
ann: [2]
ann: [3]
ann: [1]
ann: /config
ann: [2]
ann: [2]
ann: [4]
ann: [5]
ann: [2]
ann: /challenge bob breakthrough 4x5 clock:"1d vacation"
ann: /vacation
ann: [1]
ann: [4]
ann: /settings zone:CST
ann: [1]
ann: /settings quiet:9-11pm
ann: [2]
