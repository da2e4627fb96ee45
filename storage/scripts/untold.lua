-- A stream of facts as of one moment, to be checked.
--
-- KEYS[1]  the stream
--
-- Returns its entries; the last one that was ever read ('' if none was); those that are read and not yet sent.

local entries = redis.call('XRANGE', KEYS[1], '-', '+')
for _, group in ipairs(redis.call('XINFO', 'GROUPS', KEYS[1])) do
    local said = {}
    for at = 1, #group, 2 do
        said[group[at]] = group[at + 1]
    end
    if said['name'] == 'readers' then
        local pending = {}
        if said['pending'] > 0 then
            for _, each in ipairs(redis.call('XPENDING', KEYS[1], 'readers', '-', '+', said['pending'])) do
                pending[#pending + 1] = each[1]
            end
        end
        return {entries, said['last-delivered-id'], pending}
    end
end
return {entries, '', {}}
