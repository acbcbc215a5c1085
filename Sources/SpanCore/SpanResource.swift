import CacheHTTP

/// Whose spans they are, as a collector shows it.
package struct SpanResource: Hashable, Sendable {
    /// `service.name`, such as `martlet-gateway`.
    package let service: String
    /// `service.instance.id`: tells processes of one service apart.
    package let instance: String

    package init(service: String, instance: String) {
        self.service = service
        self.instance = instance
    }

    var document: JSONDocument {
        .object([
            (
                "attributes",
                .list(
                    [
                        SpanFact(name: "service.name", value: .text(service)),
                        SpanFact(name: "service.instance.id", value: .text(instance)),
                    ].map(\.document))
            )
        ])
    }
}
