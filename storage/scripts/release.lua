-- Releases streams of a reader.
--
-- KEYS     the keys of the readers that have them
-- ARGV[1]  its name

for _, key in ipairs(KEYS) do
    if redis.call('GET', key) == ARGV[1] then
        redis.call('DEL', key)
    end
end
