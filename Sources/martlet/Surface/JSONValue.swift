import Foundation

/// A piece of JSON whose members stand in the order they were given, so that the output of a
/// command is the same every time and reads in the order of its documentation.
indirect enum JSONValue {
    typealias Member = (name: String, value: JSONValue)

    case null
    case bool(Bool)
    case integer(Int)
    case unsigned(UInt64)
    /// `null` if it is not finite: JSON has no other way to say so.
    case decimal(Double)
    case text(String)
    case list([JSONValue])
    case object([Member])

    /// The whole on one line, without a newline.
    var line: String {
        var text = ""
        append(to: &text)
        return text
    }

    private func append(to text: inout String) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .integer(let value): text += "\(value)"
        case .unsigned(let value): text += "\(value)"
        case .decimal(let value): text += value.isFinite ? "\(value)" : "null"
        case .text(let value): Self.append(quoted: value, to: &text)
        case .list(let values):
            text += "["
            for (index, value) in values.enumerated() {
                if index > 0 { text += "," }
                value.append(to: &text)
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (index, member) in members.enumerated() {
                if index > 0 { text += "," }
                Self.append(quoted: member.name, to: &text)
                text += ":"
                member.value.append(to: &text)
            }
            text += "}"
        }
    }

    private static func append(quoted value: String, to text: inout String) {
        text += "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case ..<" ", "\u{7F}":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }

    /// Any bytes, in base64.
    static func base64(_ bytes: [UInt8]) -> JSONValue {
        .text(Data(bytes).base64EncodedString())
    }

    /// What `value` is made into; `null` for `nil`.
    static func optional<Value>(
        _ value: Value?, _ make: (Value) -> JSONValue
    ) -> JSONValue {
        value.map(make) ?? .null
    }
}
