package import CacheModel

/// A span that has ended: one piece of work, when it was done, and for whom. A plain value.
package struct SpanRecord: Hashable, Sendable {
    /// As OpenTelemetry counts them.
    package enum Kind: Int, Hashable, Sendable {
        case `internal` = 1
        case server, client, producer, consumer
    }

    /// How it ended, as OpenTelemetry counts that.
    package enum Status: Int, Hashable, Sendable {
        /// As it should, as far as is known.
        case unset
        case ok, error
    }

    /// The trace and this span in it.
    package let context: TraceContext
    /// The span it was done for; `nil`: a trace begins with it.
    package let parent: UInt64?
    /// Whether that one was recorded by somebody else.
    package var isParentRemote = false
    package var kind: Kind
    package private(set) var name: String
    /// Since 1970, in nanoseconds.
    package let beginning: UInt64
    package private(set) var end: UInt64
    package private(set) var attributes: [SpanFact] = []
    /// Attributes and events for which there was no room.
    package var droppedAttributeCount = 0
    package var droppedEventCount = 0
    package var droppedLinkCount = 0
    package var status = Status.unset
    /// Of an error; empty if there is nothing to say.
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

    /// A calendar may have been set back meanwhile; no span ends before it begins.
    package mutating func end(at end: UInt64) { self.end = max(end, beginning) }

    /// No more of a text than is sent, and no half of a character.
    static func cut(_ text: String) -> String {
        guard text.utf8.count > SpanLimits.textBytesMax else { return text }
        var bytes = Array(text.utf8.prefix(SpanLimits.textBytesMax + 1))
        while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
        return String(decoding: bytes, as: UTF8.self)
    }
}
