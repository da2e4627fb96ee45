-- A match and its timers, as of one moment, for a backup.
--
-- KEYS[1]  the match
-- KEYS[2]  by match: its timers
-- ARGV[1]  the match's id

return {redis.call('GET', KEYS[1]), redis.call('HGET', KEYS[2], ARGV[1])}
