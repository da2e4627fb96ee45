-- Takes a token from each of some buckets that all processes share, or none. One time is stored of each: until when its tokens
-- are spent.
--
-- KEYS      the buckets
-- ARGV[1]   now, in microseconds; empty: the server's time
-- ARGV[2..] two by two: after how many microseconds one more token is there, and how many tokens the bucket holds
--
-- Returns 0 if the tokens were taken, else how many microseconds to wait before the next try.

local now = tonumber(ARGV[1])
if not now then
    local time = redis.call('TIME')
    now = time[1] * 1000000 + time[2]
end
local wait, spent = 0, {}
for at = 1, #KEYS do
    local every, burst = tonumber(ARGV[2 * at]), tonumber(ARGV[2 * at + 1])
    spent[at] = math.max(tonumber(redis.call('GET', KEYS[at]) or now), now) + every
    wait = math.max(wait, spent[at] - burst * every - now)
end
if wait > 0 then
    return math.ceil(wait)
end
for at = 1, #KEYS do
    redis.call('SET', KEYS[at], string.format('%.0f', spent[at]), 'PX', math.ceil((spent[at] - now) / 1000) + 60000)
end
return 0
