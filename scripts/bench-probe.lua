-- For wrk: random positions of a 3-stack table with 12 cards, half of them in the stock.
local name = os.getenv("TABLE")

local function lane()
    local cards = {}
    for card = 1, 12 do
        cards[card] = math.random() < 0.5 and "." or tostring(math.random(0, 2))
    end
    return table.concat(cards)
end

function setup(thread)
    thread:set("seed", tostring(thread):len() + os.time())
end

function init()
    math.randomseed(seed)
end

request = function()
    return wrk.format("GET", "/tables/" .. name .. "/probe?position=" .. lane() .. "+" .. lane())
end

function done(summary)
    local errors = summary.errors
    local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
    print(string.format("  failed requests: %d of %d", failed, summary.requests))
end
