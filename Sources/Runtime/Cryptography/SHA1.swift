/// SHA-1, for the handshake of WebSockets only (RFC 6455, 4.2.2). It is broken for signatures, and
/// no signature can be verified with it here.
package enum SHA1 {
    /// Bytes of a digest.
    package static let byteCount = 20

    /// Returns the digest of `bytes`.
    package static func digest(of bytes: [UInt8]) -> [UInt8] {
        Libcrypto.digest(of: bytes, by: "SHA1", byteCount: byteCount)
    }
}
