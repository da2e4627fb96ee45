-- Deletes entries that are done from the stream, which holds only what is still to be done.
--
-- KEYS[1]  the stream
-- ARGV     the entries

redis.call('XACK', KEYS[1], 'readers', unpack(ARGV))
return redis.call('XDEL', KEYS[1], unpack(ARGV))
