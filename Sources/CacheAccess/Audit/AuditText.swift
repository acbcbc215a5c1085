/// Lines of JSON as they grow: objects, lists and their members, in the order they are given.
///
/// What could steer a terminal or break a line – control and format characters, separators of
/// lines – is written as an escape, wherever it comes from.
package struct AuditText {
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    package init() {}

    /// A text as JSON writes it, with its quotes.
    package static func quoted(_ text: String) -> String {
        var line = AuditText()
        line.append(quoted: text)
        return String(decoding: line.bytes, as: UTF8.self)
    }

    package mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        needsComma = false
    }

    mutating func endLine() {
        bytes.append(UInt8(ascii: "\n"))
        needsComma = false
    }

    mutating func beginObject() { open("{") }
    mutating func endObject() { close("}") }
    mutating func endList() { close("]") }

    mutating func beginList(_ name: String) {
        append(name: name)
        open("[")
    }

    mutating func member(_ name: String, _ value: String?) {
        append(name: name)
        if let value { append(quoted: value) } else { bytes += "null".utf8 }
        needsComma = true
    }

    mutating func member(_ name: String, _ value: UInt64?) {
        append(name: name)
        bytes += (value.map(String.init) ?? "null").utf8
        needsComma = true
    }

    mutating func member(_ name: String, _ value: Bool) {
        append(name: name)
        bytes += (value ? "true" : "false").utf8
        needsComma = true
    }

    mutating func element(_ value: String) {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        append(quoted: value)
        needsComma = true
    }

    private mutating func open(_ bracket: Character) {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        bytes += String(bracket).utf8
        needsComma = false
    }

    private mutating func close(_ bracket: Character) {
        bytes += String(bracket).utf8
        needsComma = true
    }

    private mutating func append(name: String) {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        append(quoted: name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    private mutating func append(quoted value: String) {
        bytes.append(UInt8(ascii: "\""))
        if value.utf8.allSatisfy(Self.isPlain) {
            bytes += value.utf8
        } else {
            for scalar in value.unicodeScalars { append(scalar) }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Whether a byte stands for itself, whatever is beside it.
    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20..<0x7F).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private mutating func append(_ scalar: Unicode.Scalar) {
        switch scalar {
        case "\"": bytes += "\\\"".utf8
        case "\\": bytes += "\\\\".utf8
        default:
            guard Self.isEscaped(scalar) else {
                bytes += String(scalar).utf8
                return
            }
            for unit in String(scalar).utf16 { append(escaping: unit) }
        }
    }

    private static func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned: true
        default: false
        }
    }

    private mutating func append(escaping unit: UInt16) {
        let digits = String(unit, radix: 16)
        bytes += "\\u".utf8
        bytes += String(repeating: "0", count: 4 - digits.count).utf8
        bytes += digits.utf8
    }
}
