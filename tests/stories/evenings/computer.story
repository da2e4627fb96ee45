# The computer, by all its names, as somebody to challenge.
ann: /challenge @Klop
ann: /challenge @Klop lgame
bob: /challenge computer prorub
bob: /challenge комп’ютер прорив level:2
bob: /challenge l game engine
