-- Replaces a value, if it is still the one that was read.
--
-- KEYS[1]  the key
-- ARGV[1]  the value it should have now; empty: none
-- ARGV[2]  the new one
-- ARGV[3]  for how many milliseconds; absent: for ever
--
-- Returns 1 if the key has the new value, also where this ran before and its reply was lost.

local now = redis.call('GET', KEYS[1])
if now == ARGV[2] then
    return 1
end
if (now or '') ~= ARGV[1] then
    return 0
end
redis.call('SET', KEYS[1], ARGV[2])
if ARGV[3] then
    redis.call('PEXPIRE', KEYS[1], ARGV[3])
end
return 1
