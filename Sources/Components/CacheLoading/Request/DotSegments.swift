import ByteCoding

/// Finds path segments that a server interprets as "here" or "up": `.` and `..`.
///
/// Escaping does not prevent it. A server that resolves a path after decoding it, as nginx does,
/// reads `..%2F..%2Fsecrets` as `../../secrets`; and every server decodes `%2e` to a dot. So this
/// reads the path as such a server would: decoded, with `\` as a separator beside `/`. The part of
/// a segment after a `;` or a NUL does not count: some servers cut it off before they resolve.
struct DotSegments {
    private var dots = 0
    private var isEnded = false
    private var isName = false

    private init() {}

    /// Whether `path`, which has no escapes, has such a segment.
    ///
    /// - Complexity: O(bytes).
    static func occur(inPlain path: [UInt8]) -> Bool {
        var segment = DotSegments()
        for byte in path where segment.received(byte) { return true }
        return segment.isDots
    }

    /// Whether `path`, with its escapes, has such a segment.
    ///
    /// - Complexity: O(bytes).
    static func occur(inEscaped path: [UInt8]) -> Bool {
        var segment = DotSegments()
        var bytes = path.makeIterator()
        while let byte = bytes.next() {
            guard byte == UInt8(ascii: "%") else {
                if segment.received(byte) { return true }
                continue
            }
            guard let high = bytes.next().flatMap(HexText.value(of:)),
                let low = bytes.next().flatMap(HexText.value(of:))
            else { return true }
            if segment.received(high << 4 | low) { return true }
        }
        return segment.isDots
    }

    private var isDots: Bool { !isName && (dots == 1 || dots == 2) }

    /// - Returns: whether `byte` ends a segment of dots.
    private mutating func received(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "/"), UInt8(ascii: "\\"):
            if isDots { return true }
            self = DotSegments()
        case UInt8(ascii: ";"), 0: isEnded = true
        case UInt8(ascii: ".") where !isEnded: dots += 1
        default: if !isEnded { isName = true }
        }
        return false
    }
}
