-- Takes a token from each of some buckets that all processes share, or none; or allows none of them before a time. One number
-- is stored of each: until when its tokens are spent, in microseconds. After its point is for how many of them the bucket was
-- held, if it was.
--
-- KEYS      the buckets
-- ARGV[1]   now, in microseconds; empty: the server's time
-- ARGV[2]   empty to take; else after how many microseconds one token is there again
-- ARGV[3..] two by two: after how many microseconds one more token is there, and how many tokens the bucket holds
--
-- Returns 0 if the tokens were taken, else how many microseconds to wait before the next try.

local SKEW = 1000000 -- by so much the clocks of processes may differ

local now = tonumber(ARGV[1])
if not now then
    local time = redis.call('TIME')
    now = time[1] * 1000000 + time[2]
end
local held = tonumber(ARGV[2])
local wait, spent, span = 0, {}, {}
for at = 1, #KEYS do
    local every, burst = tonumber(ARGV[2 * at + 1]), tonumber(ARGV[2 * at + 2])
    local before, longest = string.match(redis.call('GET', KEYS[at]) or '', '^(%d+)%.?(%d*)')
    before, longest = tonumber(before or now), tonumber(longest or '') or 0
    if before > now + burst * every + longest + SKEW then
        before = now -- no bucket is spent for so long: the clock was set back since, and what is left is not known
    end
    if not held then
        spent[at], span[at] = math.max(before, now) + every, 0
        wait = math.max(wait, spent[at] - burst * every - now)
    else
        spent[at], span[at] = now + held + (burst - 1) * every, held
        if before > spent[at] then
            spent[at], span[at] = before, longest
        end
    end
end
if wait > 0 then
    return math.ceil(wait)
end
for at = 1, #KEYS do
    local value = string.format(span[at] > 0 and '%.0f.%.0f' or '%.0f', spent[at], span[at])
    redis.call('SET', KEYS[at], value, 'PX', math.ceil((spent[at] - now) / 1000) + 60000)
end
return 0
