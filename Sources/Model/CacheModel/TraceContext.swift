/// The external request that this belongs to: the W3C trace context [1], as it is passed from hop
/// to hop.
///
///     browser ─traceparent─▶ gateway ─▶ client ─TRACE─▶ node ─traceparent─▶ origin
///                                          └──TRACE─▶ publisher ─▶ its audit log
///
/// The trace id is the same at every hop; people search logs for it. The span id identifies the hop
/// that asked. Nothing is decided by either.
///
/// [1] W3C, Trace Context, level 2.
public struct TraceContext: Hashable, Sendable {
    /// The trace id, in two halves; not both are 0.
    package let high: UInt64
    package let low: UInt64
    /// The asker's span id; not 0.
    package private(set) var span: UInt64
    /// Bit 0: the asker records it. Bit 1: the id was drawn at random.
    package private(set) var flags: UInt8
    /// Additions of tracing systems, passed on unchanged; empty if there are none, or more than is
    /// passed on.
    package let state: String

    /// Longest ``state`` that is passed on, in bytes.
    package static let stateBytesMax = 38
    /// Flags that this release knows; others are not passed on, as the standard requires.
    private static let knownFlags: UInt8 = 0x03

    /// - Returns: `nil` for invalid ids.
    package init?(
        high: UInt64, low: UInt64, span: UInt64, flags: UInt8, state: String = ""
    ) {
        guard high | low != 0, span != 0 else { return nil }
        self.high = high
        self.low = low
        self.span = span
        self.flags = flags & Self.knownFlags
        self.state = Self.isState(state) ? state : ""
    }

    /// Reads the fields `traceparent` and `tracestate` of a request.
    ///
    /// - Returns: `nil` if the first is malformed: then a new trace is begun.
    public init?(traceparent: String, tracestate: String? = nil) {
        let bytes = Array(traceparent.utf8)
        let dash = UInt8(ascii: "-")
        guard bytes.count >= 55, bytes[2] == dash, bytes[35] == dash, bytes[52] == dash,
            let version = Self.number(bytes[0..<2]), version != 0xFF,
            version == 0 ? bytes.count == 55 : bytes.count == 55 || bytes[55] == dash,
            let high = Self.number(bytes[3..<19]), let low = Self.number(bytes[19..<35]),
            let span = Self.number(bytes[36..<52]), let flags = Self.number(bytes[53..<55])
        else { return nil }
        // In a newer version only the first flag is known to have the same meaning.
        self.init(
            high: high, low: low, span: span,
            flags: UInt8(flags) & (version == 0 ? Self.knownFlags : 1), state: tracestate ?? "")
    }

    /// A trace that begins here.
    ///
    /// - Parameter draw: random numbers. Not a generator of the standard library: the thread
    ///   sanitizer of Swift 6.3 aborts a program that passes on a generator without state `inout`.
    public static func begun(by draw: () -> UInt64) -> TraceContext {
        let context = TraceContext(
            high: draw(), low: draw() | 1, span: draw() | 1, flags: 0x02)
        guard let context else { preconditionFailure("ids that were made odd are not 0") }
        return context
    }

    /// The same trace for the next hop, with another span.
    public func passed(by draw: () -> UInt64) -> TraceContext {
        var next = self
        next.span = draw() | 1
        return next
    }

    /// The trace id: 32 hexadecimal digits.
    public var id: String { Self.digits(high) + Self.digits(low) }
    /// The field `traceparent`.
    public var traceparent: String {
        "00-\(id)-\(Self.digits(span))-\(flags < 16 ? "0" : "")\(String(flags, radix: 16))"
    }
    /// The field `tracestate`; `nil` if there is nothing to pass on.
    public var tracestate: String? { state.isEmpty ? nil : state }

    private static func isState(_ text: String) -> Bool {
        text.utf8.count <= stateBytesMax && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }

    /// Whether the asker records it, and wants others to.
    package var isSampled: Bool { flags & 1 == 1 }

    /// The same, with the recording flag set or cleared.
    package func marked(asSampled isSampled: Bool) -> TraceContext {
        var marked = self
        marked.flags = flags & ~1 | (isSampled ? 1 : 0)
        return marked
    }

    /// 16 hexadecimal digits.
    package static func digits(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Lower-case hexadecimal digits, 16 at most; `nil` if there is anything else.
    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                number = number << 4 | UInt64(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"):
                number = number << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return number
    }
}

extension TraceContext: CustomStringConvertible {
    public var description: String { id }
}
