import CacheAccess
import CacheInvalidation

/// Each principal's share of the capacity for waiting invalidations and receipts: in number until
/// they are answered, in bytes until they are passed to the log. The other half is always reserved
/// for others.
///
/// - Complexity: O(1) for each message; an element for each principal that ever waited.
struct WaitShares {
    private struct Share {
        var count = 0
        var bytes = 0
    }

    /// Indexed by principal number.
    private var shares: [Share] = []

    /// Whether one more message of a principal may wait.
    ///
    /// - Parameter countMax: the principal's own limit; `nil`: half of the capacity.
    func hasRoom(for principal: PrincipalNumber, _ bytes: Int, countMax: Int?) -> Bool {
        let index = Int(principal.rawValue)
        guard index < shares.count else { return true }
        return shares[index].count < countMax ?? InvalidationLimits.waitsMax / 2
            && shares[index].bytes + bytes <= PublisherLimits.queuedBytesMax / 2
    }

    /// A message of a principal begins to wait for its answer.
    mutating func enter(_ principal: PrincipalNumber, _ bytes: Int) {
        guard principal != .unknown else { return }
        let index = Int(principal.rawValue)
        while shares.count <= index { shares.append(Share()) }
        shares[index].count += 1
        shares[index].bytes += bytes
    }

    /// Its records are passed to the log, and no longer queued; its answer is still missing.
    mutating func handOver(_ principal: PrincipalNumber, _ bytes: Int) {
        guard principal != .unknown else { return }
        shares[Int(principal.rawValue)].bytes -= bytes
    }

    /// It must be queued again.
    mutating func takeBack(_ principal: PrincipalNumber, _ bytes: Int) {
        guard principal != .unknown else { return }
        shares[Int(principal.rawValue)].bytes += bytes
    }

    /// It is answered.
    ///
    /// - Parameter bytes: of the part that was still queued.
    mutating func leave(_ principal: PrincipalNumber, _ bytes: Int = 0) {
        guard principal != .unknown else { return }
        let index = Int(principal.rawValue)
        shares[index].count -= 1
        shares[index].bytes -= bytes
        precondition(
            shares[index].count >= 0 && shares[index].bytes >= 0, "what leaves has come")
    }
}
