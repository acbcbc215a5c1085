import CacheHTTP
import CacheModel
import Threading

/// How long a value is likely to be that is about to be asked for, so that there is room for it
/// before it is there.
///
/// A key that was seen lately has a place of its own in a small table, until another takes it; of
/// others the mean is taken, within bounds: a few long values must not keep all others out. A
/// reservation may so be too small or too great for one value, and is about right for many, which
/// is what the memory of a process is about. What comes is counted as it is.
final class ReadSizes: Sendable {
    private struct Place: Sendable {
        /// Of the hash of the key that it is for.
        var mark: UInt32 = 0
        /// One more than the bytes; 0: the place is free.
        var size: UInt32 = 0
    }

    private struct State: Sendable {
        var places = [Place](repeating: Place(), count: GatewayLimits.readSizePlaces)
        var mean = 0.0
    }

    private let state = Guarded(State())

    /// Bytes to hold free for the value of a key.
    func estimate(_ namespace: Namespace, _ key: CacheKey) -> Int {
        let (index, mark) = Self.place(namespace, key)
        return state.withLock { state in
            let place = state.places[index]
            return place.size > 0 && place.mark == mark
                ? Int(place.size) - 1 : min(Int(state.mean), GatewayLimits.unknownValueBytesMax)
        }
    }

    /// A value of a key was seen, with so many bytes; 0 where there is none.
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
