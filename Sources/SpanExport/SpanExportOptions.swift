package import SpanCore

/// Where spans go, and whose they are.
package struct SpanExportOptions: Sendable {
    package let place: CollectorPlace
    package let resource: SpanResource

    package init(place: CollectorPlace, resource: SpanResource) {
        self.place = place
        self.resource = resource
    }
}
