-- Puts a match on a pair of lists, on a cluster: after the commit, and possibly after a later one. Only forward in time.
--
-- KEYS[1]  the list of live matches
-- KEYS[2]  the list of those that are over
-- ARGV[1]  the match's id
-- ARGV[2]  when it changed
-- ARGV[3]  '1' if it is live
-- ARGV[4]  how many matches that are over a list keeps

for _, key in ipairs(KEYS) do
    local score = redis.call('ZSCORE', key, ARGV[1])
    if score and tonumber(score) >= tonumber(ARGV[2]) then
        return
    end
end
if ARGV[3] == '1' then
    redis.call('ZREM', KEYS[2], ARGV[1])
    redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
else
    redis.call('ZREM', KEYS[1], ARGV[1])
    redis.call('ZADD', KEYS[2], ARGV[2], ARGV[1])
    redis.call('ZREMRANGEBYRANK', KEYS[2], 0, -ARGV[4] - 1)
end
