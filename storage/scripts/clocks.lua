-- The timers of a tag and by match which it has, as of one moment, to be compared.
--
-- KEYS[1]  the timers of a tag
-- KEYS[2]  by match: its timers among them
--
-- Returns the timers, each followed by its score; the matches, each followed by its timers.

return {redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES'), redis.call('HGETALL', KEYS[2])}
