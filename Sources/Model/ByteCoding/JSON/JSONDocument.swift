/// A piece of JSON. Members stand in the order they were given or read.
public indirect enum JSONDocument: Hashable, Sendable {
    package typealias Member = (name: String, value: JSONDocument)

    case null
    case bool(Bool)
    case integer(Int)
    case unsigned(UInt64)
    /// A number that is no whole one, as it was read or is to be written.
    case decimal(Double)
    case text(String)
    case list([JSONDocument])
    case members(Members)

    /// The members of an object.
    public struct Members: Hashable, Sendable {
        package var names: [String]
        package var values: [JSONDocument]

        /// The value of a member; `nil` if there is none of that name.
        package subscript(name: String) -> JSONDocument? {
            names.firstIndex(of: name).map { values[$0] }
        }
    }

    package static func object(_ members: [Member]) -> JSONDocument {
        .members(Members(names: members.map(\.name), values: members.map(\.value)))
    }

    /// What `value` is made into; `null` for `nil`.
    @inlinable package static func optional<Value>(
        _ value: Value?, _ make: (Value) -> JSONDocument
    ) -> JSONDocument {
        value.map(make) ?? .null
    }

    /// The whole on one line, without a newline.
    package var line: String { String(decoding: bytes, as: UTF8.self) }

    /// The bytes of ``line``.
    package var bytes: [UInt8] {
        var text: [UInt8] = []
        append(to: &text)
        return text
    }

    private func append(to text: inout [UInt8]) {
        switch self {
        case .null: text += "null".utf8
        case .bool(let value): text += (value ? "true" : "false").utf8
        case .integer(let value): text += "\(value)".utf8
        case .unsigned(let value): text += "\(value)".utf8
        case .decimal(let value): text += (value.isFinite ? "\(value)" : "null").utf8
        case .text(let value): JSONString.append(value, to: &text)
        case .list(let values):
            text.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                value.append(to: &text)
            }
            text.append(UInt8(ascii: "]"))
        case .members(let members):
            text.append(UInt8(ascii: "{"))
            for (index, value) in members.values.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                JSONString.append(members.names[index], to: &text)
                text.append(UInt8(ascii: ":"))
                value.append(to: &text)
            }
            text.append(UInt8(ascii: "}"))
        }
    }
}
