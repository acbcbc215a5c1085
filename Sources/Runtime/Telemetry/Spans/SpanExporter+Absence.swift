#if !Web
    package import Logging
    package import CacheMetrics

    /// Replaces the exporter in a build without the trait Web: spans are dropped. No role creates
    /// one there.
    package final class SpanExporter: Sendable {
        package init(_ options: SpanExportOptions, logger: Logger) {}

        package var figures: SpanFigures { SpanOutbox().figures }

        package func record(_ span: SpanRecord) {}

        package func lose(_ count: Int) {}

        package func stop() {}
    }
#endif
