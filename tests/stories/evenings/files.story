# Matches as files: a finished one comes back to look at, an unfinished one to go on with, a spoilt one not at all.
ann: /export
ann: /challenge bob breakthrough mini
ann: /export
bob: /accept
ann: /move d2-c3
bob: /move a4-b3
ann: /export
cem: /import {file}
bob: /accept
cem: /board
ann: /accept
bob: /move #k7 d4-d3
ann: /resign #k7
ann: [1]
bob: /export #k7
dan: /import {file}
dan: /rematch
dan: /import nothing
dan: /import
| [Game "chess"]
| [Match "aaaaaa"]
| [Rules "1"]
| [Seat "1" "ann" "console" "ann"]
| [Seat "2" "bob" "console" "bob"]
| [Host "ann" "console" "ann"]
| [Opened "2026-11-21T12:00:00Z"]
| [Result "unfinished"]
dan: /import
| [Game "breakthrough"]
| [Match "aaaaaa"]
| [Rules "1"]
| [Seat "1" "ann" "console" "ann"]
| [Seat "2" "bob" "console" "bob"]
| [Host "ann" "console" "ann"]
| [Opened "2026-11-21T12:00:00Z"]
| [Result "unfinished"]
| 
| 1. (1) a2-a5 {2026-11-21T12:01:00Z}
