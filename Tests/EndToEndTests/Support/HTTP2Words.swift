/// Bytes of HTTP/2 (RFC 9113) that a client says.
enum HTTP2Words {
    /// What a connection begins with, and SETTINGS without any.
    static let preface: [UInt8] =
        Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + frame(type: 4, flags: 0, stream: 0, [])

    /// GET / on stream 1.
    ///
    /// - Parameter isWhole: whether it says that nothing more comes.
    static func request(isWhole: Bool) -> [UInt8] {
        // HPACK: GET, https and / of the static table, then :authority as it is.
        let fields = [0x82, 0x87, 0x84, 0x41, 0x09] + Array("localhost".utf8)
        return frame(type: 1, flags: isWhole ? 0x5 : 0x4, stream: 1, fields)
    }

    private static func frame(
        type: UInt8, flags: UInt8, stream: UInt8, _ payload: [UInt8]
    ) -> [UInt8] {
        [0, 0, UInt8(payload.count), type, flags, 0, 0, 0, stream] + payload
    }
}
