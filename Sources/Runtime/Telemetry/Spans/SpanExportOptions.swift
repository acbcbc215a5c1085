package import CacheMetrics

/// The destination of spans, and the service that they belong to.
package struct SpanExportOptions: Sendable {
    package let place: CollectorPlace
    package let resource: SpanResource

    package init(place: CollectorPlace, resource: SpanResource) {
        self.place = place
        self.resource = resource
    }
}
