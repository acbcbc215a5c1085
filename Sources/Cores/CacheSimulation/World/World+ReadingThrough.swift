import CacheModel

/// Readers of values that nodes load themselves.
extension World {
    /// Reads a key once, or a few times at once, with some policy.
    func readThrough(_ request: Request) {
        var request = request
        // A hot key.
        if dice.chance(perMille: 300) {
            request.items = [firstItem(of: request.place) ?? request.items[0]]
        }
        guard settings.isLoaded(request.items[0]) else { return get(request) }
        if dice.chance(perMille: 150) { request.items = neighbours(of: request.items[0]) }
        if dice.chance(perMille: 400) { request.readPolicy = dice.pick(ReadPolicy.allCases) }
        if dice.chance(perMille: 100) { request.maxAgeMilliseconds = dice.pick([0, 50, 300]) }
        if dice.chance(perMille: 100) { request.maxStaleMilliseconds = dice.pick([0, 100, 1_000]) }
        request.allowsStale = dice.chance(perMille: 80)
        request.isStrong = dice.chance(perMille: 80)
        request.deadlineMilliseconds = dice.pick([400, 400, 60, 1_500])
        let count = dice.chance(perMille: 250) ? dice.number(in: 2...4) : 1
        for _ in 0..<count { get(request) }
    }
}
