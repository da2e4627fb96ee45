-- Changes ratings of one game if they are still those that were read, and stores what a match did to them. All or nothing.
--
-- KEYS[1]   the ratings, by person
-- KEYS[2]   what the match did: there if it has been counted; no such key where no match is counted
-- ARGV[1]   the same, to be stored
-- ARGV[2..] three by three: a person, the rating they should have now (empty: none), the new one (empty: none)
--
-- Returns what the match did, where it had been counted; else 1 if the ratings were changed, and 0 if one of them is
-- another by now, and nothing was written.

local done = KEYS[2] and redis.call('GET', KEYS[2])
if done then
    return done
end
for at = 2, #ARGV, 3 do
    if (redis.call('HGET', KEYS[1], ARGV[at]) or '') ~= ARGV[at + 1] then
        return 0
    end
end
for at = 2, #ARGV, 3 do
    if ARGV[at + 2] == '' then
        redis.call('HDEL', KEYS[1], ARGV[at])
    else
        redis.call('HSET', KEYS[1], ARGV[at], ARGV[at + 2])
    end
end
if KEYS[2] then
    redis.call('SET', KEYS[2], ARGV[1])
end
return 1
