extension Base64Text {
    /// The bytes of base64 for URLs (RFC 4648, 5), without padding.
    ///
    /// - Returns: `nil` for anything that there are not exactly these bytes for.
    package static func bytes(ofURLText text: some Collection<UInt8>) -> [UInt8]? {
        var usual: [UInt8] = []
        usual.reserveCapacity(text.count + 3)
        for byte in text {
            switch byte {
            case UInt8(ascii: "-"): usual.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): usual.append(UInt8(ascii: "/"))
            case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): return nil
            default: usual.append(byte)
            }
        }
        while usual.count % 4 != 0 { usual.append(UInt8(ascii: "=")) }
        return String(validating: usual, as: UTF8.self).flatMap { bytes(of: $0) }
    }
}
