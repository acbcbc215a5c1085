import ByteCoding

/// The value of an attribute.
package enum SpanValue: Hashable, Sendable {
    case text(String)
    case integer(Int64)
    case number(Double)
    case truth(Bool)
    indirect case list([SpanValue])

    /// With its texts cut to their limit.
    var cut: SpanValue {
        switch self {
        case .text(let text): .text(SpanRecord.cut(text))
        case .list(let values): .list(values.prefix(SpanLimits.attributesMax).map(\.cut))
        case .integer, .number, .truth: self
        }
    }

    /// As an `AnyValue` of OTLP. NaN and infinities are names there, as JSON has no numbers for
    /// them.
    var document: JSONDocument {
        switch self {
        case .text(let text): .object([("stringValue", .text(text))])
        case .integer(let value): .object([("intValue", .text("\(value)"))])
        case .number(let value) where value.isFinite: .object([("doubleValue", .decimal(value))])
        case .number(let value):
            .object([
                (
                    "doubleValue",
                    .text(value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity")
                )
            ])
        case .truth(let value): .object([("boolValue", .bool(value))])
        case .list(let values):
            .object([
                ("arrayValue", .object([("values", .list(values.map(\.document)))]))
            ])
        }
    }
}
