-- Adds a text to a timeline, or moves it to another time.
--
-- KEYS[1]  the timeline
-- ARGV[1]  its time
-- ARGV[2]  the text
-- ARGV[3]  how many texts are kept, the latest; -1: all
-- ARGV[4]  what is published

redis.call('ZADD', KEYS[1], ARGV[1], ARGV[2])
if ARGV[3] ~= '-1' then
    redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -ARGV[3] - 1)
end
redis.pcall('PUBLISH', 'klop:wake', ARGV[4]) -- it may be forbidden
