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
        var objects: [BodyMembers] = []
        for value in values {
            guard case .members(let members) = value else { throw wrong }
            objects.append(BodyMembers(members))
        }
        return objects
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
        switch left.removeValue(forKey: name) {
        case nil: return false
        case .bool(let value): return value
        default: throw Problem(.malformedBody, "\(name) is true or false")
        }
    }

    mutating func text(_ name: String) throws(Problem) -> String? {
        switch left.removeValue(forKey: name) {
        case nil: return nil
        case .text(let value): return value
        default: throw Problem(.malformedBody, "\(name) is a string")
        }
    }

    mutating func unsigned(_ name: String) throws(Problem) -> UInt64? {
        switch left.removeValue(forKey: name) {
        case nil: return nil
        case .integer(let value) where value > 0: return UInt64(value)
        case .unsigned(let value): return value
        default: throw Problem(.malformedBody, "\(name) is a whole number above zero")
        }
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
        guard let namespace = Namespace(text) else {
            throw Problem(.malformedBody, "\(name) is 1 to 64 of a–z A–Z 0–9 . _ -")
        }
        return namespace
    }

    /// A list of names: each a string, or `{"base64": "…"}` for bytes that are no text.
    mutating func names(_ name: String) throws(Problem) -> [[UInt8]] {
        guard let value = left.removeValue(forKey: name) else { return [] }
        let wrong = Problem(
            .malformedBody,
            "\(name) is a list; each of it is a string, or {\"base64\": \"…\"} for any bytes")
        guard case .list(let values) = value else { throw wrong }
        var names: [[UInt8]] = []
        for value in values {
            guard let bytes = Self.bytes(of: value) else { throw wrong }
            names.append(bytes)
        }
        return names
    }

    /// Bytes: a string, or `{"base64": "…"}`.
    mutating func bytes(_ name: String) throws(Problem) -> [UInt8] {
        guard let value = left.removeValue(forKey: name), let bytes = Self.bytes(of: value) else {
            throw Problem(
                .malformedBody, "\(name) is a string, or {\"base64\": \"…\"} for any bytes")
        }
        return bytes
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

    func outside(_ name: String, _ bytesMax: Int) -> Problem {
        Problem(.malformedBody, "\(name): each has 1 to \(bytesMax) bytes")
    }
}
