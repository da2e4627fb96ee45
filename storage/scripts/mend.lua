-- Deletes matches from a list where they do not belong, unless they have changed since they were read.
--
-- KEYS[1]  the list
-- ARGV     two by two: a match's id, and its score when it was read

for at = 1, #ARGV, 2 do
    local score = redis.call('ZSCORE', KEYS[1], ARGV[at])
    if score and tonumber(score) == tonumber(ARGV[at + 1]) then
        redis.call('ZREM', KEYS[1], ARGV[at])
    end
end
