import ByteCoding
package import CacheModel

/// The right to fill a key, as `Martlet-Token` carries it: a token of a node, and which node's.
///
///     base64 of  epoch 4 · sequence 8 · incarnation 8 · nonce 8 · node's name 1–64
///
/// A client hands one back as it is. One that was made up, or altered, is worth as much as one that
/// has run out.
package struct LoadRight: Hashable, Sendable {
    package let text: String

    package static let field = "Martlet-Token"
    private static let tokenBytes = 28
    /// Longest that one may be.
    package static let textBytesMax = (tokenBytes + Namespace.bytesMax + 2) / 3 * 4

    package init(_ token: FillToken, of node: NodeID) {
        var writer = ByteWriter(capacityBytes: Self.tokenBytes + Namespace.bytesMax)
        writer.append(token.position.epoch.rawValue)
        writer.append(token.position.sequence.rawValue)
        writer.append(token.incarnation.rawValue)
        writer.append(token.nonce)
        text = Base64Text.text(of: writer.array + Array(node.name.utf8))
    }

    /// - Returns: `nil` for anything but 1 to ``textBytesMax`` digits of base64.
    init?(_ text: String) {
        let isDigit = { (byte: UInt8) -> Bool in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"),
                UInt8(ascii: "="):
                true
            default: false
            }
        }
        guard (1...Self.textBytesMax).contains(text.utf8.count), text.utf8.allSatisfy(isDigit)
        else { return nil }
        self.text = text
    }

    /// The token and its node; `nil` if no node can have given it. One that names no load lease is
    /// judged by its position alone, and any client could make it up.
    package var opened: (token: FillToken, node: NodeID)? {
        guard let bytes = Base64Text.bytes(of: text), bytes.count > Self.tokenBytes,
            let name = String(validating: bytes[Self.tokenBytes...], as: UTF8.self),
            let node = NodeID(name)
        else { return nil }
        var numbers = Numbers(bytes)
        let epoch = Epoch(UInt32(truncatingIfNeeded: numbers.next(4)))
        let sequence = SequenceNumber(numbers.next(8))
        let run = Incarnation(numbers.next(8))
        let nonce = numbers.next(8)
        guard sequence <= .max, run != .none, nonce != 0 else { return nil }
        let position = LogPosition(epoch: epoch, sequence: sequence)
        return (FillToken(position: position, incarnation: run, nonce: nonce), node)
    }

    /// Little-endian numbers, one after the other, of bytes that are there.
    private struct Numbers {
        private var rest: ArraySlice<UInt8>

        init(_ bytes: [UInt8]) { rest = bytes[...] }

        mutating func next(_ count: Int) -> UInt64 {
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count).reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
    }

    /// The right that a PUT brings; `nil`: none.
    static func brought(by fields: FieldList) throws(Problem) -> LoadRight? {
        guard let text = fields[field] else { return nil }
        guard let right = LoadRight(text) else {
            throw Problem(
                .malformedField,
                "\(field) of a PUT is what the answer to a GET of the key said in that field")
        }
        return right
    }

    /// Whether a read asks for one.
    static func isWanted(by fields: FieldList) throws(Problem) -> Bool {
        guard let text = fields[field] else { return false }
        guard ["?1", "?0", "1", "0"].contains(text) else {
            throw Problem(.malformedField, "\(field) of a GET is ?1 or ?0")
        }
        return text.hasSuffix("1")
    }
}
