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
