# A game is learnt by making moves.
ann: /learn
