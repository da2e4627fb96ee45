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
@barn
-- 25 hours
bob: /watch #k7q2mz
bob: /resign #k7q2mz
