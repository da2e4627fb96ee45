-- Stores a match if its revision is still the expected one. All checks come before the first write, for Redis rolls nothing back.
--
-- KEYS[1]    the match
-- KEYS[2]    the receipt of this very commit: there if it was done
-- KEYS[3..]  the lists to put it on, two by two: of live matches, and of those that are over
-- ARGV[1]    the expected revision as in a record (bytes 1 to 8), empty for a match not stored yet
-- ARGV[2]    the record
-- ARGV[3]    the match's id
-- ARGV[4]    '1' if it is live
-- ARGV[5]    how many matches that are over a list keeps
-- ARGV[6]    how many seconds the receipt is kept
--
-- Returns 1 if it is stored, else the record as it is now (nil: there is none).

if redis.call('GETRANGE', KEYS[1], 1, 8) ~= ARGV[1] then
    if redis.call('EXISTS', KEYS[2]) == 1 then
        return 1
    end
    return redis.call('GET', KEYS[1])
end

local now = redis.call('TIME')
local changed = now[1] * 1000000 + now[2]

redis.call('SET', KEYS[1], ARGV[2])
redis.call('SET', KEYS[2], '', 'EX', ARGV[6])
for at = 3, #KEYS, 2 do
    if ARGV[4] == '1' then
        redis.call('ZADD', KEYS[at], changed, ARGV[3])
    else
        redis.call('ZREM', KEYS[at], ARGV[3])
        redis.call('ZADD', KEYS[at + 1], changed, ARGV[3])
        redis.call('ZREMRANGEBYRANK', KEYS[at + 1], 0, -ARGV[5] - 1)
    end
end
return 1
