/// Reads JSON (RFC 8259) from untrusted bytes. Bounded: in depth by ``depthMax``, in length by
/// what it is given. No input traps.
package struct JSONReader {
    /// Most lists and objects inside of each other.
    package static let depthMax = 16

    /// Why bytes are no JSON, and where.
    package struct Damage: Error, Hashable, Sendable {
        package let sentence: String
        package let offset: Int
    }

    private let bytes: [UInt8]
    private var offset = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// - Throws: the first place that is wrong.
    package static func read(_ bytes: [UInt8]) throws(Damage) -> JSONDocument {
        var reader = JSONReader(bytes)
        let value = try reader.value(depth: 0)
        reader.skipSpace()
        guard reader.offset == bytes.count else {
            throw reader.damage("something follows the end of the value")
        }
        return value
    }

    private func damage(_ sentence: String) -> Damage {
        Damage(sentence: sentence, offset: offset)
    }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            offset += 1
        }
    }

    private var peek: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        offset += 1
        return true
    }

    private mutating func value(depth: Int) throws(Damage) -> JSONDocument {
        skipSpace()
        if peek == UInt8(ascii: "{") || peek == UInt8(ascii: "[") {
            guard depth < Self.depthMax else { throw damage("it is nested too deep") }
        }
        switch peek {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try list(depth: depth)
        case UInt8(ascii: "\""): return .text(try text())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case UInt8(ascii: "-"): return try number()
        case .some(UInt8(ascii: "0")...UInt8(ascii: "9")): return try number()
        case nil: throw damage("it ends where a value is wanted")
        default: throw damage("a value is wanted")
        }
    }

    private mutating func word(
        _ word: String, _ value: JSONDocument
    ) throws(Damage) -> JSONDocument {
        guard bytes[offset...].starts(with: word.utf8) else { throw damage("a value is wanted") }
        offset += word.utf8.count
        return value
    }

    private mutating func list(depth: Int) throws(Damage) -> JSONDocument {
        offset += 1
        var values: [JSONDocument] = []
        skipSpace()
        if take(UInt8(ascii: "]")) { return .list(values) }
        while true {
            values.append(try value(depth: depth + 1))
            skipSpace()
            if take(UInt8(ascii: "]")) { return .list(values) }
            guard take(UInt8(ascii: ",")) else { throw damage("a comma or ] is wanted") }
        }
    }

    private mutating func object(depth: Int) throws(Damage) -> JSONDocument {
        offset += 1
        var members = JSONDocument.Members(names: [], values: [])
        skipSpace()
        if take(UInt8(ascii: "}")) { return .members(members) }
        while true {
            skipSpace()
            guard peek == UInt8(ascii: "\"") else { throw damage("a name in quotes is wanted") }
            let name = try text()
            guard !members.names.contains(name) else { throw damage("a name occurs twice") }
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw damage("a colon is wanted") }
            members.names.append(name)
            members.values.append(try value(depth: depth + 1))
            guard members.names.count <= Self.membersMax else {
                throw damage("an object has too many members")
            }
            skipSpace()
            if take(UInt8(ascii: "}")) { return .members(members) }
            guard take(UInt8(ascii: ",")) else { throw damage("a comma or } is wanted") }
        }
    }

    /// Most members of an object: each new name is held against those before it.
    static let membersMax = 64
}

// MARK: Numbers and text

extension JSONReader {
    private mutating func number() throws(Damage) -> JSONDocument {
        let start = offset
        _ = take(UInt8(ascii: "-"))
        let whole = digits()
        guard whole > 0, whole == 1 || bytes[offset - whole] != UInt8(ascii: "0") else {
            throw damage("a number begins with its first digit, and 0 alone with 0")
        }
        if take(UInt8(ascii: ".")) {
            guard digits() > 0 else { throw damage("digits are wanted after the point") }
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            guard digits() > 0 else { throw damage("digits are wanted in the exponent") }
        }
        let text = String(decoding: bytes[start..<offset], as: UTF8.self)
        if let whole = WholeNumber.parts(of: text[...]) {
            let value =
                whole.isNegative ? Int("-\(whole.magnitude)") : Int(exactly: whole.magnitude)
            if let value { return .integer(value) }
            if !whole.isNegative { return .unsigned(whole.magnitude) }
        }
        guard let value = Double(text), value.isFinite else {
            throw damage("a number is too large")
        }
        return .decimal(value)
    }

    private mutating func digits() -> Int {
        let start = offset
        while peek?.isDigit == true { offset += 1 }
        return offset - start
    }

    private mutating func text() throws(Damage) -> String {
        offset += 1
        var content: [UInt8] = []
        while let byte = peek {
            offset += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = String(validating: content, as: UTF8.self) else {
                    throw damage("text is not UTF-8; give such bytes as {\"base64\": …}")
                }
                return text
            case UInt8(ascii: "\\"): try escape(into: &content)
            case 0..<0x20: throw damage("text contains a control character: escape it")
            default: content.append(byte)
            }
        }
        throw damage("text has no end")
    }

    private mutating func escape(into content: inout [UInt8]) throws(Damage) {
        guard let byte = peek else { throw damage("text has no end") }
        offset += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): content.append(byte)
        case UInt8(ascii: "b"): content.append(0x08)
        case UInt8(ascii: "f"): content.append(0x0C)
        case UInt8(ascii: "n"): content.append(0x0A)
        case UInt8(ascii: "r"): content.append(0x0D)
        case UInt8(ascii: "t"): content.append(0x09)
        case UInt8(ascii: "u"): content += Array(String(try scalar()).utf8)
        default: throw damage("there is no such escape")
        }
    }

    private mutating func scalar() throws(Damage) -> Character {
        let first = try unit()
        var value = UInt32(first)
        if (0xD800..<0xDC00).contains(first) {
            guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else {
                throw damage("half of a surrogate pair")
            }
            let second = try unit()
            guard (0xDC00..<0xE000).contains(second) else {
                throw damage("half of a surrogate pair")
            }
            value = 0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(value) else { throw damage("half of a surrogate pair") }
        return Character(scalar)
    }

    private mutating func unit() throws(Damage) -> UInt16 {
        let digits = bytes[offset...].prefix(4)
        guard digits.count == 4, digits.allSatisfy({ HexText.value(of: $0) != nil }),
            let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw damage("four hexadecimal digits are wanted") }
        offset += 4
        return unit
    }
}
