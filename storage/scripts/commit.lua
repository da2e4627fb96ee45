-- One command: stores a match, what the operation did, its timers and the fact to be sent. All checks come before the
-- first write, for Redis rolls nothing back.
--
-- KEYS[1]    the match
-- KEYS[2]    the result of the operation: there if it was done
-- KEYS[3]    the timers of all matches of this tag
-- KEYS[4]    by match: its timers among them
-- KEYS[5]    the facts to be sent
-- KEYS[6..]  the lists to put it on, two by two: of live matches, and of those that are over; none on a cluster, where
--            they are elsewhere and written after this
-- ARGV[1]    the expected revision as in a record (bytes 1 to 8), empty for a match not stored yet
-- ARGV[2]    the record
-- ARGV[3]    the match's id
-- ARGV[4]    the result: 24 bytes about the request, then the fact
-- ARGV[5]    how many seconds the result is kept
-- ARGV[6]    '1' if the fact is to be sent
-- ARGV[7]    '1' if the match is live
-- ARGV[8]    how many matches that are over a list keeps
-- ARGV[9]    the match's timers, in one text
-- ARGV[10]   what is published
-- ARGV[11..] the same timers, two by two: the score, and the timer
--
-- Returns when it was stored, in microseconds; or two values, the result and the match as it is now, where the operation
-- had been done; else the match as it is now (nil: there is none).

local done = redis.call('GET', KEYS[2])
if done then
    redis.call('EXPIRE', KEYS[2], ARGV[5]) -- a write, so that a replica that has it has the commit too
    return {done, redis.call('GET', KEYS[1])}
end
if redis.call('GETRANGE', KEYS[1], 1, 8) ~= ARGV[1] then
    return redis.call('GET', KEYS[1])
end

local now = redis.call('TIME')
local changed = now[1] * 1000000 + now[2]

redis.call('SET', KEYS[1], ARGV[2])
redis.call('SET', KEYS[2], ARGV[4], 'EX', ARGV[5])

local old = ARGV[1] ~= '' and redis.call('HGET', KEYS[4], ARGV[3])
if old then
    local timers = {}
    for timer in string.gmatch(old, '%S+') do
        timers[#timers + 1] = timer
    end
    redis.call('ZREM', KEYS[3], unpack(timers))
end
if ARGV[9] ~= '' then
    redis.call('ZADD', KEYS[3], unpack(ARGV, 11))
    redis.call('HSET', KEYS[4], ARGV[3], ARGV[9])
elseif old then
    redis.call('HDEL', KEYS[4], ARGV[3])
end

if ARGV[6] == '1' then
    redis.call('XADD', KEYS[5], '*', 'm', ARGV[3], 'f', string.sub(ARGV[4], 25), 'r', ARGV[2])
end

for at = 6, #KEYS, 2 do
    if ARGV[7] == '1' then
        redis.call('ZADD', KEYS[at], changed, ARGV[3])
    else
        redis.call('ZREM', KEYS[at], ARGV[3])
        redis.call('ZADD', KEYS[at + 1], changed, ARGV[3])
        redis.call('ZREMRANGEBYRANK', KEYS[at + 1], 0, -ARGV[8] - 1)
    end
end
redis.pcall('PUBLISH', 'klop:wake', ARGV[10]) -- it may be forbidden
return changed
