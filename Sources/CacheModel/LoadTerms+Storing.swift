/// How terms are stored: in front of the ETag, in the same section.
///
///     0  1  zero, with which no ETag begins
///     1  1  1: negative
///     2  4  stale while revalidate, milliseconds
///     6  4  stale if error, milliseconds
///    10  …  the ETag; none if nothing follows
///
/// An entry in memory and a record on disk hold these bytes where one without terms holds its ETag
/// alone, so that neither tier has to know more than where they begin.
extension LoadTerms {
    /// What stands before the ETag.
    @inlinable package static var storedBytes: Int { 10 }

    /// The section of an entry on these terms.
    ///
    /// - Parameter validator: left out if it is too long to stand behind them.
    package func stored(with validator: Validator?) -> [UInt8] {
        var bytes: [UInt8] = [0, isNegative ? 1 : 0]
        for window in [staleWhileRevalidate, staleIfError] {
            let milliseconds = UInt32(clamping: window.wholeMilliseconds)
            for shift in stride(from: 0, to: 32, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: milliseconds >> UInt32(shift)))
            }
        }
        if let validator, validator.bytes.count <= Validator.bytesMax - Self.storedBytes {
            bytes += validator.bytes
        }
        return bytes
    }

    /// Whether a section begins with terms.
    @inlinable
    package static func begin(_ section: UnsafeRawBufferPointer) -> Bool {
        section.count >= storedBytes && section[0] == 0
    }

    /// The terms of a section; `nil` if it has none.
    package init?(stored section: UnsafeRawBufferPointer) {
        guard Self.begin(section) else { return nil }
        self.init(
            staleWhileRevalidate: Self.window(section, at: 2),
            staleIfError: Self.window(section, at: 6), isNegative: section[1] & 1 != 0)
    }

    /// The ETag of a section, with or without terms; may be empty.
    @inlinable
    package static func validator(in section: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        begin(section)
            ? UnsafeRawBufferPointer(rebasing: section[storedBytes...]) : section
    }

    /// The longer window of a section that begins with terms, in nanoseconds. Every hit on such an
    /// entry needs it, and a `Duration` costs a hundred instructions.
    @inlinable
    package static func longestWindowNanoseconds(in section: UnsafeRawBufferPointer) -> UInt64 {
        let first = section.loadUnaligned(fromByteOffset: 2, as: UInt32.self)
        let second = section.loadUnaligned(fromByteOffset: 6, as: UInt32.self)
        return UInt64(max(UInt32(littleEndian: first), UInt32(littleEndian: second)))
            &* 1_000_000
    }

    private static func window(_ section: UnsafeRawBufferPointer, at offset: Int) -> Duration {
        let number = section.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
        return .milliseconds(Int64(UInt32(littleEndian: number)))
    }
}
