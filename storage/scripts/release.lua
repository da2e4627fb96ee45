-- Releases the streams of a reader.
--
-- KEYS     the keys of the processes that read them
-- ARGV[1]  its name

for _, key in ipairs(KEYS) do
    if redis.call('GET', key) == ARGV[1] then
        redis.call('DEL', key)
    end
end
