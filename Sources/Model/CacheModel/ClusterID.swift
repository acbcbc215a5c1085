/// The random id of one cluster, drawn when it first starts. Never zero: zero means "none" or
/// "unknown".
///
/// It outlives the log, which gets another ``LogID`` whenever it begins anew.
public struct ClusterID: Hashable, Sendable, CustomStringConvertible {
    public static let none = ClusterID(0)

    public let rawValue: UInt64

    public init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Reads what ``description`` writes.
    ///
    /// - Returns: `nil` for anything but 16 hexadecimal digits in lower case.
    public init?(text: some StringProtocol) {
        let digits = text.utf8
        let isPlain = digits.allSatisfy { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
        }
        guard digits.count == 16, isPlain, let value = UInt64(text, radix: 16) else { return nil }
        rawValue = value
    }

    /// 16 hexadecimal digits.
    public var description: String {
        let digits = String(rawValue, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }

    /// Whether both are known and different: one cluster is being mistaken for another.
    public func contradicts(_ other: ClusterID) -> Bool {
        self != other && self != .none && other != .none
    }
}
