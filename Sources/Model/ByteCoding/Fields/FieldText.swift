/// The value of a field, or a part of one, not interpreted.
package struct FieldText: Equatable, Sendable {
    package private(set) var bytes: ArraySlice<UInt8>

    /// These bytes, unchanged.
    package init(exactly bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
    }

    /// These bytes without the spaces and tabs around them.
    package init(trimming bytes: ArraySlice<UInt8>) {
        var (start, end) = (bytes.startIndex, bytes.endIndex)
        while start < end, bytes[start].isFieldSpace { start += 1 }
        while start < end, bytes[end - 1].isFieldSpace { end -= 1 }
        self.bytes = bytes[start..<end]
    }

    /// A complete value as received. CR, LF and NUL count as spaces: RFC 9110, 5.5.
    package init(_ value: String) {
        var bytes = Array(value.utf8)
        for index in 0..<bytes.count where bytes[index].isForbiddenInField {
            bytes[index] = .space
        }
        self.init(trimming: bytes[...])
    }

    package var isEmpty: Bool { bytes.isEmpty }

    /// Whether it is a token: RFC 9110, 5.6.2.
    package var isToken: Bool { !isEmpty && bytes.allSatisfy { $0.isTokenByte } }

    /// Whether it is the text that was sent, as far as can be determined.
    ///
    /// The receiver of the answer replaced bytes that were not UTF-8 by U+FFFD, so two different
    /// texts that contain it may look equal.
    package var isIntact: Bool {
        let replacement: [UInt8] = [0xEF, 0xBF, 0xBD]
        var rest = bytes
        while let start = rest.firstIndex(of: replacement[0]) {
            rest = rest[start...]
            if rest.starts(with: replacement) { return false }
            rest = rest.dropFirst()
        }
        return true
    }

    /// Removes the next list member from the front and returns it, trimmed; empty members are
    /// skipped.
    ///
    /// - Complexity: O(bytes removed).
    package mutating func takeMember(endedBy isEnd: (UInt8) -> Bool) -> FieldText? {
        var end = bytes.startIndex
        while end < bytes.endIndex {
            var start = end
            while start < bytes.endIndex, isEnd(bytes[start]) { start += 1 }
            end = start
            while end < bytes.endIndex, !isEnd(bytes[end]) { end += 1 }
            let member = FieldText(trimming: bytes[start..<end])
            if !member.isEmpty {
                bytes = bytes[end...]
                return member
            }
        }
        bytes = bytes[bytes.endIndex...]
        return nil
    }

    // MARK: Words and numbers

    /// Whether it equals `word`, case-insensitively.
    package func isWord(_ word: String) -> Bool { Self.isSame(bytes, word.utf8) }

    /// Whether two words or names of fields are the same but for the case of ASCII letters.
    package static func isSameWord(_ left: String, _ right: String) -> Bool {
        isSame(left.utf8, right.utf8)
    }

    private static func isSame(
        _ left: some Collection<UInt8>, _ right: some Collection<UInt8>
    ) -> Bool {
        left.count == right.count
            && zip(left, right).allSatisfy { $0.lowercased == $1.lowercased }
    }

    /// The text as a number: one or more digits and nothing else; `nil` otherwise, or if it exceeds
    /// 64 bits.
    package var wholeNumber: UInt64? {
        guard !isEmpty else { return nil }
        var number: UInt64 = 0
        for byte in bytes {
            guard byte.isDigit else { return nil }
            let (scaled, isTooLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, isStillTooLarge) = scaled.addingReportingOverflow(UInt64(byte & 0x0F))
            if isTooLarge || isStillTooLarge { return nil }
            number = sum
        }
        return number
    }

    /// The text as seconds (`delta-seconds`), limited to `secondsMax`; `nil` if it is anything but
    /// one or more digits.
    package func seconds(upTo secondsMax: Int64 = CacheDirectives.secondsMax) -> Duration? {
        guard !isEmpty, bytes.allSatisfy(\.isDigit) else { return nil }
        let counted = wholeNumber.map { Int64(clamping: $0) } ?? .max
        return .seconds(min(counted, secondsMax))
    }
}
