# Everything that can be read.
ann: /help
ann: [2]
ann: [7]
ann: [3]
ann: [7]
ann: [8]
ann: [4]
ann: [5]
ann: [6]
ann: /help move
ann: [1]
ann: /rules
ann: /rules chess
ann: /rules scoring
ann: /rules variant:scoring
ann: /games
ann: /board
ann: /language
