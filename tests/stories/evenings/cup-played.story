# A cup from the first press to the final table: three people, six short games.
ann: /cup new breakthrough 2x4 clock:1d most:3 closes:2h
ann: [1]
bob: [1]
bob: /settings warnings:off
cem: /settings warnings:off
ann: /settings warnings:off
cem: /cup join
bob: /move #hmmg5w a2xb3
cem: /move #hmmg5w a3xb2
bob: /move #hmmg5w b3xa4
ann: /move #3x7mbd a2xb3
bob: /move #3x7mbd a3xb2
ann: /move #3x7mbd b3xa4
cem: /move #mktbbu a2xb3
ann: /move #mktbbu a3xb2
cem: /move #mktbbu b3xa4
bob: /cup mine
cem: /move #tpkhss a2xb3
bob: /move #tpkhss a3xb2
cem: /move #tpkhss b3xa4
ann: /move #cd56sz a2xb3
cem: /move #cd56sz a3xb2
ann: /move #cd56sz b3xa4
bob: /move #gfd7q8 a2xb3
ann: /move #gfd7q8 a4xb3
bob: /move #gfd7q8 a1-a2
ann: /move #gfd7q8 a3xb2
bob: /move #gfd7q8 a2-a3
ann: /move #gfd7q8 b2-a1
cem: /cup
cem: /cup join
cem: /profile ann
