# The rules of every variant.
ann: /rules lgame scoring
ann: /rules lgame sudden-death
ann: /rules lgame symmetry
ann: /rules lgame half-turn
ann: /rules lgame puzzle
ann: /rules lgame scoring corner:d1 points:30
ann: /rules breakthrough misere
ann: /rules breakthrough 10x10
ann: /rules klopodavka bases
ann: /rules klopodavka hq
ann: /rules klopodavka hq-teams
ann: /rules klopodavka teams:2v2v2
ann: /rules klopodavka torus base:immune
ann: /rules klopodavka reach:base first:1
ann: /rules klopodavka duel bases:a1,f6
ann: /rules lgame points:500
# Its ideas, one after the other on boards.
ann: /rules lgame
ann: [1]
ann: [1]
ann: [2]
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
