import ByteCoding

/// The service that the spans belong to, as a collector shows it.
package struct SpanResource: Hashable, Sendable {
    /// `service.name`, such as `martlet-gateway`.
    package let service: String
    /// `service.instance.id`: identifies a process of a service.
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
