/// What a process tells of itself, still to be written out: whoever asked makes the page, on a
/// thread of its own, and not those who answered.
package protocol HealthReport: Sendable {
    var readiness: Readiness { get }
    /// - Complexity: O(samples).
    var page: MetricPage { get }
}
