package import CacheModel

extension OriginField {
    /// Checks the fields that a namespace sends with every request to its origin, when they are
    /// read. Accepted fields can be sent unchanged.
    package static func check(_ fields: [OriginField]) throws(OriginFieldError) {
        guard fields.count <= OriginRequestLimits.fieldsMax else { throw .tooMany(fields.count) }
        for field in fields { try field.check() }
        let bytes = fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        guard bytes <= OriginRequestLimits.fieldBytesMax else { throw .tooLong(bytes: bytes) }
    }

    private func check() throws(OriginFieldError) {
        guard !name.isEmpty else { throw .nameEmpty }
        guard name.utf8.allSatisfy(Self.isToken) else { throw .nameNotToken(name) }
        switch name.lowercased() {
        case "host", "connection", "keep-alive", "proxy-connection", "proxy-authenticate",
            "proxy-authorization", "te", "trailer", "transfer-encoding", "content-length",
            "upgrade", "expect":
            throw .ofTheConnection(name)
        case "if-none-match", "if-modified-since", "if-match", "if-unmodified-since", "if-range",
            "range":
            throw .ofTheLoad(name)
        default: break
        }
        guard value.utf8.allSatisfy(Self.isWritable) else { throw .valueUnwritable(name: name) }
        for file in secretFiles where !SecretName.isUsable(file) {
            throw .fileOutside(name: name)
        }
    }

    /// A byte that a field's name may have [1].
    ///
    /// [1] RFC 9110, section 5.6.2
    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    /// A byte that a field's value may have: everything but control characters, and the tab.
    static func isWritable(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\t") || (byte >= 0x20 && byte != 0x7F)
    }
}

/// Secrets in fields: `Bearer ${API_TOKEN}` names a variable of the node's environment, and `Bearer
/// ${file:api-token}` a file in its directory of secrets.
///
/// The configuration is served to every node and client; a node's environment and files are not.
extension OriginField {
    package var secretFiles: [String] {
        var names: [String] = []
        _ = filled { name in
            if name.hasPrefix(SecretName.prefix) {
                names.append(String(name.dropFirst(SecretName.prefix.count)))
            }
            return ""
        }
        return names
    }

    /// The same with every `${NAME}` in its value replaced.
    ///
    /// - Parameter value: of the variable of a name, or of the file of `file:NAME`; `nil` if there
    ///   is none.
    /// - Returns: `nil` if one is missing, or if its content is not valid in a field.
    package func filled(_ value: (String) -> String?) -> OriginField? {
        var rest = self.value[...]
        var text = ""
        while let begin = rest.firstRange(of: "${"),
            let end = rest[begin.upperBound...].firstIndex(of: "}")
        {
            guard let found = value(String(rest[begin.upperBound..<end])) else { return nil }
            text += rest[..<begin.lowerBound] + found
            rest = rest[rest.index(after: end)...]
        }
        text += rest
        guard text.utf8.allSatisfy(Self.isWritable) else { return nil }
        return OriginField(name: name, value: text)
    }
}

/// The name of a file inside a node's directory of secrets.
package enum SecretName {
    /// Prefix of a file name in a header's value: `${file:api-token}`.
    package static let prefix = "file:"

    /// Whether a name stays inside the directory: relative, without `.`, `..` and empty parts.
    package static func isUsable(_ name: String) -> Bool {
        guard !name.isEmpty, name.utf8.count <= OriginRequestLimits.fileNameBytesMax,
            !name.utf8.contains(0)
        else { return false }
        return name.split(separator: "/", omittingEmptySubsequences: false)
            .allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." }
    }
}

/// An error in a field that a namespace sends to its origin, described in one line with its remedy.
/// Values are never shown: they may be secrets.
package enum OriginFieldError: Error, Equatable, CustomStringConvertible {
    case nameEmpty
    case nameNotToken(String)
    /// The field belongs to the connection, or determines the destination of the request.
    case ofTheConnection(String)
    /// The node sends it itself, from the entry it holds.
    case ofTheLoad(String)
    case valueUnwritable(name: String)
    /// A file named in its value is not inside the directory of secrets.
    case fileOutside(name: String)
    case tooMany(Int)
    case tooLong(bytes: Int)

    package var description: String {
        switch self {
        case .nameEmpty:
            "a field for the origin has no name: write one, or leave the field out"
        case .nameNotToken(let name):
            "the name of the field “\(Self.shown(name))” for the origin is no token: write "
                + "letters, digits and “-” only"
        case .ofTheConnection(let name):
            "the field “\(name)” for the origin belongs to the connection, not to the request: "
                + "leave it out"
        case .ofTheLoad(let name):
            "the field “\(name)” for the origin is set by the node itself when it loads: leave "
                + "it out"
        case .valueUnwritable(let name):
            "the value of the field “\(name)” for the origin holds a line break, a NUL or "
                + "another control character: write it in one line of visible characters"
        case .fileOutside(let name):
            "the field “\(name)” for the origin names a file by a path that could leave the node's "
                + "directory of secrets: write its name in there, as in ${file:api-token}"
        case .tooMany(let count):
            "there are \(count) fields for the origin: at most \(OriginRequestLimits.fieldsMax)"
        case .tooLong(let bytes):
            "the fields for the origin have \(bytes) bytes together: at most "
                + "\(OriginRequestLimits.fieldBytesMax)"
        }
    }

    /// An invalid name, shortened and without characters that would break the line.
    private static func shown(_ name: String) -> String {
        String(
            String.UnicodeScalarView(
                name.unicodeScalars.prefix(40).map {
                    $0.value < 0x20 || $0.value == 0x7F ? "?" : $0
                }
            ))
    }
}
