/// A caller's id of one operation, by which a repetition is detected: 128 bits. ``none`` (0)
/// identifies nothing and is never detected.
public struct OperationID: Hashable, Sendable {
    public static let none = OperationID(high: 0, low: 0)

    public let high: UInt64
    public let low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}
