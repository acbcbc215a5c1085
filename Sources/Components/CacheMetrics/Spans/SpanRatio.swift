package import CacheModel

/// Which of the traces that begin here are recorded: a share of them, by their ids.
///
/// The last 56 bits of an id are random. They are compared with a threshold, as OpenTelemetry
/// specifies [1], so all processes with the same share decide alike.
///
/// [1] OpenTelemetry, TraceState: probability sampling
package struct SpanRatio: Hashable, Sendable {
    /// Ids from this value on are recorded; 2^56 records none.
    private let threshold: UInt64

    private static let idCount: UInt64 = 1 << 56

    /// - Parameter share: 0 to 1.
    /// - Returns: `nil` for anything else.
    package init?(share: Double) {
        guard (0...1).contains(share) else { return nil }
        threshold = Self.idCount - UInt64(share * Double(Self.idCount))
    }

    /// Whether a trace that begins here is recorded.
    package func takes(_ context: TraceContext) -> Bool {
        context.low & (Self.idCount - 1) >= threshold
    }
}
