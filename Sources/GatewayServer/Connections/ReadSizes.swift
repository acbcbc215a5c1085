import CacheHTTP
import CacheModel
import Threading

/// How long a value is likely to be that is about to be asked for, so that there is room for it
/// before it is there.
///
/// A key that was seen lately has its own place in a small table, where another may have taken it;
/// of others the mean is taken. A reservation may so be too small or too great for one value, and
/// is about right for many, which is what the memory of a process is about. What comes is counted
/// as it is.
final class ReadSizes: Sendable {
    private struct State: Sendable {
        var last = [UInt32](repeating: 0, count: ReadSizes.placesCount)
        var mean = 0.0
    }

    private static let placesCount = 4_096
    /// How much one value moves the mean.
    private static let weight = 1.0 / 16

    private let state = Guarded(State())

    /// Bytes to hold free for the value of a key, as the budget counts them.
    func estimate(_ namespace: Namespace, _ key: CacheKey) -> Int {
        let place = Self.place(namespace, key)
        let bytes = state.withLock { state in
            state.last[place] > 0 ? Int(state.last[place]) - 1 : Int(state.mean)
        }
        return BodyReader.counted(bytes)
    }

    /// A value of a key was seen, with so many bytes; 0 where there is none.
    func note(_ namespace: Namespace, _ key: CacheKey, bytes: Int) {
        let bytes = min(bytes, GatewayLimits.bodyBytesMost)
        let place = Self.place(namespace, key)
        state.withLock { state in
            state.last[place] = UInt32(bytes + 1)
            state.mean += (Double(bytes) - state.mean) * Self.weight
        }
    }

    private static func place(_ namespace: Namespace, _ key: CacheKey) -> Int {
        var hasher = Hasher()
        hasher.combine(namespace)
        hasher.combine(key)
        return Int(UInt(bitPattern: hasher.finalize()) % UInt(placesCount))
    }
}
