import CacheHTTP
import CacheModel

/// Reserves space for values that nodes are asked for, before they arrive.
struct ReadRoom: Sendable {
    let budget: ValueBudget
    private let sizes = ReadSizes()
    /// Shorter values are not counted.
    private var uncountedBytes = GatewayLimits.valueBytesUncounted

    init(_ budget: ValueBudget) { self.budget = budget }

    /// The same, for streams of HTTP/2: a connection has a hundred at a time, so every byte counts.
    var forStreams: ReadRoom {
        var room = self
        room.uncountedBytes = 0
        return room
    }

    /// The bytes of a value that count in the budget.
    func counted(_ bytes: Int) -> Int { bytes > uncountedBytes ? bytes : 0 }

    /// Requests the values of keys, if there is space for their expected size.
    ///
    /// - Parameter ask: also returns the length of each key's value, in order: 0 if there is none,
    ///   `nil` if unknown.
    /// - Returns: the result, and the bytes reserved for it in the budget until they are returned.
    /// - Throws: ``ProblemKind/busy``, and the errors of `ask`; nothing is reserved then.
    func around<Found>(
        _ keys: [CacheKey], _ namespace: Namespace,
        _ ask: () async throws -> (Found, lengths: [Int?])
    ) async throws -> (found: Found, bytes: Int) {
        let estimate = keys.reduce(0) { $0 + counted(sizes.estimate(namespace, $1)) }
        try budget.take(estimate)
        do {
            let (found, lengths) = try await ask()
            for (key, length) in zip(keys, lengths) {
                if let length { note(key, namespace, bytes: length) }
            }
            let bytes = lengths.reduce(0) { $0 + counted($1 ?? 0) }
            try budget.settle(estimate, as: bytes)
            return (found, bytes)
        } catch {
            budget.giveBack(estimate)
            throw error
        }
    }

    /// Records the length of a key's value.
    func note(_ key: CacheKey, _ namespace: Namespace, bytes: Int) {
        sizes.note(namespace, key, bytes: bytes)
    }
}
