import CacheAccess
import CacheInvalidation

/// What each key has of the room for invalidations and receipts that wait: in number until they
/// are answered, in bytes until the log is handed them. The other half is always there for others.
///
/// - Complexity: O(1) for each message; a place for each key that ever waited.
struct WaitShares {
    private struct Share {
        var count = 0
        var bytes = 0
    }

    /// At the place of their number.
    private var shares: [Share] = []

    /// Whether one more message of a key may wait.
    ///
    /// - Parameter countMax: what was granted to it; `nil`: half of what there is.
    func hasRoom(for principal: PrincipalNumber, _ bytes: Int, countMax: Int?) -> Bool {
        let index = Int(principal.rawValue)
        guard index < shares.count else { return true }
        return shares[index].count < countMax ?? InvalidationLimits.waitsMax / 2
            && shares[index].bytes + bytes <= PublisherLimits.queuedBytesMax / 2
    }

    /// A message of a key begins to wait for its answer.
    mutating func enter(_ principal: PrincipalNumber, _ bytes: Int) {
        guard principal != .unknown else { return }
        let index = Int(principal.rawValue)
        while shares.count <= index { shares.append(Share()) }
        shares[index].count += 1
        shares[index].bytes += bytes
    }

    /// What it asked is on its way into the log, and not queued any more; its answer is to come.
    mutating func handOver(_ principal: PrincipalNumber, _ bytes: Int) {
        guard principal != .unknown else { return }
        shares[Int(principal.rawValue)].bytes -= bytes
    }

    /// It has to be queued again.
    mutating func takeBack(_ principal: PrincipalNumber, _ bytes: Int) {
        guard principal != .unknown else { return }
        shares[Int(principal.rawValue)].bytes += bytes
    }

    /// It is answered.
    ///
    /// - Parameter bytes: of what was still queued.
    mutating func leave(_ principal: PrincipalNumber, _ bytes: Int = 0) {
        guard principal != .unknown else { return }
        let index = Int(principal.rawValue)
        shares[index].count -= 1
        shares[index].bytes -= bytes
        precondition(
            shares[index].count >= 0 && shares[index].bytes >= 0, "what leaves has come")
    }
}
