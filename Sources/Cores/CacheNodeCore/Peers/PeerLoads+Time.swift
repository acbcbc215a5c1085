import CacheLoading
package import CacheModel
import ByteCoding
import CacheWire

extension PeerLoads {
    /// When to call `timeIsUp`; `nil`: nothing is awaited.
    ///
    /// - Complexity: O(shards that were asked).
    package var nextDeadline: Instant? {
        var next = alarms.next
        for standing in standings.values {
            guard let due = standing.due else { continue }
            next = min(next ?? due, due)
        }
        return next
    }

    /// Handles loads whose deadline has passed, and shards that have been quiet for too long.
    package mutating func timeIsUp(now: Instant, into actions: inout [Action]) {
        while let ticket = alarms.takeDue(now: now) {
            guard let load = loads.removeValue(forKey: ticket) else { continue }
            forgetQuestion(of: load)
            actions.append(.answer(ticket, .failed(.timedOut, retryAfter: nil)))
        }
        for endpoint in standings.keys.sorted() {
            if standings[endpoint]?.isTooQuiet(now: now) == true {
                broke(endpoint, now: now, into: &actions)
            } else if standings[endpoint]?.takeProbe(now: now) == true {
                actions.append(.probe(endpoint: endpoint, Self.probe))
            }
        }
        checkInvariants()
    }

    /// A peer's shard is unreachable, or has gone: its requests go elsewhere.
    ///
    /// - Complexity: O(loads · log loads).
    package mutating func broke(
        _ endpoint: String, now: Instant, into actions: inout [Action]
    ) {
        guard standings[endpoint] != nil else { return }
        standings[endpoint]?.fellSilent(now: now)
        let asked = loads.filter { $0.value.endpoint == endpoint }
        for (ticket, _) in asked.sorted(by: { $0.value.question < $1.value.question }) {
            turnAway(ticket, now: now, into: &actions)
        }
        checkInvariants()
    }

    /// Every shard answers this at once, in any state.
    private static let probe: [UInt8] = {
        var writer = ByteWriter()
        MessageWriter(.topology, requestID: 0, into: &writer).finish(&writer, count: 0)
        return writer.array
    }()
}
