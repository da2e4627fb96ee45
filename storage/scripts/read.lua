-- Reads entries from streams that no other process reads: a stream is one reader's at a time, so that the entries of a match
-- or a chat keep their order. What a reader that is gone had read comes first.
--
-- KEYS     two by two: a stream, and the key of the process that reads it
-- ARGV[1]  the reader's name
-- ARGV[2]  the lease of a stream in milliseconds
-- ARGV[3]  how many entries at most
-- ARGV[4]  '1' to renew leases; doing so each time would be a write, and one to the disk, for every stream
-- ARGV[5..]  for each stream: the last entry that the reader has, '0' if it has none
--
-- Returns of each stream that this process does not just go on reading in vain: its number among them; 0 if another process
-- reads it, 1 if this one still does, 2 if it does from now on (then it begins with what was read before); and the entries.
-- Run again because a reply was lost, it returns the same and what is new.

local left = tonumber(ARGV[3])

local function read(stream, after)
    local words = {'XREADGROUP', 'GROUP', 'readers', 'reader', 'COUNT', left, 'STREAMS', stream, after}
    local found = redis.pcall(unpack(words))
    if found and found.err then
        redis.call('XGROUP', 'CREATE', stream, 'readers', '0')
        found = redis.call(unpack(words))
    end
    local entries = found and found[1] and found[1][2] or {}
    left = left - #entries
    return entries
end

local answers = {}
for at = 1, #KEYS, 2 do
    local which = (at + 1) / 2
    local holder = redis.call('GET', KEYS[at + 1])
    if holder and holder ~= ARGV[1] then
        if redis.call('PTTL', KEYS[at + 1]) > tonumber(ARGV[2]) then -- the clock was set back: no lease is so long
            redis.call('PEXPIRE', KEYS[at + 1], ARGV[2])
        end
        answers[#answers + 1] = {which, 0, {}}
    else
        if not holder or ARGV[4] == '1' then
            redis.call('SET', KEYS[at + 1], ARGV[1], 'PX', ARGV[2])
        end
        local after = holder and ARGV[which + 4] or '0'
        local entries = {}
        if left > 0 and redis.call('EXISTS', KEYS[at]) == 1 then
            entries = read(KEYS[at], after)
            if holder and #entries > 0 then -- a write, for which WAIT waits: perhaps no replica has the entries yet
                redis.call('SET', KEYS[at + 1], ARGV[1], 'PX', ARGV[2])
            end
            if left > 0 then -- else there may be more of what was read before
                for _, entry in ipairs(read(KEYS[at], '>')) do
                    entries[#entries + 1] = entry
                end
            end
        end
        if not holder or #entries > 0 then
            answers[#answers + 1] = {which, holder and 1 or 2, entries}
        end
    end
end
return answers
