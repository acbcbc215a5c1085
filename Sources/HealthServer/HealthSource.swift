package import CacheMetrics

/// Whose health is told.
package struct HealthSource: Sendable {
    /// Asks every thread of the process what it has to tell, and calls back with all of it, once,
    /// on any thread; never if a thread hangs.
    package var takeReport: @Sendable (@escaping @Sendable (any HealthReport) -> Void) -> Void
    /// What is known of the process itself, at any moment.
    package var processPage: @Sendable () -> MetricPage

    package init(
        takeReport: @escaping @Sendable (@escaping @Sendable (any HealthReport) -> Void) -> Void,
        processPage: @escaping @Sendable () -> MetricPage
    ) {
        self.takeReport = takeReport
        self.processPage = processPage
    }
}
