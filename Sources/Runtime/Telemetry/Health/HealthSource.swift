package import CacheMetrics

/// The process that health reports are about.
package struct HealthSource: Sendable {
    /// Asks every thread of the process for its report, and calls back with all of them, once, on
    /// any thread; never if a thread hangs.
    package var takeReport: @Sendable (@escaping @Sendable (any HealthReport) -> Void) -> Void
    /// The metrics of the process itself, at any moment.
    package var processPage: @Sendable () -> MetricPage

    package init(
        takeReport: @escaping @Sendable (@escaping @Sendable (any HealthReport) -> Void) -> Void,
        processPage: @escaping @Sendable () -> MetricPage
    ) {
        self.takeReport = takeReport
        self.processPage = processPage
    }
}
