/// An error in a field that a namespace sends to its origin, described in one line with its remedy.
/// Values are never shown: they may be secrets.
package enum OriginFieldError: Error, Equatable {
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
}

extension OriginFieldError: CustomStringConvertible {
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
