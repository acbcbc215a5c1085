package import SpanCore

/// Where spans go, which, and whose they are.
package struct SpanExportOptions: Sendable {
    package let place: CollectorPlace
    /// Which of the traces that begin in this process are recorded.
    package let ratio: SpanRatio
    package let resource: SpanResource

    package init(place: CollectorPlace, ratio: SpanRatio, resource: SpanResource) {
        self.place = place
        self.ratio = ratio
        self.resource = resource
    }
}
