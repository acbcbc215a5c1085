/// The stored form of terms: before the ETag, in the same section.
///
///     0  1  zero; no ETag begins with it
///     1  1  1: negative · 2: the answer's own fields follow · its lifetime is 4: seconds,
///           8: a date · 16, 32: the first, the second window is its own
///     2  4  stale while revalidate, milliseconds
///     6  4  stale if error, milliseconds
/// 10 4 if the answer's own fields follow: seconds of its lifetime, or seconds since 1970
///     …  …  the ETag; none if nothing follows
///
/// An entry in memory and a record on disk have these bytes in the section that otherwise has only
/// the ETag, so that neither tier needs to know more than where they begin.
extension LoadTerms {
    /// Bytes before the ETag if the answer's own fields are not stored.
    @inlinable package static var storedBytes: Int { 10 }
    /// Bytes before the ETag if they are.
    @inlinable package static var longBytes: Int { 14 }

    private static let negativeMark: UInt8 = 1
    @usableFromInline static let saidMark: UInt8 = 2
    private static let secondsMark: UInt8 = 4
    private static let dateMark: UInt8 = 8
    private static let whileRevalidateMark: UInt8 = 16
    private static let ifErrorMark: UInt8 = 32

    /// The section of an entry with these terms. The answer's own fields are left out if there is
    /// no ETag, or no space for both.
    ///
    /// - Parameter validator: left out if it is too long to fit after them.
    package func stored(with validator: Validator?) -> [UInt8] {
        guard let validator else { return withoutSaid.head }
        let room = Validator.bytesMax - validator.bytes.count
        if room >= Self.longBytes { return head + validator.bytes }
        return withoutSaid.head + (room >= Self.storedBytes ? validator.bytes : [])
    }

    private var withoutSaid: LoadTerms {
        var terms = self
        terms.said = nil
        return terms
    }

    /// The bytes before the ETag.
    package var head: [UInt8] {
        var bytes: [UInt8] = [0, marks]
        for window in [staleWhileRevalidate, staleIfError] {
            Self.append(UInt32(clamping: window.wholeMilliseconds), to: &bytes)
        }
        guard let said else { return bytes }
        switch said.lifetime {
        case nil: Self.append(0, to: &bytes)
        case .seconds(let number), .expires(let number): Self.append(number, to: &bytes)
        }
        return bytes
    }

    private var marks: UInt8 {
        var marks = isNegative ? Self.negativeMark : 0
        guard let said else { return marks }
        marks |= Self.saidMark
        switch said.lifetime {
        case nil: break
        case .seconds: marks |= Self.secondsMark
        case .expires: marks |= Self.dateMark
        }
        if said.hasWhileRevalidate { marks |= Self.whileRevalidateMark }
        if said.hasIfError { marks |= Self.ifErrorMark }
        return marks
    }

    private static func append(_ number: UInt32, to bytes: inout [UInt8]) {
        for shift in stride(from: 0, to: 32, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> UInt32(shift)))
        }
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
            staleWhileRevalidate: .milliseconds(Int64(Self.number(section, at: 2))),
            staleIfError: .milliseconds(Int64(Self.number(section, at: 6))),
            isNegative: section[1] & Self.negativeMark != 0)
        guard section[1] & Self.saidMark != 0, section.count >= Self.longBytes else { return }
        var said = SaidFreshness()
        let number = Self.number(section, at: Self.storedBytes)
        if section[1] & Self.secondsMark != 0 {
            said.lifetime = .seconds(number)
        } else if section[1] & Self.dateMark != 0 {
            said.lifetime = .expires(number)
        }
        said.hasWhileRevalidate = section[1] & Self.whileRevalidateMark != 0
        said.hasIfError = section[1] & Self.ifErrorMark != 0
        self.said = said
    }

    /// The ETag of a section, with or without terms; may be empty.
    @inlinable
    package static func validator(in section: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard begin(section) else { return section }
        let head = section[1] & saidMark == 0 ? storedBytes : longBytes
        return UnsafeRawBufferPointer(rebasing: section[min(head, section.count)...])
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

    private static func number(_ section: UnsafeRawBufferPointer, at offset: Int) -> UInt32 {
        UInt32(littleEndian: section.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
}
