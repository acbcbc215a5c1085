/// Reads a ``KeyGlob``, from its first byte to its last.
struct KeyGlobParser {
    private static let star = UInt8(ascii: "*")
    private static let question = UInt8(ascii: "?")
    private static let open = UInt8(ascii: "[")
    private static let close = UInt8(ascii: "]")
    private static let caret = UInt8(ascii: "^")
    private static let dash = UInt8(ascii: "-")
    private static let backslash = UInt8(ascii: "\\")

    private let bytes: [UInt8]
    /// The next byte.
    private var index = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func elements() throws(KeyGlobError) -> [KeyGlob.Element] {
        var elements: [KeyGlob.Element] = []
        while index < bytes.count {
            switch bytes[index] {
            case Self.star:
                index += 1
                // Two of them take what one takes.
                if elements.last?.isAnyBytes != true { elements.append(.anyBytes) }
            case Self.question:
                index += 1
                elements.append(.anyByte)
            case Self.open: elements.append(.oneOf(try set()))
            default: elements.append(.byte(try literal()))
            }
        }
        return elements
    }

    /// A byte that stands for itself, perhaps behind a backslash.
    private mutating func literal() throws(KeyGlobError) -> UInt8 {
        if bytes[index] == Self.backslash {
            guard index + 1 < bytes.count else {
                throw KeyGlobError(
                    index + 1,
                    "a backslash at the end takes no byte; write \\\\ for the backslash itself")
            }
            index += 1
        }
        index += 1
        return bytes[index - 1]
    }

    private mutating func set() throws(KeyGlobError) -> ByteSet {
        let begin = index
        index += 1
        let isInverted = index < bytes.count && bytes[index] == Self.caret
        if isInverted { index += 1 }
        var set = ByteSet()
        while index < bytes.count, bytes[index] != Self.close {
            try insertNext(into: &set)
        }
        guard index < bytes.count else {
            throw KeyGlobError(
                begin + 1, "a set that begins with [ has no ]; write \\[ for the bracket itself")
        }
        guard set != ByteSet() else {
            throw KeyGlobError(
                begin + 1, "a set without a byte matches nothing; write \\] for a ] in a set")
        }
        index += 1
        return isInverted ? set.inverted : set
    }

    /// One byte of a set, or a range of them.
    private mutating func insertNext(into set: inout ByteSet) throws(KeyGlobError) {
        let begin = index
        let first = try literal()
        guard index + 1 < bytes.count, bytes[index] == Self.dash, bytes[index + 1] != Self.close
        else { return set.insert(first...first) }
        index += 1
        let last = try literal()
        guard first <= last else {
            throw KeyGlobError(
                begin + 1,
                "the range ends before it begins; write the smaller byte first, or \\- for a dash")
        }
        set.insert(first...last)
    }
}

/// Bytes that a set of a ``KeyGlob`` has.
struct ByteSet: Hashable, Sendable {
    /// A bit for each byte, 64 in a word.
    private var words = SIMD4<UInt64>()

    mutating func insert(_ range: ClosedRange<UInt8>) {
        for byte in range { words[Int(byte >> 6)] |= 1 << UInt64(byte & 63) }
    }

    func contains(_ byte: UInt8) -> Bool {
        words[Int(byte >> 6)] >> UInt64(byte & 63) & 1 == 1
    }

    var inverted: ByteSet {
        var other = ByteSet()
        other.words = ~words
        return other
    }
}
