-- Hits, misses and 304s, and a key that moves. Arguments: the file with the least version of the
-- moving key that may be seen.
--
-- A thread has one connection (as many -t as -c), so that each answer is to the last request, and
-- the bound that is read before a request holds for its answer.

local threads = {}

function setup(thread)
    table.insert(threads, thread)
end

function init(args)
    counts = { hit = 0, miss = 0, same = 0, moving = 0, gone = 0, wrong = 0, old = 0 }
    told = ""
    path = args[1]
    math.randomseed(os.time() + tonumber(tostring(counts):match("0x(%x+)"), 16) % 100000)
end

local function read_least()
    local file = io.open(path)
    local text = file:read("*a")
    file:close()
    return tonumber(text)
end

function request()
    local draw = math.random(10)
    key = "k" .. math.random(0, 49)
    if draw <= 4 then
        kind = "hit"
        return wrk.format("GET", "/v1/mix/" .. key)
    elseif draw <= 6 then
        kind = "same"
        return wrk.format("GET", "/v1/mix/" .. key, { ["If-None-Match"] = '"of-' .. key .. '"' })
    elseif draw <= 7 then
        kind = "miss"
        return wrk.format("GET", "/v1/mix/absent-" .. key)
    end
    kind = "moving"
    least = read_least()
    return wrk.format("GET", "/v1/mix/moving")
end

local function wrong(what)
    counts.wrong = counts.wrong + 1
    if #told < 1000 then told = told .. what .. "\n" end
end

function response(status, headers, body)
    if kind == "hit" then
        if status ~= 200 or body ~= "value of " .. key then wrong(kind .. status .. body) end
    elseif kind == "same" then
        if status ~= 304 or #body > 0 then wrong(kind .. status .. body) end
    elseif kind == "miss" then
        if status ~= 404 then wrong(kind .. status .. body) end
    elseif status == 404 then
        kind = "gone"
    elseif status ~= 200 then
        wrong(kind .. status .. body)
    elseif tonumber(body) < least then
        counts.old = counts.old + 1
        if #told < 1000 then told = told .. body .. " and not " .. least .. "\n" end
    end
    counts[kind] = counts[kind] + 1
end

function done(summary, latency, requests)
    local all = {}
    for _, thread in ipairs(threads) do
        for name, count in pairs(thread:get("counts")) do all[name] = (all[name] or 0) + count end
        io.stderr:write(thread:get("told"))
    end
    local errors = summary.errors
    local parts = {}
    for name, count in pairs(all) do table.insert(parts, string.format('"%s":%d', name, count)) end
    print(string.format('counts {%s,"errors":%d,"p99_us":%d,"requests":%d,"us":%d}',
        table.concat(parts, ","), errors.connect + errors.read + errors.write + errors.timeout,
        latency:percentile(99), summary.requests, summary.duration))
end
