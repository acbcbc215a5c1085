import ByteCoding
import CacheModel

/// Spans in the JSON of OpenTelemetry's protocol [1]: an `ExportTraceServiceRequest`.
///
/// It is the JSON of protobuf with three differences: ids are hexadecimal instead of base64, enums
/// are numbers, and names are in camel case. 64-bit integers are strings, as in protobuf.
///
/// [1] OpenTelemetry, OTLP specification 1.5, JSON protobuf encoding
package enum OTLPText {
    /// The path after the address of a collector.
    package static let path = "/v1/traces"
    package static let contentType = "application/json"

    package static func body(of spans: [SpanRecord], from resource: SpanResource) -> String {
        JSONDocument.object([
            (
                "resourceSpans",
                .list([
                    .object([
                        ("resource", resource.document),
                        (
                            "scopeSpans",
                            .list([
                                .object([
                                    ("scope", .object([("name", .text("martlet"))])),
                                    ("spans", .list(spans.map(\.document))),
                                ])
                            ])
                        ),
                    ])
                ])
            )
        ]).line
    }
}

extension SpanFact {
    var document: JSONDocument { .object([("key", .text(name)), ("value", value.document)]) }
}

extension SpanRecord {
    /// Bits of `flags` beside those of the trace: whether it is known that the parent is remote,
    /// and whether it is.
    private static let knowsRemote = 0x100
    private static let isRemote = 0x200

    fileprivate var document: JSONDocument {
        var members: [JSONDocument.Member] = [
            ("traceId", .text(context.id)), ("spanId", .text(TraceContext.digits(context.span))),
        ]
        if let state = context.tracestate { members.append(("traceState", .text(state))) }
        if let parent { members.append(("parentSpanId", .text(TraceContext.digits(parent)))) }
        let place = Self.knowsRemote | (isParentRemote ? Self.isRemote : 0)
        members += [
            ("flags", .integer(Int(context.flags) | place)), ("name", .text(name)),
            ("kind", .integer(kind.rawValue)), ("startTimeUnixNano", .text("\(beginning)")),
            ("endTimeUnixNano", .text("\(end)")),
            ("attributes", .list(attributes.map(\.document))),
        ]
        let dropped = [
            ("droppedAttributesCount", droppedAttributeCount),
            ("droppedEventsCount", droppedEventCount), ("droppedLinksCount", droppedLinkCount),
        ]
        for (name, count) in dropped where count > 0 { members.append((name, .integer(count))) }
        if status != .unset {
            var words: [JSONDocument.Member] = [("code", .integer(status.rawValue))]
            if !statusMessage.isEmpty { words.append(("message", .text(statusMessage))) }
            members.append(("status", .object(words)))
        }
        return .object(members)
    }
}
