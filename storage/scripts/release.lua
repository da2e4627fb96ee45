-- Releases the streams of a reader.
--
-- KEYS     the keys of the processes that read them
-- ARGV[1]  its name, or the beginning of the names of all readers of a process

for _, key in ipairs(KEYS) do
    local holder = redis.call('GET', key)
    if holder and string.sub(holder, 1, #ARGV[1]) == ARGV[1] then
        redis.call('DEL', key)
    end
end
