import CacheHTTP
import CacheModel
import Threading

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

/// Estimates the length of a value that is about to be requested, so that space can be reserved
/// before it arrives.
///
/// A key that was seen recently has its own place in a small table, until another takes it; for
/// other keys the mean is used, within bounds: a few long values must not block all others. A
/// reservation may so be too small or too large for one value, and is about right for many, which
/// matters for the memory of a process. Values that arrive are counted exactly.
final class ReadSizes: Sendable {
    private struct Place: Sendable {
        /// Of the hash of its key.
        var mark: UInt32 = 0
        /// One more than the bytes; 0: the place is free.
        var size: UInt32 = 0
    }

    private struct State: Sendable {
        var places = [Place](repeating: Place(), count: GatewayLimits.readSizePlaces)
        var mean = 0.0
    }

    private let state = Guarded(State())

    /// Bytes to reserve for the value of a key.
    func estimate(_ namespace: Namespace, _ key: CacheKey) -> Int {
        let (index, mark) = Self.place(namespace, key)
        return state.withLock { state in
            let place = state.places[index]
            return place.size > 0 && place.mark == mark
                ? Int(place.size) - 1 : min(Int(state.mean), GatewayLimits.unknownValueBytesMax)
        }
    }

    /// Records the length of a key's value; 0 if there is none.
    func note(_ namespace: Namespace, _ key: CacheKey, bytes: Int) {
        let bytes = min(bytes, GatewayLimits.bodyBytesMost)
        let (index, mark) = Self.place(namespace, key)
        state.withLock { state in
            state.places[index] = Place(mark: mark, size: UInt32(bytes + 1))
            state.mean += (Double(bytes) - state.mean) * GatewayLimits.readSizeWeight
        }
    }

    private static func place(_ namespace: Namespace, _ key: CacheKey) -> (Int, UInt32) {
        var hasher = Hasher()
        hasher.combine(namespace)
        hasher.combine(key)
        let hash = UInt64(UInt(bitPattern: hasher.finalize()))
        let index = Int(hash % UInt64(GatewayLimits.readSizePlaces))
        return (index, UInt32(truncatingIfNeeded: hash >> 32))
    }
}
