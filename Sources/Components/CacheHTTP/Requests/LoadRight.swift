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
        guard (1...Self.textBytesMax).contains(text.utf8.count),
            text.utf8.allSatisfy({ $0.isLetter || $0.isDigit || "+/=".utf8.contains($0) })
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
        func number(_ range: Range<Int>) -> UInt64 {
            bytes[range].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        let epoch = Epoch(UInt32(truncatingIfNeeded: number(0..<4)))
        let sequence = SequenceNumber(number(4..<12))
        let run = Incarnation(number(12..<20))
        let nonce = number(20..<28)
        guard sequence <= .max, run != .none, nonce != 0 else { return nil }
        let position = LogPosition(epoch: epoch, sequence: sequence)
        return (FillToken(position: position, incarnation: run, nonce: nonce), node)
    }

    /// The right that a PUT brings; `nil`: none.
    static func brought(by fields: FieldList) throws(Problem) -> LoadRight? {
        guard let text = fields[field] else { return nil }
        return try LoadRight(text).or(
            .malformedField,
            "\(field) of a PUT is what the answer to a GET of the key said in that field")
    }

    /// Whether a read asks for one.
    static func isWanted(by fields: FieldList) throws(Problem) -> Bool {
        try fields.flag(field, " of a GET") ?? false
    }
}
