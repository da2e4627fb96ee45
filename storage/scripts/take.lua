-- Takes a token from a bucket that all processes share. One time is stored: until when its tokens are spent.
--
-- KEYS[1]  the bucket
-- ARGV[1]  now, in microseconds
-- ARGV[2]  after how many microseconds one more token is there
-- ARGV[3]  how many tokens it holds
--
-- Returns 0 if a token was taken, else how many microseconds to wait before the next try.

local now, every, burst = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local spent = math.max(tonumber(redis.call('GET', KEYS[1]) or now), now)
local wait = spent + every - burst * every - now
if wait > 0 then
    return math.ceil(wait)
end
redis.call('SET', KEYS[1], string.format('%.0f', spent + every), 'PX', math.ceil((spent + every - now) / 1000) + 60000)
return 0
