# A cup from the first press to the final table: three people; who gives two games up is out.
ann: /cup new breakthrough 2x4 clock:1d most:3 closes:2h
ann: [1]
bob: [1]
cem: /cup join
cem: /resign #hmmg5w
cem: [1]
ann: /resign #3x7mbd
ann: [1]
bob: /cup mine
cem: /resign #mktbbu
cem: [1]
bob: /resign #gfd7q8
bob: [1]
cem: /cup
cem: /cup join
cem: /profile ann
