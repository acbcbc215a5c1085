package import CacheModel

/// What a segment's file is called: the position before its first record.
///
///     0000000001-000000000041982.segment
///
/// Names sort as positions do. A file with another form of name is not ours and is left alone.
package struct SegmentName: Hashable, Comparable, Sendable, CustomStringConvertible {
    package static let suffix = ".segment"
    private static let epochDigits = 10
    private static let sequenceDigits = 15

    package let base: LogPosition

    package init(base: LogPosition) { self.base = base }

    /// Reads a file's name; `nil` for one that no segment has.
    package init?(_ text: String) {
        guard text.hasSuffix(Self.suffix) else { return nil }
        let stem = text.dropLast(Self.suffix.count)
        let parts = stem.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count == Self.epochDigits,
            parts[1].utf8.count == Self.sequenceDigits,
            let base = LogPosition("\(parts[0]):\(parts[1])")
        else { return nil }
        self.base = base
    }

    package var description: String {
        let epoch = Self.padded(UInt64(base.epoch.rawValue), to: Self.epochDigits)
        return epoch + "-" + Self.padded(base.sequence.rawValue, to: Self.sequenceDigits)
            + Self.suffix
    }

    private static func padded(_ number: UInt64, to digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }

    package static func < (left: Self, right: Self) -> Bool { left.base < right.base }
}
