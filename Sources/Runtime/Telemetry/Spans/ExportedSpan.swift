import CacheMetrics
import CacheModel
import Threading
package import Tracing

/// A span of ``SpanTracer``. It is open until it ends, and is then passed to the exporter, once. A
/// span that is not recorded stores nothing.
package struct ExportedSpan: Tracing.Span {
    /// The state of an open span.
    private struct Draft: Sendable {
        var record: SpanRecord
        var attributes = SpanAttributes()
        var isOver = false
    }

    package let context: ServiceContext
    private let draft: Guarded<Draft>?
    private let exporter: SpanExporter?

    init(_ record: SpanRecord, in context: ServiceContext, _ exporter: SpanExporter) {
        self.context = context
        self.exporter = exporter
        draft = Guarded(Draft(record: record))
    }

    init(unrecordedIn context: ServiceContext) {
        self.context = context
        draft = nil
        exporter = nil
    }

    package var isRecording: Bool { draft.map { $0.withLock { !$0.isOver } } ?? false }

    package var operationName: String {
        get { draft.map { $0.withLock { $0.record.name } } ?? "" }
        nonmutating set { draft?.withLock { $0.record.rename(newValue) } }
    }

    package var attributes: SpanAttributes {
        get {
            guard let draft else { return [:] }
            return draft.withLock { $0.attributes }
        }
        nonmutating set {
            draft?.withLock { $0.attributes = newValue }
        }
    }

    package func setStatus(_ status: SpanStatus) {
        draft?.withLock {
            switch status.code {
            case .ok: $0.record.status = .ok
            case .error: $0.record.fail(status.message ?? "")
            }
        }
    }

    /// Events are counted, and not sent.
    package func addEvent(_ event: SpanEvent) {
        draft?.withLock { $0.record.droppedEventCount += 1 }
    }

    /// Records the error's type only; its message may be confidential.
    package func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
    ) {
        let type = "\(type(of: error))"
        draft?.withLock { $0.attributes["error.type"] = type }
    }

    /// Links are counted, and not sent.
    package func addLink(_ link: SpanLink) {
        draft?.withLock { $0.record.droppedLinkCount += 1 }
    }

    package func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        guard let draft, let exporter else { return }
        let end = instant().nanosecondsSinceEpoch
        let record = draft.withLock { draft -> SpanRecord? in
            guard !draft.isOver else { return nil }
            draft.isOver = true
            draft.record.end(at: end)
            draft.record.add(draft.attributes)
            return draft.record
        }
        if let record { exporter.record(record) }
    }
}

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
