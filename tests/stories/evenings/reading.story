# Everything that can be read.
languages: en uk ru
ann: /help
ann: /rules
ann: /rules lgame
ann: /rules breakthrough
ann: /rules klopodavka
ann: /rules chess
ann: /rules scoring
ann: /rules variant:scoring
ann: /games
ann: /board
ann: /language
