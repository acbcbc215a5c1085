import ByteCoding

extension URLTemplate {
    /// - Parameter needsKey: whether every key must have its own URL; not required if a body names
    ///   the key.
    /// - Throws: ``URLTemplateError``: the first error in `text`.
    package init(parsing text: String, needsKey: Bool = true) throws(URLTemplateError) {
        let bytes = Array(text.utf8)
        guard bytes.count <= OriginRequestLimits.templateBytesMax else {
            throw .tooLong(bytes: bytes.count)
        }
        var rest = bytes[...]
        root = try Self.takeRoot(from: &rest)
        guard !rest.contains(UInt8(ascii: "#")) else { throw .fragment }
        let queryStart = rest.firstIndex(of: UInt8(ascii: "?")) ?? rest.endIndex
        let path = try Self.pieces(of: rest[..<queryStart])
        self.path = path.isEmpty ? [.text(Array("/".utf8))] : path
        query = try Self.pieces(of: rest[queryStart...])
        guard hasKey || !needsKey else { throw .keyMissing }
        guard !DotSegments.occur(inEscaped: Self.outline(of: path)) else { throw .dotSegment }
    }

    package var hasKey: Bool { (path + query).contains(where: \.isKey) }

    private static func takeRoot(
        from rest: inout ArraySlice<UInt8>
    ) throws(URLTemplateError) -> String {
        var scheme = ""
        for candidate in ["http://", "https://"] where rest.startsLowercased(with: candidate.utf8) {
            scheme = candidate
        }
        guard !scheme.isEmpty else {
            let head = rest.prefix { $0 != UInt8(ascii: "/") }
            throw head.contains(UInt8(ascii: "{")) ? .placeholderBeforePath : .notHTTP
        }
        rest = rest.dropFirst(scheme.utf8.count)
        let authority = rest.prefix { !"/?#".utf8.contains($0) }
        rest = rest[authority.endIndex...]
        guard !authority.contains(where: "{}".utf8.contains) else { throw .placeholderBeforePath }
        guard !authority.contains(UInt8(ascii: "@")) else { throw .userInformation }
        try check(authority)
        return scheme + String(decoding: authority, as: UTF8.self).lowercased()
    }

    /// Whether these bytes are a host, and a port if there is a colon.
    private static func check(_ authority: ArraySlice<UInt8>) throws(URLTemplateError) {
        let host: ArraySlice<UInt8>
        if authority.first == UInt8(ascii: "[") {
            guard let close = authority.firstIndex(of: UInt8(ascii: "]")) else {
                throw .hostUnreadable
            }
            host = authority[...close]
            guard host.count >= 4, host.dropFirst().dropLast().allSatisfy(isAddress) else {
                throw .hostUnreadable
            }
        } else {
            host = authority.prefix { $0 != UInt8(ascii: ":") }
            guard !host.isEmpty else { throw .hostMissing }
            guard host.allSatisfy(isHostName) else { throw .hostUnreadable }
        }
        let port = authority[host.endIndex...]
        guard !port.isEmpty else { return }
        let digits = port.dropFirst()
        guard port.first == UInt8(ascii: ":"), digits.allSatisfy(\.isDigit),
            let number = UInt16(String(decoding: digits, as: UTF8.self)), number > 0
        else { throw .portUnreadable }
    }

    private static func pieces(
        of bytes: ArraySlice<UInt8>
    ) throws(URLTemplateError) -> [Piece] {
        var pieces: [Piece] = []
        var text: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "{"):
                if !text.isEmpty { pieces.append(.text(text)) }
                text = []
                pieces.append(try takePlaceholder(from: &rest))
            case UInt8(ascii: "}"): throw .bracesUnbalanced
            case UInt8(ascii: "%"):
                let digits = rest.prefix(2)
                guard digits.count == 2,
                    digits.allSatisfy({ HexText.value(of: $0) != nil })
                else { throw .percentUnfinished }
                text.append(byte)
            default:
                guard isLiteral(byte) else { throw .byteForbidden(byte) }
                text.append(byte)
            }
        }
        if !text.isEmpty { pieces.append(.text(text)) }
        return pieces
    }

    private static func takePlaceholder(
        from rest: inout ArraySlice<UInt8>
    ) throws(URLTemplateError) -> Piece {
        let name = rest.prefix { !"{}".utf8.contains($0) }
        rest = rest[name.endIndex...]
        guard rest.popFirst() == UInt8(ascii: "}") else { throw .bracesUnbalanced }
        switch String(decoding: name, as: UTF8.self) {
        case "key": return .key(keepsSlashes: false)
        case "+key": return .key(keepsSlashes: true)
        case "namespace": return .namespace
        default: throw .placeholderUnknown
        }
    }

    /// The path with a letter in place of every placeholder.
    private static func outline(of path: [Piece]) -> [UInt8] {
        path.flatMap { piece in
            if case .text(let text) = piece { text } else { [UInt8(ascii: "k")] }
        }
    }

    /// Whether a template may have this byte in its path or query (RFC 3986, 3.3); `%` is checked
    /// together with its digits.
    private static func isLiteral(_ byte: UInt8) -> Bool {
        PercentEncoding.isUnreserved(byte) || "!$&'()*+,;=:@/?".utf8.contains(byte)
    }

    private static func isHostName(_ byte: UInt8) -> Bool {
        PercentEncoding.isUnreserved(byte) && byte != UInt8(ascii: "~")
    }

    private static func isAddress(_ byte: UInt8) -> Bool {
        HexText.value(of: byte) != nil || byte == UInt8(ascii: ":")
            || byte == UInt8(ascii: ".")
    }
}

extension URLTemplate.Piece {
    fileprivate var isKey: Bool {
        if case .key = self { true } else { false }
    }
}

extension ArraySlice<UInt8> {
    /// - Parameter prefix: in lower case.
    fileprivate func startsLowercased(with prefix: String.UTF8View) -> Bool {
        starts(with: prefix) { byte, small in
            let isCapital = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            return (isCapital ? byte | 0x20 : byte) == small
        }
    }
}
