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

    private let pieces: [TemplatePiece]
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
        pieces = try Self.pieces(of: text, in: encoding)
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
        of text: String, in encoding: Encoding
    ) throws(BodyTemplateError) -> [TemplatePiece] {
        var string = StringPlace()
        let pieces = try TemplatePiece.pieces(of: text) { byte throws(BodyTemplateError) in
            if let byte {
                string.pass(byte)
            } else if encoding == .json, !string.takesText {
                throw .placeholderOutsideString
            }
        }
        guard encoding == .form || !string.isInside else { throw .stringUnfinished }
        return pieces
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

/// A part of a template with the placeholders `{key}` and `{namespace}`.
enum TemplatePiece: Equatable, Sendable {
    case text([UInt8])
    case key
    case namespace

    /// - Parameter visit: called for each part in its order: with every byte of text, and with
    ///   `nil` for a placeholder.
    static func pieces<Failure>(
        of template: String, _ visit: (UInt8?) throws(Failure) -> Void
    ) throws(Failure) -> [TemplatePiece] {
        var pieces: [TemplatePiece] = []
        var text: [UInt8] = []
        var rest = Array(template.utf8)[...]
        while let byte = rest.first {
            let found = [(TemplatePiece.key, "{key}"), (.namespace, "{namespace}")].first {
                rest.starts(with: $0.1.utf8)
            }
            try visit(found == nil ? byte : nil)
            guard let (piece, name) = found else {
                text.append(byte)
                rest = rest.dropFirst()
                continue
            }
            if !text.isEmpty { pieces.append(.text(text)) }
            text = []
            pieces.append(piece)
            rest = rest.dropFirst(name.utf8.count)
        }
        return text.isEmpty ? pieces : pieces + [.text(text)]
    }
}

extension OriginPolicy {
    /// The template of the posted body; `nil` if the origin is asked by GET.
    package func bodyTemplate() throws(BodyTemplateError) -> BodyTemplate? {
        guard case .post(let text) = question else { return nil }
        let type = fields.first { $0.name.lowercased() == "content-type" }
        return try BodyTemplate(parsing: text, contentType: type?.value)
    }
}

/// An error in a body template, described in one line with its remedy.
package enum BodyTemplateError: Error, Equatable, CustomStringConvertible {
    case empty
    case tooLong(bytes: Int)
    /// Keys cannot be inserted safely into a body of this type.
    case contentTypeUnknown(String)
    case placeholderOutsideString
    case stringUnfinished

    package var description: String {
        switch self {
        case .empty:
            "the body is empty: write what the origin is asked, with {key} where the key belongs"
        case .tooLong(let bytes):
            "the body has \(bytes) bytes: at most \(OriginRequestLimits.bodyTemplateBytesMax)"
        case .contentTypeUnknown:
            "the header content-type names a type into which keys cannot be written: use "
                + "application/json (or another that ends with +json) or "
                + "application/x-www-form-urlencoded"
        case .placeholderOutsideString:
            "a placeholder is outside of a JSON string, behind a backslash, or in a string "
                + "within the string, where a key could add something of its own: put it into "
                + "quotation marks, as in \"{key}\", in GraphQL into variables"
        case .stringUnfinished:
            "a string in the JSON body has no end: close it with a quotation mark"
        }
    }
}
