/// An attribute of a span, with a name of OpenTelemetry's conventions or one of ours.
package struct SpanFact: Hashable, Sendable {
    package let name: String
    package let value: SpanValue
}
