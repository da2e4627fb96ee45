# Moves on any keyboard: letters by their look and by their sound, arrows, quotes, full stops.
ann: /challenge bob breakthrough 8x8
bob: /accept
ann: /move б2→б3
bob: /move «а7 -> а6».
ann: /move д9
ann: /move в2-в3
ann: ц2-ц3
ann: [1]
ann: /plan if а6-а5 then д2-д3; якщо б7-б6 то д2-д3
ann: [1]
ann: /takeback
ann: /challenge bob breakthrough 22x4
bob: /accept #b3xn8c
ann: /move #b3xn8c в2-в3
ann: [9?]
