-- Ends the leases of timers that processes had which have ended: each timer is due again when it was before.
--
-- KEYS[1]   the timers of a tag
-- KEYS[2]   the leased ones among them, each with its process
-- ARGV[1..] the processes
--
-- Returns how many there were.

local ended = {}
for _, name in ipairs(ARGV) do
    ended[name] = true
end
local count, held = 0, redis.call('HGETALL', KEYS[2])
for at = 1, #held, 2 do
    if ended[held[at + 1]] then
        -- The timer holds its time. One that is not there any more has been set anew, or deleted.
        redis.call('ZADD', KEYS[1], 'XX', string.match(held[at], '[^:]*$'), held[at])
        redis.call('HDEL', KEYS[2], held[at])
        count = count + 1
    end
end
return count
