# Languages: a person's own for what they alone see, the room's for what everybody sees.
ann: /language en
ann: /challenge bob lgame
bob: /language українська
bob: /move a1
bob: /accept
bob: /language uk here
ann: /move a1
ann: /language en
ann: /move a1
ann: /language русский
ann: /move a1
ann: /language klingon
@hall
cem: /watch #k7q2mz
@parlour
ann: /move L a1-a3-b3
bob: /виклик
bob: /challenge ann «клоподавка»
bob: /challenge ann клоподавка
