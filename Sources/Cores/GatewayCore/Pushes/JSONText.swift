import ByteCoding
import CacheModel

/// One JSON object, written member by member.
struct JSONText {
    private var bytes: [UInt8]

    /// Begins with its type.
    init(_ kind: PushMessage.Kind) {
        bytes = Array("{\"type\":\"\(kind.rawValue)\"".utf8)
    }

    func finished() -> [UInt8] { bytes + [UInt8(ascii: "}")] }

    /// A position as text; `null` for none.
    mutating func append(_ name: String, _ position: LogPosition?) {
        append(name, word: position?.description)
    }

    mutating func append(_ name: String, number: UInt64) {
        begin(name)
        raw(String(number))
    }

    /// `null` for none.
    mutating func append(_ name: String, word: String?) {
        begin(name)
        guard let word else {
            raw("null")
            return
        }
        JSONString.append(word, to: &bytes)
    }

    mutating func append(_ name: String, scopes: some Collection<Scope>) {
        begin(name)
        bytes.append(UInt8(ascii: "["))
        for (place, scope) in scopes.enumerated() {
            if place > 0 { bytes.append(UInt8(ascii: ",")) }
            append(scope)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    /// As `martlet tail --json` writes them, except that numbers of 64 bits are text: numbers in
    /// JavaScript are exact up to 53 bits only.
    private mutating func append(_ scope: Scope) {
        switch scope.target {
        case .everything: raw("{\"kind\":\"all\"")
        case .namespace(let room):
            raw("{\"kind\":\"namespace\"")
            append("name", word: room.name)
        case .key(let key, let room): named("key", key.bytes, room)
        case .prefix(let prefix, let room): named("prefix", prefix, room)
        case .tag(let tag, let room): named("tag", tag.bytes, room)
        }
        if let version = scope.minimumVersion {
            append("min_version", word: version.description)
        }
        if let range = scope.hashRange {
            begin("hash_range")
            raw("[\"\(range.lowerBound)\",\"\(range.upperBound)\"]")
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private mutating func named(_ kind: String, _ name: [UInt8], _ room: Namespace) {
        raw("{\"kind\":\"\(kind)\"")
        let text = String(decoding: name, as: UTF8.self)
        append("name", word: text)
        if !text.utf8.elementsEqual(name) {
            begin("name_base64")
            raw("\"\(Base64Text.text(of: name))\"")
        }
        append("namespace", word: room.name)
    }

    private mutating func begin(_ name: String) { raw(",\"\(name)\":") }

    private mutating func raw(_ text: String) { bytes.append(contentsOf: text.utf8) }
}
