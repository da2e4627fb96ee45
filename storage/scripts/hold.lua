-- Allows no token of a bucket before a time, and one at it.
--
-- KEYS[1]  the bucket
-- ARGV[1]  now, in microseconds
-- ARGV[2]  that time
-- ARGV[3]  after how many microseconds one more token is there
-- ARGV[4]  how many tokens it holds

local spent = tonumber(ARGV[2]) + (ARGV[4] - 1) * ARGV[3]
local before = tonumber(redis.call('GET', KEYS[1]) or 0)
if spent > before and spent > tonumber(ARGV[1]) then
    redis.call('SET', KEYS[1], string.format('%.0f', spent), 'PX', math.ceil((spent - ARGV[1]) / 1000) + 60000)
end
