import ByteCoding
package import CacheModel

/// The URL of a key's value at an origin: `https://api.example/users/{key}`.
///
///     https://api.example:8443 /users/{key} ?of={namespace}
///     ├──────── root ────────┤ ├─ path ───┤ ├─── query ───┤
///
/// - `{key}`: the key. Every byte that is not unreserved [1] is escaped, so it cannot end its
///   segment, begin a query or add a field to it.
/// - `{+key}`: the same, but `/` is not escaped: for keys that are paths.
/// - `{namespace}`: the namespace.
///
/// Placeholders are allowed in the path and in the query, never before: a key cannot choose the
/// host. A template is checked once, when the configuration is read; filling it in cannot fail. A
/// key that would give a path with a segment `.` or `..` is refused, with either placeholder:
/// escaping does not stop a server from resolving it (``DotSegments``).
///
/// [1] RFC 3986, section 2.3
package struct URLTemplate: Equatable, Sendable {
    enum Piece: Equatable, Sendable {
        case text([UInt8])
        case key(keepsSlashes: Bool)
        case namespace
    }

    /// Scheme, host and port, in lower case.
    package let root: String
    /// Begins with a text that begins with `/`.
    let path: [Piece]
    /// Begins with a text that begins with `?`; empty if there is none.
    let query: [Piece]

    /// The target of a request: path and query, ASCII.
    ///
    /// - Returns: `nil` if this key, or this namespace, must not be inserted.
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
                    if PercentEncoding.isUnreserved(byte)
                        || (keepsSlashes && byte == UInt8(ascii: "/"))
                    {
                        target.append(byte)
                    } else {
                        PercentEncoding.append(byte, to: &target)
                    }
                }
            }
        }
    }
}
