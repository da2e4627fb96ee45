# What is beyond a quota is refused with what to do next; moves and resignations always count.
ann: /challenge bob breakthrough 5x5
bob: /accept
@hall
bob: /watch #k7q2mz
@yard
bob: /watch #k7q2mz
@attic
bob: /watch #k7q2mz
@cellar
bob: /watch #k7q2mz
bob: /watch #k7q2mz
ann: /watch #k7q2mz
ann: /move #k7q2mz a2-a3
bob: /move #k7q2mz b4-b3
@barn
-- 25 hours
bob: /watch #k7q2mz
bob: /resign #k7q2mz
