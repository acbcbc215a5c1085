import ByteCoding
import CacheModel
import CommandSurface

/// The two sides of a comparison with an origin, for people and for scripts.
enum OriginSideText {
    /// `14 B, version 4, ETag "e1", digest 1f3a0b72c4d5e6f7`; or that there is none.
    static func text(_ side: ValueImprint?) -> String {
        guard let side else { return "no value" }
        var parts = [FigureText.size(UInt64(side.valueBytes))]
        if side.version != .none { parts.append("version \(side.version.rawValue)") }
        if let etag = side.etag { parts.append("ETag \(HarmlessText.line(etag.bytes))") }
        parts.append("digest \(hexadecimal(side.digest))")
        return parts.joined(separator: ", ")
    }

    /// What a script reads of a comparison, beside the node and the key that were asked.
    static func members(of found: OriginComparison) -> [JSONDocument.Member] {
        [
            ("filled", .optional(found.filled, JSONDocument.position)),
            ("age_ms", .milliseconds(found.age)), ("fenced", .bool(!found.isUnfenced)),
            ("shown", .optional(found.shown, json)), ("origin", .optional(found.origin, json)),
        ]
    }

    private static func json(_ side: ValueImprint) -> JSONDocument {
        var members: [JSONDocument.Member] = [
            ("value_bytes", .integer(side.valueBytes)),
            ("digest", .text(hexadecimal(side.digest))),
            (
                "version",
                .optional(side.version == .none ? nil : side.version.rawValue) { .unsigned($0) }
            ),
        ]
        if let etag = side.etag { members += JSONDocument.members("etag", etag.bytes) }
        return .object(members)
    }

    private static func hexadecimal(_ digest: UInt64) -> String {
        HexText.text(of: withUnsafeBytes(of: digest.bigEndian) { Array($0) })
    }
}
