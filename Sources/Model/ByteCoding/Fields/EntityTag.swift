/// An ETag (RFC 9110, 8.8.3): two quotes with what identifies a representation between them,
/// optionally after `W/`.
package struct EntityTag: Hashable, Sendable {
    /// Which bytes may stand between the quotes.
    package enum Alphabet: Sendable {
        /// Visible ASCII but the quote. The gateway takes and sends no other.
        case visibleASCII
        /// Bytes from 0x80 on, too: RFC 9110 lets an origin send them.
        case withObsoleteText

        fileprivate func has(_ byte: UInt8) -> Bool {
            byte == 0x21 || (0x23...0x7E).contains(byte)
                || self == .withObsoleteText && byte >= 0x80
        }
    }

    package var isWeak: Bool
    /// The bytes between the quotes.
    package var opaque: [UInt8]

    package init(isWeak: Bool = false, _ opaque: [UInt8]) {
        self.isWeak = isWeak
        self.opaque = opaque
    }

    /// Reads `"abc"` or `W/"abc"`; `nil` for anything else.
    package init?(_ text: ArraySlice<UInt8>, of alphabet: Alphabet) {
        let isWeak = Self.isWeak(text)
        let quoted = isWeak ? text.dropFirst(2) : text
        guard quoted.count >= 2, quoted.first == .quote, quoted.last == .quote else { return nil }
        let opaque = quoted.dropFirst().dropLast()
        guard opaque.allSatisfy(alphabet.has) else { return nil }
        self.init(isWeak: isWeak, Array(opaque))
    }

    /// Reads one of visible ASCII.
    package init?(_ text: String) {
        self.init(Array(text.utf8)[...], of: .visibleASCII)
    }

    private static func isWeak(_ text: ArraySlice<UInt8>) -> Bool { text.starts(with: "W/".utf8) }

    package var text: String {
        (isWeak ? "W/\"" : "\"") + String(decoding: opaque, as: UTF8.self) + "\""
    }

    /// Whether both are equal by weak comparison (RFC 9110, 8.8.3.2): they stand for the same
    /// value, be it byte for byte or not.
    package func matchesWeakly(_ other: EntityTag) -> Bool { opaque == other.opaque }

    /// Whether both stand for the same bytes.
    package func matchesStrongly(_ other: EntityTag) -> Bool {
        !isWeak && !other.isWeak && opaque == other.opaque
    }

    /// Reads a list with commas, each of visible ASCII; `nil` if something in it is no ETag, or
    /// there is nothing.
    package static func list(_ text: String) -> [EntityTag]? {
        var tags: [EntityTag] = []
        var rest = Array(text.utf8)[...]
        while true {
            rest = rest.drop { $0.isFieldSpace || $0.isComma }
            guard !rest.isEmpty else { break }
            let opaqueStart = isWeak(rest) ? 3 : 1
            let opaque = rest.dropFirst(opaqueStart).prefix(while: Alphabet.visibleASCII.has)
            let length = opaqueStart + opaque.count + 1
            guard let tag = EntityTag(rest.prefix(length), of: .visibleASCII) else { return nil }
            tags.append(tag)
            rest = rest.dropFirst(length).drop(while: \.isFieldSpace)
            guard rest.isEmpty || rest.first == .comma else { return nil }
        }
        return tags.isEmpty ? nil : tags
    }
}
