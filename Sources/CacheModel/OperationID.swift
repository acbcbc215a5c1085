/// A caller's name for one operation, so that a repetition is recognised: 128 bits. ``none`` (0)
/// names nothing and is never recognised.
public struct OperationID: Hashable, Sendable {
    public static let none = OperationID(high: 0, low: 0)

    public let high: UInt64
    public let low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}
