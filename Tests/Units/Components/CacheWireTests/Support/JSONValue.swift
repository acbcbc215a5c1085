/// A JSON value that can be compared; what a frame says, in the form of the golden files.
enum JSONValue: Hashable, Sendable, Decodable {
    case bool(Bool)
    case number(Int64)
    case text(String)
    case list([JSONValue])
    case object([String: JSONValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .list(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    /// A small number; the golden files write those of 64 bits as texts, see ``wide(_:)``.
    static func small(_ value: some BinaryInteger) -> JSONValue { .number(Int64(value)) }

    static func wide(_ value: UInt64) -> JSONValue { .text(String(value)) }

    static func hex(_ bytes: some Sequence<UInt8>) -> JSONValue { .text(Hex.text(bytes)) }

    /// An object of the members that are there.
    static func members(_ members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
        var object: [String: JSONValue] = [:]
        for (name, value) in members { object[name] = value }
        return .object(object)
    }

    subscript(_ name: String) -> JSONValue? {
        get {
            guard case .object(let members) = self else { return nil }
            return members[name]
        }
        set {
            guard case .object(var members) = self else { return }
            members[name] = newValue
            self = .object(members)
        }
    }

    var text: String? {
        guard case .text(let text) = self else { return nil }
        return text
    }

    var list: [JSONValue] {
        get {
            guard case .list(let list) = self else { return [] }
            return list
        }
        set { self = .list(newValue) }
    }
}
