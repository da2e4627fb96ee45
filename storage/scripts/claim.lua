-- Leases timers that are due to one process: their scores become the end of the lease.
--
-- KEYS[1]   the timers of a tag
-- KEYS[2]   the leased ones among them, each with its process
-- ARGV[1]   up to when a timer is due
-- ARGV[2]   the end of the lease
-- ARGV[3]   the process
-- ARGV[4..] the timers
--
-- Returns those that are leased; not the ones that another process has, or that were set anew.

local leased = {}
for at = 4, #ARGV do
    local score = redis.call('ZSCORE', KEYS[1], ARGV[at])
    if score and tonumber(score) <= tonumber(ARGV[1]) then
        redis.call('ZADD', KEYS[1], ARGV[2], ARGV[at])
        redis.call('HSET', KEYS[2], ARGV[at], ARGV[3])
        leased[#leased + 1] = ARGV[at]
    end
end
return leased
