-- Deletes a timer that was fired, unless it was set anew: then its score is not the end of the lease any more.
--
-- KEYS[1]  the timers of a tag
-- KEYS[2]  by match: its timers among them
-- KEYS[3]  the leased ones among them, each with its process
-- ARGV[1]  the match's id
-- ARGV[2]  the timer
-- ARGV[3]  the end of the lease

local score = redis.call('ZSCORE', KEYS[1], ARGV[2])
if not score or tonumber(score) ~= tonumber(ARGV[3]) then
    return 0
end
redis.call('ZREM', KEYS[1], ARGV[2])
redis.call('HDEL', KEYS[3], ARGV[2])
local left = {}
for timer in string.gmatch(redis.call('HGET', KEYS[2], ARGV[1]) or '', '%S+') do
    if timer ~= ARGV[2] then
        left[#left + 1] = timer
    end
end
if #left > 0 then
    redis.call('HSET', KEYS[2], ARGV[1], table.concat(left, ' '))
else
    redis.call('HDEL', KEYS[2], ARGV[1])
end
return 1
