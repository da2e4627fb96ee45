# A whole game of Breakthrough on the small board, with moves as people type them.
ann: /challenge bob breakthrough mini side:second
bob: [1]
bob: /move d2 c3
ann: /move a4-b3
bob: /move c3-d3
bob: /move c3b4
ann: /move d4 е3
ann: /move d4 е3
bob: /move b3
bob: /move
bob: [9?]
bob: [5]
bob: [1]
ann: /resign
ann: [1]
bob: [2]
bob: /rematch other
