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

/// An error in an origin's URL template, described in one line with its remedy.
package enum URLTemplateError: Error, Equatable, CustomStringConvertible {
    case tooLong(bytes: Int)
    case notHTTP
    case placeholderBeforePath
    case userInformation
    case hostMissing
    case hostUnreadable
    case portUnreadable
    case fragment
    case bracesUnbalanced
    case placeholderUnknown
    case keyMissing
    case byteForbidden(UInt8)
    case percentUnfinished
    case dotSegment

    package var description: String {
        switch self {
        case .tooLong(let bytes):
            "the origin's URL has \(bytes) bytes: at most \(OriginRequestLimits.templateBytesMax)"
        case .notHTTP:
            "the origin's URL names no protocol for loading: begin it with http:// or https://"
        case .placeholderBeforePath:
            "a placeholder is before the path of the origin's URL: name scheme, host and port "
                + "there, and put the placeholder after the first “/”, for a key must not choose "
                + "the host"
        case .userInformation:
            "the origin's URL holds user information before “@”: send an “authorization” field "
                + "instead"
        case .hostMissing:
            "the origin's URL names no host: write one after “//”"
        case .hostUnreadable:
            "the host in the origin's URL cannot be read: write a name of letters, digits, “-”, "
                + "“_” and “.”, an IPv4 address, or an IPv6 address in brackets"
        case .portUnreadable:
            "the port in the origin's URL cannot be read: write 1 to 65535, or leave out the “:”"
        case .fragment:
            "the origin's URL holds a fragment, which is never sent: leave out “#” and what "
                + "follows, or write %23"
        case .bracesUnbalanced:
            "a brace in the origin's URL has no partner: write {key}, {+key} or {namespace}, or "
                + "%7B and %7D where braces themselves are meant"
        case .placeholderUnknown:
            "the origin's URL holds an unknown placeholder: there are {key}, {+key} and "
                + "{namespace}"
        case .keyMissing:
            "the origin's URL has no {key}, so every key would get the same value: put {key} "
                + "where the key belongs"
        case .byteForbidden(let byte):
            "the origin's URL holds a character that must be escaped: write \(Self.escape(byte))"
        case .percentUnfinished:
            "a “%” in the origin's URL is not followed by two hexadecimal digits: write %25 for "
                + "“%” itself"
        case .dotSegment:
            "the path of the origin's URL holds a segment “.” or “..”: write the path that is meant"
        }
    }

    private static func escape(_ byte: UInt8) -> String {
        var bytes: [UInt8] = []
        PercentEncoding.append(byte, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
