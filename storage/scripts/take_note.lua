-- Takes a note, once.
--
-- KEYS[1]  the note
-- KEYS[2]  what this call took: there if it has run before, and its reply was lost
-- ARGV[1]  how many seconds that is kept
--
-- Returns the note; nil if there is none.

local taken = redis.call('GET', KEYS[2])
if taken then
    return taken
end
local note = redis.call('GET', KEYS[1])
if note then
    redis.call('SET', KEYS[2], note, 'EX', ARGV[1])
    redis.call('DEL', KEYS[1])
end
return note
