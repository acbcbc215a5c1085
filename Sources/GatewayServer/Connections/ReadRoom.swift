import CacheHTTP
import CacheModel

/// Room for values that nodes are asked for, before they come.
struct ReadRoom: Sendable {
    /// What was found, and what the budget holds for it until that is given back.
    struct Held<Found> {
        var found: Found
        var bytes: Int
    }

    let budget: ValueBudget
    private let sizes = ReadSizes()
    /// What is shorter is not counted.
    private var uncountedBytes = GatewayLimits.valueBytesUncounted

    init(_ budget: ValueBudget) { self.budget = budget }

    /// The same room, for streams of HTTP/2: a connection has a hundred at a time, so every byte
    /// counts.
    var forStreams: ReadRoom {
        var room = self
        room.uncountedBytes = 0
        return room
    }

    /// How many of a value's bytes the budget hears of.
    func counted(_ bytes: Int) -> Int { bytes > uncountedBytes ? bytes : 0 }

    /// Asks for the values of keys, if there is room for as much as they are likely to be.
    ///
    /// - Parameter ask: also tells how long the value of each key is, in their order: 0 where
    ///   there is none, `nil` where that is not known.
    /// - Throws: ``ProblemKind/busy``, and what `ask` throws; nothing is held then.
    func around<Found>(
        _ keys: [CacheKey], _ namespace: Namespace,
        _ ask: () async throws -> (Found, lengths: [Int?])
    ) async throws -> Held<Found> {
        let estimate = keys.reduce(0) { $0 + counted(sizes.estimate(namespace, $1)) }
        try budget.take(estimate)
        do {
            let (found, lengths) = try await ask()
            for (key, length) in zip(keys, lengths) {
                if let length { note(key, namespace, bytes: length) }
            }
            let bytes = lengths.reduce(0) { $0 + counted($1 ?? 0) }
            try budget.settle(estimate, as: bytes)
            return Held(found: found, bytes: bytes)
        } catch {
            budget.giveBack(estimate)
            throw error
        }
    }

    /// A value of a key was seen.
    func note(_ key: CacheKey, _ namespace: Namespace, bytes: Int) {
        sizes.note(namespace, key, bytes: bytes)
    }
}
