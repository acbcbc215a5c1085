import CacheModel
import CacheWire
import DequeModule

/// Who waits for a replay, in the order of asking.
///
/// Nodes that come back together ask together. What one turn reads and sends is bounded; the rest
/// waits here, so that leases and invalidations do not wait behind replays. A node stands in it
/// once, with what it asked last: it asks again with every heartbeat. Observers have no such
/// habit, and may ask for several readers over one connection, so each question of theirs counts.
struct ReplayQueue<Asker> {
    private struct Place: Hashable {
        let peer: PeerID
        /// 0 for a node.
        let requestID: UInt64
    }

    private var order: Deque<Place> = []
    private var waiting: [Place: (asker: Asker, resume: Resume)] = [:]

    var isEmpty: Bool { order.isEmpty }

    /// - Returns: `false` if there is no room.
    /// - Complexity: O(1).
    mutating func add(
        _ asker: Asker, peer: PeerID, requestID: UInt64, _ resume: Resume
    ) -> Bool {
        let isNode = resume.incarnation != .none
        let place = Place(peer: peer, requestID: isNode ? 0 : requestID)
        if waiting.updateValue((asker, resume), forKey: place) == nil {
            guard order.count < PublisherLimits.replaysWaitingMax else {
                waiting[place] = nil
                return false
            }
            order.append(place)
        }
        return true
    }

    /// Takes out who has waited longest.
    mutating func next() -> (asker: Asker, resume: Resume)? {
        order.popFirst().flatMap { waiting.removeValue(forKey: $0) }
    }
}
