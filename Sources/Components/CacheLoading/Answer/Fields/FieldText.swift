/// The value of a field, or a part of one, not interpreted.
struct FieldText: Equatable {
    private(set) var bytes: ArraySlice<UInt8>

    /// These bytes, unchanged.
    init(exactly bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
    }

    /// These bytes without the spaces and tabs around them.
    init(trimming bytes: ArraySlice<UInt8>) {
        var (start, end) = (bytes.startIndex, bytes.endIndex)
        while start < end, bytes[start].isFieldSpace { start += 1 }
        while start < end, bytes[end - 1].isFieldSpace { end -= 1 }
        self.bytes = bytes[start..<end]
    }

    /// A complete value as received. CR, LF and NUL count as spaces: RFC 9110, 5.5.
    init(_ value: String) {
        var bytes = Array(value.utf8)
        for index in 0..<bytes.count where bytes[index].isForbiddenInField {
            bytes[index] = .space
        }
        self.init(trimming: bytes[...])
    }

    var isEmpty: Bool { bytes.isEmpty }

    /// Whether it equals `word`, case-insensitively.
    func isWord(_ word: String) -> Bool {
        guard bytes.count == word.utf8.count else { return false }
        var index = bytes.startIndex
        for letter in word.utf8 {
            guard bytes[index].lowercased == letter.lowercased else { return false }
            index += 1
        }
        return true
    }

    /// Whether it is a token: RFC 9110, 5.6.2.
    var isToken: Bool { !isEmpty && bytes.allSatisfy { $0.isTokenByte } }

    /// Whether it is the text that was sent, as far as can be determined.
    ///
    /// The receiver of the answer replaced bytes that were not UTF-8 by U+FFFD, so two different
    /// texts that contain it may look equal.
    var isIntact: Bool {
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
    mutating func takeMember(endedBy isEnd: (UInt8) -> Bool) -> FieldText? {
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
}
