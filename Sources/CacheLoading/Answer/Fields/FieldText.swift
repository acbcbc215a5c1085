/// The value of a field, or a part of one, without looking at what it means.
struct FieldText: Equatable {
    private(set) var bytes: ArraySlice<UInt8>

    /// These bytes as they are.
    init(exactly bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
    }

    /// These bytes without the spaces and tabs around them.
    init(trimming bytes: ArraySlice<UInt8>) {
        var trimmed = bytes.drop(while: \.isFieldSpace)
        while trimmed.last?.isFieldSpace == true { trimmed = trimmed.dropLast() }
        self.bytes = trimmed
    }

    /// A whole value as it came. CR, LF and NUL count as spaces: RFC 9110, 5.5.
    init(_ value: String) {
        self.init(trimming: value.utf8.map { $0.isForbiddenInField ? .space : $0 }[...])
    }

    var isEmpty: Bool { bytes.isEmpty }

    /// Whether it is `word`, without regard to the case of letters.
    func isWord(_ word: String) -> Bool {
        bytes.count == word.utf8.count
            && zip(bytes, word.utf8).allSatisfy { $0.lowercased == $1.lowercased }
    }

    /// Whether it is a token: RFC 9110, 5.6.2.
    var isToken: Bool { !isEmpty && bytes.allSatisfy(\.isTokenByte) }

    /// Whether it is what was sent, as far as one can see.
    ///
    /// Who received the answer put U+FFFD where the bytes were no UTF-8, so that two texts with it
    /// may look the same and not be.
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

    /// Takes the next member of a list off its front, trimmed; empty ones are passed over.
    ///
    /// - Complexity: O(bytes taken).
    mutating func takeMember(endedBy isEnd: (UInt8) -> Bool) -> FieldText? {
        while let start = bytes.firstIndex(where: { !isEnd($0) }) {
            let end = bytes[start...].firstIndex(where: isEnd) ?? bytes.endIndex
            let member = FieldText(trimming: bytes[start..<end])
            bytes = bytes[end...]
            if !member.isEmpty { return member }
        }
        bytes = bytes[bytes.endIndex...]
        return nil
    }
}
