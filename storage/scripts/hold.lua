-- Allows no token of a bucket before a time, and one at it.
--
-- KEYS[1]  the bucket
-- ARGV[1]  now, in microseconds; empty: the server's time
-- ARGV[2]  after how many microseconds that time is
-- ARGV[3]  after how many microseconds one more token is there
-- ARGV[4]  how many tokens it holds

local now = tonumber(ARGV[1])
if not now then
    local time = redis.call('TIME')
    now = time[1] * 1000000 + time[2]
end
local spent = now + ARGV[2] + (ARGV[4] - 1) * ARGV[3]
local before = tonumber(redis.call('GET', KEYS[1]) or 0)
if spent > before and spent > now then
    redis.call('SET', KEYS[1], string.format('%.0f', spent), 'PX', math.ceil((spent - now) / 1000) + 60000)
end
