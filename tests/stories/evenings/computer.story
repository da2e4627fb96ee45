# The computer, by all its names, as somebody to challenge.
ann: /play @Klop
ann: /challenge @Klop lgame
bob: /challenge computer prorub
bob: /challenge комп’ютер прорив level:2
bob: /play l game engine
# On one message against engines, what moves no piece is told all the same.
ann: /draw
ann: /resign
ann: [1]
ann: /analyze
