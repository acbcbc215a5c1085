import ByteCoding
import CacheModel

/// The members of a JSON object that a body has to be, taken one after the other. What is left at
/// the end was not understood, and is refused: a misspelt `dry_run` must not invalidate.
struct BodyMembers {
    private var left: [String: JSONDocument] = [:]

    init(_ body: [UInt8]) throws(Problem) {
        let document: JSONDocument
        do throws(JSONReader.Damage) {
            document = try JSONReader.read(body)
        } catch {
            throw Problem(
                .malformedBody, "the body is no JSON: at byte \(error.offset) \(error.sentence)")
        }
        guard case .members(let members) = document else {
            throw Problem(.malformedBody, "the body is a JSON object, as /v1/openapi.json tells it")
        }
        self.init(members)
    }

    private init(_ members: JSONDocument.Members) {
        for (name, value) in zip(members.names, members.values) { left[name] = value }
    }

    func has(_ name: String) -> Bool { left[name] != nil }

    /// A list of objects, each of them to be taken apart like this one.
    mutating func objects(_ name: String) throws(Problem) -> [BodyMembers] {
        let wrong = Problem(.malformedBody, "\(name) is a list of objects")
        guard case .list(let values)? = left.removeValue(forKey: name) else { throw wrong }
        return try values.map { (value) throws(Problem) in
            guard case .members(let members) = value else { throw wrong }
            return BodyMembers(members)
        }
    }

    /// The TTL of an entry: milliseconds, or `never`.
    mutating func lifetime(_ name: String) throws(Problem) -> StoreOrder.Lifetime {
        switch left.removeValue(forKey: name) {
        case nil: return .namespaceDefault
        case .text("never"): return .never
        case .integer(let value)
        where value > 0 && value <= Int(StoreOrder.lifetimeMillisecondsMax):
            return .after(.milliseconds(Int64(value)))
        default:
            throw Problem(.malformedBody, "\(name) is \(StoreOrder.lifetimeForm), or \"never\"")
        }
    }

    mutating func flag(_ name: String) throws(Problem) -> Bool {
        try value(name, "true or false") { if case .bool(let flag) = $0 { flag } else { nil } }
            ?? false
    }

    mutating func text(_ name: String) throws(Problem) -> String? {
        try value(name, "a string") { if case .text(let text) = $0 { text } else { nil } }
    }

    mutating func unsigned(_ name: String) throws(Problem) -> UInt64? {
        try value(name, "a whole number above zero") { document in
            switch document {
            case .integer(let value) where value > 0: UInt64(value)
            case .unsigned(let value): value
            default: nil
            }
        }
    }

    /// Takes a member; `nil` if there is none.
    private mutating func value<Value>(
        _ name: String, _ form: String, _ read: (JSONDocument) -> Value?
    ) throws(Problem) -> Value? {
        guard let document = left.removeValue(forKey: name) else { return nil }
        return try read(document).or(.malformedBody, "\(name) is \(form)")
    }

    /// A number, or its digits as a string: many programs write no number above 2^53 exactly.
    mutating func version(_ name: String) throws(Problem) -> Version? {
        if case .text(let digits)? = left[name] {
            left[name] = StoreOrder.number(digits).map(JSONDocument.unsigned) ?? .null
        }
        do throws(Problem) {
            return try unsigned(name).map { Version($0) }
        } catch {
            throw Problem(
                .malformedBody,
                "\(name) is a whole number from 1 to 2^64 − 1, or its digits as a string")
        }
    }

    mutating func namespace(_ name: String) throws(Problem) -> Namespace? {
        guard let text = try text(name) else { return nil }
        return try Namespace(text).or(.malformedBody, "\(name) is 1 to 64 of a–z A–Z 0–9 . _ -")
    }

    mutating func namespaces() throws(Problem) -> [Namespace] {
        try names("namespaces").map { (bytes) throws(Problem) in
            try Namespace(String(decoding: bytes, as: UTF8.self))
                .or(.malformedBody, "namespaces: 1 to 64 of a–z A–Z 0–9 . _ - each")
        }
    }

    /// A list of names of 1 to so many bytes.
    mutating func names<Name>(
        _ name: String, upTo bytesMax: Int, _ make: ([UInt8]) -> Name?
    ) throws(Problem) -> [Name] {
        try names(name).map { (bytes) throws(Problem) in
            try make(bytes).or(.malformedBody, "\(name): each has 1 to \(bytesMax) bytes")
        }
    }

    /// A list of names: each a string, or `{"base64": "…"}` for bytes that are no text.
    mutating func names(_ name: String) throws(Problem) -> [[UInt8]] {
        guard let value = left.removeValue(forKey: name) else { return [] }
        let wrong = Problem(
            .malformedBody,
            "\(name) is a list; each of it is a string, or {\"base64\": \"…\"} for any bytes")
        guard case .list(let values) = value else { throw wrong }
        return try values.map { (value) throws(Problem) in
            guard let bytes = Self.bytes(of: value) else { throw wrong }
            return bytes
        }
    }

    /// Bytes: a string, or `{"base64": "…"}`.
    mutating func bytes(_ name: String) throws(Problem) -> [UInt8] {
        try left.removeValue(forKey: name).flatMap(Self.bytes)
            .or(.malformedBody, "\(name) is a string, or {\"base64\": \"…\"} for any bytes")
    }

    private static func bytes(of value: JSONDocument) -> [UInt8]? {
        switch value {
        case .text(let text): return Array(text.utf8)
        case .members(let members) where members.names == ["base64"]:
            guard case .text(let text) = members.values[0] else { return nil }
            return Base64Text.bytes(of: text)
        default: return nil
        }
    }

    /// Refuses members that were not taken.
    func end() throws(Problem) {
        guard let name = left.keys.min() else { return }
        throw Problem(
            .malformedBody, "there is no member “\(name.prefix(40))”: see /v1/openapi.json")
    }
}
