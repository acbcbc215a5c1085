package import CacheModel

/// The load leases that the loads of one client have taken.
///
/// A repeated request gets the load lease that the first one was given, and a client uses one
/// connection for all of its loads. So several loads may get the same lease. The first one loads,
/// and the others wait, as for the load of another client.
///
/// Bounded: a forgotten lease costs an unnecessary load.
///
/// - Complexity: O(1).
package struct LoadRights: Sendable {
    private struct Lease: Hashable {
        let incarnation: Incarnation
        let nonce: UInt64
    }

    private var taken: Set<Lease> = []
    private var order: [Lease] = []
    private var oldest = 0

    package init() {}

    /// Takes the lease of a token.
    ///
    /// - Returns: `false` if another load has done so.
    package mutating func take(_ token: FillToken) -> Bool {
        let lease = Lease(incarnation: token.incarnation, nonce: token.nonce)
        guard taken.insert(lease).inserted else { return false }
        guard order.count == ClientLimits.loadRightsMax else {
            order.append(lease)
            return true
        }
        taken.remove(order[oldest])
        order[oldest] = lease
        oldest = (oldest + 1) % ClientLimits.loadRightsMax
        return true
    }
}
