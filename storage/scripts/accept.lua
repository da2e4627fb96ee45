-- Stores updates of one platform that are to be handled, each once however often it comes.
--
-- KEYS[1]  the stream
-- KEYS[2]  the ids of the last updates, scored by when they came
-- ARGV[1]  how many ids are kept
-- ARGV[2]  what is published if one is stored
-- ARGV[3..]  four by four: id, chat, person, body

local now = redis.call('TIME')
local last = redis.call('ZREVRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2]
local at = math.max(now[1] * 1000000 + now[2], tonumber(last or 0) + 1) -- also where the clock was set back: the ids keep their order
local new = false
for each = 3, #ARGV, 4 do
    if redis.call('ZADD', KEYS[2], 'NX', at, ARGV[each]) == 1 then
        redis.call('XADD', KEYS[1], '*', 'i', ARGV[each], 'c', ARGV[each + 1], 'p', ARGV[each + 2], 'b', ARGV[each + 3])
        new = true
    else
        redis.call('ZADD', KEYS[2], at, ARGV[each]) -- a write, so that a replica that has it has the update too
    end
end
redis.call('ZREMRANGEBYRANK', KEYS[2], 0, -ARGV[1] - 1)
if new then
    redis.pcall('PUBLISH', 'klop:wake', ARGV[2]) -- it may be forbidden
end
