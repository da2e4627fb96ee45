# A vacation that is planned ahead: what opponents see of it, changed, called off, begun; and days that cannot be.
languages: en uk ru
ann: /settings zone:Kyiv
ann: /challenge bob lgame clock:"1d vacation"
bob: /accept
ann: /vacation 28.11. - 2.12.
bob: /board
ann: /vacation 31.11. - 5.12.
ann: /vacation 28.11. - 24.11.
ann: /vacation 28.11. 40d
ann: /vacation 22.11. 3d
bob: /board
ann: /vacation 10d
ann: /vacation
ann: [1]
ann: /vacation off
ann: /vacation 22.11. - 24.11.
-- 25 hours
bob: /board
ann: /vacation off
