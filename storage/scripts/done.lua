-- Deletes facts that were sent from the stream, which holds only what is still to be sent.
--
-- KEYS[1]  the stream
-- ARGV     the entries

redis.call('XACK', KEYS[1], 'senders', unpack(ARGV))
return redis.call('XDEL', KEYS[1], unpack(ARGV))
