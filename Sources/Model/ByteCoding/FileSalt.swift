/// A random number that one file bears in its header and in each of its records.
///
/// Values of clients lie in such files as they are, and a checksum is no secret: a value could hold
/// bytes that look like records. It cannot hold this number, which is kept secret. A reader that
/// looks for records compares it before anything else.
public struct FileSalt: Hashable, Sendable {
    /// What it takes in a file.
    public static let bytes = 8

    /// Never 0.
    public let rawValue: UInt64

    /// - Returns: `nil` for 0, which is none.
    public init?(rawValue: UInt64) {
        guard rawValue != 0 else { return nil }
        self.rawValue = rawValue
    }

    /// Draws one.
    public init(drawnBy generator: inout some RandomNumberGenerator) {
        rawValue = max(1, generator.next())
    }
}
