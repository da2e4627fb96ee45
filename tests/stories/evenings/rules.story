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
# Its ideas, one after the other on boards.
ann: /rules lgame
ann: [1]
ann: [1]
ann: [3]
ann: /rules breakthrough
ann: [1]
ann: /rules klopodavka
ann: [1]
ann: [1]
# Without a name, those of the match one is in.
ann: /challenge bob lgame symmetry
bob: /accept
bob: /rules
