/// The state of a process, not yet formatted. The requester makes the page on its own thread, so
/// the threads that report need not.
package protocol HealthReport: Sendable {
    var readiness: Readiness { get }
    /// - Complexity: O(samples).
    var page: MetricPage { get }
}
