/// The form of an ETag: RFC 9110, 8.8.3. Two quotes with something between them that contains no
/// quote, optionally after `W/`.
struct EntityTag {
    private let opaque: ArraySlice<UInt8>

    /// - Returns: `nil` if `text` is anything else.
    init?(_ text: FieldText) {
        let weak: [UInt8] = [UInt8(ascii: "W"), UInt8(ascii: "/")]
        let quoted = text.bytes.starts(with: weak) ? text.bytes.dropFirst(2) : text.bytes
        guard quoted.count >= 2, quoted.first == .quote, quoted.last == .quote else { return nil }
        opaque = quoted.dropFirst().dropLast()
        guard opaque.allSatisfy(\.isEntityTagByte) else { return nil }
    }

    /// Whether both are equal by weak comparison: RFC 9110, 8.8.3.2.
    func isWeaklySame(as other: EntityTag) -> Bool { opaque == other.opaque }
}
