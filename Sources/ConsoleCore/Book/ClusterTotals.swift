/// What all nodes together do in a second; `nil` where nobody tells.
package struct ClusterTotals: Hashable, Sendable {
    package var gets: Double?
    package var hitShare: Double?
    package var invalidations: Double?
}
