package import CacheModel

/// Where an origin has the value of a key: `https://api.example/users/{key}`.
///
///     https://api.example:8443 /users/{key} ?of={namespace}
///     ├──────── root ────────┤ ├─ path ───┤ ├─── query ───┤
///
/// - `{key}`: the key. Every byte that is not unreserved [1] is escaped, so it cannot end its
///   segment, begin a query or add a field to it.
/// - `{+key}`: the same, but `/` stays: for keys that are paths themselves.
/// - `{namespace}`: the namespace.
///
/// Placeholders stand in the path and in the query, never before: a key does not choose the host.
/// The check of a template happens once, where configuration is read; to fill it in cannot fail,
/// but a key whose path would hold a segment `.` or `..` is refused, with either placeholder: no
/// escape stops a server from resolving it (``DotSegments``).
///
/// [1] RFC 3986, section 2.3
package struct URLTemplate: Equatable, Sendable {
    enum Piece: Equatable, Sendable {
        case text([UInt8])
        case key(keepsSlashes: Bool)
        case namespace
    }

    /// Scheme, host and port, in small letters, without what follows.
    package let root: String
    /// Begins with a text that begins with `/`.
    let path: [Piece]
    /// Begins with a text that begins with `?`; empty if there is none.
    let query: [Piece]

    /// The target of a request: path and query, ASCII.
    ///
    /// - Returns: `nil` if this key, or this namespace, must not be put there.
    /// - Complexity: O(bytes of template and key).
    package func target(of key: CacheKey, in namespace: Namespace) -> String? {
        var target: [UInt8] = []
        target.reserveCapacity(64 + key.bytes.count * 2)
        Self.append(path, of: key, in: namespace, to: &target)
        guard !DotSegments.occur(inEscaped: target) else { return nil }
        Self.append(query, of: key, in: namespace, to: &target)
        return String(decoding: target, as: UTF8.self)
    }

    private static func append(
        _ pieces: [Piece], of key: CacheKey, in namespace: Namespace, to target: inout [UInt8]
    ) {
        for piece in pieces {
            switch piece {
            case .text(let text): target += text
            case .namespace: target += namespace.name.utf8
            case .key(let keepsSlashes):
                for byte in key.bytes {
                    if PercentCoding.isUnreserved(byte)
                        || (keepsSlashes && byte == UInt8(ascii: "/"))
                    {
                        target.append(byte)
                    } else {
                        PercentCoding.append(byte, to: &target)
                    }
                }
            }
        }
    }
}
