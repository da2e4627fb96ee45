# The rules of every variant.
ann: /rules lgame sudden-death
ann: /rules lgame half-turn
ann: /rules lgame puzzle
ann: /rules lgame scoring corner:d1 points:30
ann: /rules breakthrough misere
ann: /rules breakthrough 10x10
ann: /rules klopodavka bases
ann: /rules klopodavka hq-teams
ann: /rules klopodavka torus base:immune
ann: /rules klopodavka reach:base first:1
ann: /rules lgame points:500
# From the rules one comes to the lesson.
ann: /rules lgame
ann: [1]
ann: /rules breakthrough
ann: /rules klopodavka
# Without a name, those of the match one is in.
ann: /challenge bob lgame symmetry
bob: /accept
bob: /rules
