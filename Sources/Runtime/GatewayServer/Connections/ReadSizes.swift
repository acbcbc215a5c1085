import CacheHTTP
import CacheModel
import Threading

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
