-- Reads entries from streams that no other process reads: a stream is one reader's at a time, so that the entries of a match
-- or a chat keep their order. What a reader that is gone had read and not deleted comes first.
--
-- KEYS[1]   the readers, each scored by when its lease of all its streams ends, in milliseconds
-- KEYS[2..] two by two: a stream, and the key of the reader that has it
-- ARGV[1]   the reader's name
-- ARGV[2]   the lease in milliseconds
-- ARGV[3]   how many entries at most
-- ARGV[4]   '1' to renew the lease; doing so each time would be a write each time
-- ARGV[5]   '1' if what is returned has to be on a replica: then it comes with a write, for which WAIT waits
-- ARGV[6]   how many beginnings of the names of readers follow that have ended
-- ARGV[7..] they; then for each stream the last entry that the reader has, empty if it does not have the stream
--
-- Returns how many readers there are, and how many of them come before this one; then of each stream that this one does not
-- just go on reading in vain: its number among them; 0 if another one reads it, 1 if this one still does, 2 if it does from now
-- on (then it begins with the oldest entry); and the entries. Run again because a reply was lost, it returns the same and what is new.

local name, lease, left, renew, ended = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4] == '1', tonumber(ARGV[6])
local now = redis.call('TIME')
now = now[1] * 1000 + math.floor(now[2] / 1000)

local function has_ended(reader)
    for at = 7, 6 + ended do
        if string.sub(reader, 1, #ARGV[at]) == ARGV[at] then
            return true
        end
    end
end

local others, count, before, registered = {}, 1, 0, false
local readers = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
for at = 1, #readers, 2 do
    local reader, ends = readers[at], tonumber(readers[at + 1])
    if reader == name then
        registered = true -- also if the lease has run out: whoever takes a stream deletes the reader first
    elseif ends <= now or has_ended(reader) then
        redis.call('ZREM', KEYS[1], reader)
    else
        if ends > now + lease + 1000 then -- the clock was set back: no lease is so long
            redis.call('ZADD', KEYS[1], now + lease, reader)
        end
        others[reader] = true
        count = count + 1
        before = before + (reader < name and 1 or 0)
    end
end
if renew or not registered then
    redis.call('ZADD', KEYS[1], now + lease, name)
end

-- Takes a stream unless another reader has it. Keys of earlier versions expire.
local function takes(stream)
    local holder = redis.call('GET', stream.reader)
    if holder and holder ~= name and (others[holder] or redis.call('PTTL', stream.reader) > 0) then
        return false
    end
    if holder ~= name then
        redis.call('SET', stream.reader, name)
    end
    return true
end

local answers, mine, words = {count, before}, {}, {'XREAD', 'COUNT', 1, 'STREAMS'}
local function answer(stream, state)
    stream.answer = {stream.number, state, {}}
    answers[#answers + 1] = stream.answer
end

for at = 2, #KEYS, 2 do
    local stream = {number = at / 2, reader = KEYS[at + 1], last = ARGV[6 + ended + at / 2]}
    local has = registered and stream.last ~= ''
    if not has then
        stream.last, has = '0', takes(stream)
        answer(stream, has and 2 or 0)
    end
    if has then
        mine[KEYS[at]] = stream
        words[#words + 1] = KEYS[at]
    end
end
if left == 0 or #words == 4 then
    return answers
end
for at = 5, #words do
    words[#words + 1] = mine[words[at]].last
end

for _, found in ipairs(redis.call(unpack(words)) or {}) do -- a stream that has entries, and the first one
    local stream = mine[found[1]]
    if left > 0 and (stream.answer or takes(stream)) then
        if not stream.answer then
            answer(stream, 1)
        end
        stream.answer[3] = redis.call('XREAD', 'COUNT', left, 'STREAMS', found[1], stream.last)[1][2]
        left = left - #stream.answer[3]
    elseif left > 0 then
        answer(stream, 0)
    end
end
if ARGV[5] == '1' and left < tonumber(ARGV[3]) then
    redis.call('ZADD', KEYS[1], now + lease, name)
end
return answers
