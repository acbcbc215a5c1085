/// Something that is known of a span, by a name of OpenTelemetry's conventions or of ours.
package struct SpanFact: Hashable, Sendable {
    package let name: String
    package let value: SpanValue
}
