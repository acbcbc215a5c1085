import ByteCoding

/// Lines of JSON as they grow: objects, lists and their members, in the order they are given.
package struct AuditText {
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    package init() {}

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
        if let value { JSONString.append(value, to: &bytes) } else { bytes += "null".utf8 }
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
        JSONString.append(value, to: &bytes)
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
        JSONString.append(name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }
}
