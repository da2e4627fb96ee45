-- Deletes a match from a list where it does not belong, unless it has changed since it was read.
--
-- KEYS[1]  the list
-- ARGV[1]  the match's id
-- ARGV[2]  its score when it was read

if tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]) or '') == tonumber(ARGV[2]) then
    redis.call('ZREM', KEYS[1], ARGV[1])
end
