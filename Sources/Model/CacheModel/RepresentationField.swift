/// One field that describes a value's bytes, such as `image/png`: 1 to 255 bytes of visible ASCII,
/// blanks and tabs, which neither begins nor ends with a blank or tab.
public struct RepresentationField: Hashable, Sendable, CustomStringConvertible {
    /// Longest field, in bytes.
    public static let bytesMax = 255

    public let text: String

    /// - Returns: `nil` unless `text` has this form.
    public init?(_ text: String) {
        guard Self.isLegal(text.utf8) else { return nil }
        self.text = text
    }

    public var description: String { text }

    /// Whether a field may have these bytes. None of them can end a header's line.
    package static func isLegal(_ bytes: some BidirectionalCollection<UInt8>) -> Bool {
        guard let first = bytes.first, let last = bytes.last, bytes.count <= bytesMax,
            isVisible(first), isVisible(last)
        else { return false }
        return bytes.allSatisfy { isVisible($0) || $0 == 0x20 || $0 == 0x09 }
    }

    private static func isVisible(_ byte: UInt8) -> Bool { (0x21...0x7E).contains(byte) }

    /// The error for a text that is not a field.
    package static let form =
        "1 to \(bytesMax) bytes of visible ASCII and blanks, with no blank at either end"
}
