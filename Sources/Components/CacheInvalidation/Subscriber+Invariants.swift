import CacheModel

extension Subscriber {
    /// Proves what every method relies on. O(1), and in checked builds only.
    func checkInvariants() {
        #if CACHE_CHECKED
            switch state {
            case .unsynchronized(let held): checkBounds(of: held)
            case .live(let place), .diverged(let place): check(place)
            case .recovering(let place, let missing):
                check(place)
                checkBounds(of: missing.held)
                precondition(
                    missing.target > place.applied.position,
                    "a recovering subscriber knows of a later record")
                if let first = missing.held.first {
                    precondition(
                        first.position.leavesGap(after: place.applied.position),
                        "what follows directly is applied, not held")
                }
            }
        #endif
    }

    private func check(_ place: LogPlace) {
        precondition(
            place.recent.digest(at: place.applied.position) == place.applied.digest,
            "the newest remembered digest is the applied one")
    }

    private func checkBounds(of held: HeldRecords) {
        precondition(held.count <= SubscriberLimits.heldMax, "too many records are held")
        precondition(held.bytes <= SubscriberLimits.heldBytesMax, "too many bytes are held")
        precondition(held.isEmpty == (held.bytes == 0), "the byte count drifted")
    }
}
