import ByteCoding

/// An error in an origin's URL template, described in one line with its remedy.
package enum URLTemplateError: Error, Equatable {
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
}

extension URLTemplateError: CustomStringConvertible {
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
