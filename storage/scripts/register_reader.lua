-- Registers a reader of streams for some time; registrations that have ended are deleted.
--
-- KEYS[1]  the readers
-- ARGV[1]  its name
-- ARGV[2]  for how many milliseconds; 0: the reader leaves
-- ARGV[3..]  the beginnings of the names of readers that have ended
--
-- Returns how many there are, and how many of them come before it.

local now = redis.call('TIME')
now = now[1] * 1000 + math.floor(now[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if ARGV[2] == '0' then
    redis.call('ZREM', KEYS[1], ARGV[1])
else
    -- Registrations that end later than they can are from before the clock was set back: unless renewed, they end with this one.
    for _, name in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], now + ARGV[2] + 1000, '+inf')) do
        redis.call('ZADD', KEYS[1], now + ARGV[2], name)
    end
    redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
end
for at = 3, #ARGV do
    for _, name in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
        if string.sub(name, 1, #ARGV[at]) == ARGV[at] then
            redis.call('ZREM', KEYS[1], name)
        end
    end
end
local names = redis.call('ZRANGE', KEYS[1], 0, -1)
table.sort(names)
local before = 0
while names[before + 1] and names[before + 1] < ARGV[1] do
    before = before + 1
end
return {#names, before}
