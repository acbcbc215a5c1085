/// Rates of all nodes together, per second; `nil` if no node reports them.
package struct ClusterTotals: Hashable, Sendable {
    package var gets: Double?
    package var hitShare: Double?
    package var invalidations: Double?
}
