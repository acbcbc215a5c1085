import GatewayCore
import Threading

extension PushDesk {
    /// The hub's counters, and the number of subscribers of each kind.
    ///
    /// - Complexity: O(subscribers).
    var figuresByTransport: (PushFigures, [PushTransport: Int]) {
        state.withLock { state in
            var counts: [PushTransport: Int] = [:]
            for (_, reader) in state.readers.values { counts[reader.transport, default: 0] += 1 }
            return (state.hub.snapshot, counts)
        }
    }
}
