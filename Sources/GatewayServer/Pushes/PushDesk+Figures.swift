import PushCore
import Threading

extension PushDesk {
    /// What the hub has counted, and how many subscribers there are of each kind.
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
