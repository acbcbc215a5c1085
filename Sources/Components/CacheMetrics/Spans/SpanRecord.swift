package import CacheModel

/// A span that has ended: one piece of work, its time, and its parent. A plain value.
package struct SpanRecord: Hashable, Sendable {
    /// In OpenTelemetry's numbering.
    package enum Kind: Int, Hashable, Sendable {
        case `internal` = 1
        case server, client, producer, consumer
    }

    /// The outcome, in OpenTelemetry's numbering.
    package enum Status: Int, Hashable, Sendable {
        /// No known error.
        case unset
        case ok, error
    }

    /// The ids of the trace and of this span.
    package let context: TraceContext
    /// The parent span; `nil` for the first span of a trace.
    package let parent: UInt64?
    /// Whether another process recorded the parent.
    package var isParentRemote = false
    package var kind: Kind
    package private(set) var name: String
    /// Nanoseconds since 1970.
    package let beginning: UInt64
    package private(set) var end: UInt64
    package private(set) var attributes: [SpanFact] = []
    /// Attributes and events that were dropped for lack of capacity.
    package var droppedAttributeCount = 0
    package var droppedEventCount = 0
    package var droppedLinkCount = 0
    package var status = Status.unset
    /// The message of an error; may be empty.
    package private(set) var statusMessage = ""

    package init(
        _ name: String, _ kind: Kind, _ context: TraceContext, under parent: UInt64?,
        at beginning: UInt64
    ) {
        self.name = Self.cut(name)
        self.kind = kind
        self.context = context
        self.parent = parent
        self.beginning = beginning
        end = beginning
    }

    package mutating func rename(_ name: String) { self.name = Self.cut(name) }

    package mutating func add(_ name: String, _ value: SpanValue) {
        guard attributes.count < SpanLimits.attributesMax else {
            droppedAttributeCount += 1
            return
        }
        attributes.append(SpanFact(name: Self.cut(name), value: value.cut))
    }

    package mutating func fail(_ message: String) {
        status = .error
        statusMessage = Self.cut(message)
    }

    /// The wall clock may have been set back meanwhile; no span ends before it begins.
    package mutating func end(at end: UInt64) { self.end = max(end, beginning) }

    /// Cuts a text to ``SpanLimits/textBytesMax``, between two characters.
    static func cut(_ text: String) -> String {
        guard text.utf8.count > SpanLimits.textBytesMax else { return text }
        var bytes = Array(text.utf8.prefix(SpanLimits.textBytesMax + 1))
        while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
        return String(decoding: bytes, as: UTF8.self)
    }
}
