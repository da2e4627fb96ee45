-- Ends the leases of timers that processes had which have ended: what was due is due again.
--
-- KEYS[1]   the timers of a tag
-- KEYS[2]   the leased ones among them, each with its process
-- ARGV[1]   now
-- ARGV[2..] the processes
--
-- Returns how many there were.

local ended = {}
for at = 2, #ARGV do
    ended[ARGV[at]] = true
end
local count, held = 0, redis.call('HGETALL', KEYS[2])
for at = 1, #held, 2 do
    if ended[held[at + 1]] then
        -- The timer holds its time; it may have been due before. One that is not there any more was set anew, or deleted.
        local own = string.match(held[at], '[^:]*$')
        local score = tonumber(own) < tonumber(ARGV[1]) and own or ARGV[1]
        redis.call('ZADD', KEYS[1], 'XX', score, held[at])
        redis.call('HDEL', KEYS[2], held[at])
        count = count + 1
    end
end
return count
