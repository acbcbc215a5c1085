import ByteCoding
package import CacheModel

/// The body of a POST that asks an origin for a key:
/// `{"query": "…", "variables": {"id": "{key}"}}`.
///
/// `{key}` and `{namespace}` are placeholders; every other brace is literal. The content type
/// determines how they are escaped, so that a key cannot end its string or field and add another
/// one:
/// - JSON [1]: escaped as in a string. A placeholder must be inside a string.
/// - A form [2]: every byte that is not unreserved is percent-encoded.
///
/// [1] RFC 8259, section 7. [2] URL Standard, application/x-www-form-urlencoded.
package struct BodyTemplate: Equatable, Sendable {
    enum Encoding: Equatable, Sendable {
        case json
        case form
    }

    private enum Piece: Equatable {
        case text([UInt8])
        case key
        case namespace
    }

    private let pieces: [Piece]
    private let encoding: Encoding

    /// Sent if the namespace's own fields name no content type.
    package static let defaultContentType = "application/json"

    /// - Parameter contentType: the field of the request; `nil`: ``defaultContentType``.
    package init(parsing text: String, contentType: String?) throws(BodyTemplateError) {
        guard !text.isEmpty else { throw .empty }
        guard text.utf8.count <= OriginRequestLimits.bodyTemplateBytesMax else {
            throw .tooLong(bytes: text.utf8.count)
        }
        encoding = try Self.encoding(of: contentType ?? Self.defaultContentType)
        pieces = try Self.pieces(of: Array(text.utf8)[...], in: encoding)
    }

    package var hasKey: Bool { pieces.contains(.key) }

    /// The body for a key. O(bytes of template and key).
    ///
    /// - Returns: `nil` if this key must not be inserted: it is not UTF-8, which JSON requires.
    package func body(of key: CacheKey, in namespace: Namespace) -> [UInt8]? {
        var body: [UInt8] = []
        for piece in pieces {
            switch piece {
            case .text(let text): body += text
            case .key:
                guard append(key.bytes, to: &body) else { return nil }
            case .namespace:
                guard append(Array(namespace.name.utf8), to: &body) else { return nil }
            }
        }
        return body
    }

    private func append(_ bytes: [UInt8], to body: inout [UInt8]) -> Bool {
        switch encoding {
        case .json:
            guard let text = String(validating: bytes, as: UTF8.self) else { return false }
            body += JSONString.quoted(text).utf8.dropFirst().dropLast()
        case .form:
            for byte in bytes {
                if PercentEncoding.isUnreserved(byte) {
                    body.append(byte)
                } else {
                    PercentEncoding.append(byte, to: &body)
                }
            }
        }
        return true
    }

    private static func encoding(of contentType: String) throws(BodyTemplateError) -> Encoding {
        let type = contentType.prefix { $0 != ";" }.trimmed().lowercased()
        if type == "application/json" || (type.hasPrefix("application/") && type.hasSuffix("+json"))
        {
            return .json
        }
        guard type == "application/x-www-form-urlencoded" else {
            throw .contentTypeUnknown(contentType)
        }
        return .form
    }

    private static func pieces(
        of bytes: ArraySlice<UInt8>, in encoding: Encoding
    ) throws(BodyTemplateError) -> [Piece] {
        var pieces: [Piece] = []
        var text: [UInt8] = []
        var string = StringPlace()
        var rest = bytes
        while let byte = rest.first {
            guard let (piece, length) = placeholder(at: rest) else {
                text.append(byte)
                string.pass(byte)
                rest = rest.dropFirst()
                continue
            }
            guard encoding == .form || string.takesText else { throw .placeholderOutsideString }
            if !text.isEmpty { pieces.append(.text(text)) }
            text = []
            pieces.append(piece)
            rest = rest.dropFirst(length)
        }
        guard encoding == .form || !string.isInside else { throw .stringUnfinished }
        return text.isEmpty ? pieces : pieces + [.text(text)]
    }

    private static func placeholder(at rest: ArraySlice<UInt8>) -> (Piece, Int)? {
        for (piece, name) in [(Piece.key, "{key}"), (.namespace, "{namespace}")]
        where rest.starts(with: name.utf8) {
            return (piece, name.utf8.count)
        }
        return nil
    }

    /// Whether the next byte of a JSON text is inside a string.
    private struct StringPlace {
        private(set) var isInside = false
        private var isEscaped = false

        /// Inside a string that is itself written in the string, such as a literal of GraphQL.
        private var isInner = false

        /// Not after a backslash: a key may begin with any byte. And not in an inner string, for
        /// which it is not escaped.
        var takesText: Bool { isInside && !isEscaped && !isInner }

        mutating func pass(_ byte: UInt8) {
            if isEscaped {
                isEscaped = false
                if byte == UInt8(ascii: "\"") { isInner.toggle() }
            } else if byte == UInt8(ascii: "\"") {
                isInside.toggle()
                isInner = false
            } else if isInside, byte == UInt8(ascii: "\\") {
                isEscaped = true
            }
        }
    }
}
