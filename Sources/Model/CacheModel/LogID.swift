/// The random id of one log, drawn when it is created. Never zero: zero means "none".
public struct LogID: Hashable, Sendable, CustomStringConvertible {
    public static let none = LogID(0)

    public let rawValue: UInt64

    public init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    public var description: String { String(rawValue, radix: 16) }
}
