import ByteCoding
import CacheModel

/// An ETag (RFC 9110, 8.8.3), and lists of them as conditions have. Visible ASCII alone stands in
/// one here.
package struct EntityTag: Hashable, Sendable {
    package var isWeak: Bool
    /// What stands between the quotes.
    package var opaque: [UInt8]

    package init(isWeak: Bool = false, _ opaque: [UInt8]) {
        self.isWeak = isWeak
        self.opaque = opaque
    }

    /// Reads `"abc"` or `W/"abc"`; `nil` for anything else.
    package init?(_ text: some Collection<UInt8>) {
        var rest = text[...]
        let isWeak = rest.starts(with: "W/".utf8)
        if isWeak { rest = rest.dropFirst(2) }
        guard rest.popFirst() == UInt8(ascii: "\"") else { return nil }
        let opaque = Array(rest.prefix(while: Self.isAllowed))
        guard rest.dropFirst(opaque.count).elementsEqual([UInt8(ascii: "\"")]) else { return nil }
        self.init(isWeak: isWeak, opaque)
    }

    /// That of a value. What the writer gave goes before its version, and that before the value
    /// itself, which is hashed together with its representation: the same bytes in another coding
    /// are another value.
    package init(of value: FoundValue) {
        if let validator = value.etag {
            self = EntityTag(validator.bytes) ?? EntityTag(Self.quoted(validator.bytes))
        } else if value.version != .none {
            self.init(Array("v\(value.version.rawValue)".utf8))
        } else {
            let said = value.representation.stored
            let mark = said.isEmpty ? 0 : StableHash.mix(StableHash.hash(said))
            let digits = String(StableHash.hash(value.bytes) ^ mark, radix: 16)
            self.init(Array("h\(digits)-\(value.bytes.count)".utf8))
        }
    }

    /// The bytes with `%` and digits where they may not stand in an ETag.
    private static func quoted(_ bytes: [UInt8]) -> [UInt8] {
        Array(PercentText.word(bytes).replacing("\"", with: "%22").utf8)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        byte == 0x21 || (0x23...0x7E).contains(byte)
    }

    package var text: String {
        (isWeak ? "W/\"" : "\"") + String(decoding: opaque, as: UTF8.self) + "\""
    }

    /// Whether both stand for the same value, be it byte for byte or not.
    package func matchesWeakly(_ other: EntityTag) -> Bool { opaque == other.opaque }

    /// Whether both stand for the same bytes.
    package func matchesStrongly(_ other: EntityTag) -> Bool {
        !isWeak && !other.isWeak && opaque == other.opaque
    }

    /// Reads a list with commas; `nil` if something in it is no ETag, or there is nothing.
    package static func list(_ text: String) -> [EntityTag]? {
        var tags: [EntityTag] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            rest = rest.drop { $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: ",") }
            guard !rest.isEmpty else { break }
            var length = rest.starts(with: "W/".utf8) ? 3 : 1
            length += rest.dropFirst(length).prefix(while: Self.isAllowed).count + 1
            guard let tag = EntityTag(rest.prefix(length)) else { return nil }
            tags.append(tag)
            rest = rest.dropFirst(length).drop { $0 == 0x20 || $0 == 0x09 }
            guard rest.isEmpty || rest.first == UInt8(ascii: ",") else { return nil }
        }
        return tags.isEmpty ? nil : tags
    }
}
