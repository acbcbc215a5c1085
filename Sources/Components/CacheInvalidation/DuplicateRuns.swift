import CacheModel

/// Nodes of which two runs are heard side by side: two processes were started under one id, or one
/// that was paused goes on beside its successor. Both answer requests, each from its own memory.
///
/// A message of the earlier run may still be on its way; so it has to be heard for
/// ``InvalidationLimits/duplicateAfter`` before it counts.
struct DuplicateRuns {
    private struct Sighting {
        var since: Instant
        var last: Instant
    }

    private var sightings: [NodeID: Sighting] = [:]

    /// A run was heard that is not the newest of its node, while the newest was heard lately.
    mutating func heardEarlierRun(of node: NodeID, now: Instant) {
        guard let known = sightings[node], !Self.isOver(known, at: now) else {
            sightings[node] = Sighting(since: now, last: now)
            return
        }
        sightings[node]?.last = now
    }

    /// Sorted.
    func nodes(at now: Instant) -> [NodeID] {
        sightings.filter { _, sighting in
            !Self.isOver(sighting, at: now)
                && sighting.last.elapsed(since: sighting.since) >= InvalidationLimits.duplicateAfter
        }.keys.sorted()
    }

    mutating func dropOver(at now: Instant) {
        sightings = sightings.filter { !Self.isOver($1, at: now) }
    }

    private static func isOver(_ sighting: Sighting, at now: Instant) -> Bool {
        now.elapsed(since: sighting.last) >= InvalidationLimits.duplicateWindow
    }
}
