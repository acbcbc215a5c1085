import CacheMetrics
import Tracing

extension SpanRecord {
    /// Adds attributes of swift-distributed-tracing, in the order of their names.
    mutating func add(_ attributes: SpanAttributes) {
        var facts: [(name: String, value: SpanValue)] = []
        attributes.forEach { name, attribute in facts.append((name, SpanValue(attribute))) }
        for fact in facts.sorted(by: { $0.name < $1.name }) { add(fact.name, fact.value) }
    }
}

extension SpanValue {
    fileprivate init(_ attribute: SpanAttribute) {
        switch attribute {
        case .int32(let value): self = .integer(Int64(value))
        case .int64(let value): self = .integer(value)
        case .int32Array(let values): self = .list(values.map { .integer(Int64($0)) })
        case .int64Array(let values): self = .list(values.map { .integer($0) })
        case .double(let value): self = .number(value)
        case .doubleArray(let values): self = .list(values.map { .number($0) })
        case .bool(let value): self = .truth(value)
        case .boolArray(let values): self = .list(values.map { .truth($0) })
        case .string(let value): self = .text(value)
        case .stringArray(let values): self = .list(values.map { .text($0) })
        case .stringConvertible(let value): self = .text("\(value)")
        case .stringConvertibleArray(let values): self = .list(values.map { .text("\($0)") })
        default: self = .text("")
        }
    }
}
