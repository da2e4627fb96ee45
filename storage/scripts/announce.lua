-- Puts a fact about a match as it is into the stream of facts to be sent, and changes nothing else.
--
-- KEYS[1]  the match
-- KEYS[2]  a receipt: there if this ran before, and its reply was lost
-- KEYS[3]  the facts to be sent
-- ARGV[1]  the expected revision as in a record (bytes 1 to 8)
-- ARGV[2]  the match's id
-- ARGV[3]  the receipt: 24 bytes about the request, then the fact
-- ARGV[4]  how many seconds it is kept
-- ARGV[5]  what is published
--
-- Returns 1 if the fact is in the stream; else the match as it is now (nil: there is none; a head: it is in the archive).

if redis.call('EXPIRE', KEYS[2], ARGV[4]) == 1 then -- a write, so that a replica that has it has the fact too
    return 1
end
local record = redis.call('GET', KEYS[1])
if not record or #record == 9 or string.sub(record, 2, 9) ~= ARGV[1] then
    return record
end
redis.call('SET', KEYS[2], ARGV[3], 'EX', ARGV[4])
redis.call('XADD', KEYS[3], '*', 'm', ARGV[2], 'f', string.sub(ARGV[3], 25), 'r', record)
redis.pcall('PUBLISH', 'klop:wake', ARGV[5]) -- it may be forbidden
return 1
