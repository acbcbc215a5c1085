/// The hash functions of the SHA-2 family that JSON web tokens use (RFC 7518).
package enum SHA2: CaseIterable, Sendable {
    case sha256
    case sha384
    case sha512

    /// Bytes of a digest.
    package var byteCount: Int {
        switch self {
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }

    /// What libcrypto calls it.
    var name: String {
        switch self {
        case .sha256: "SHA256"
        case .sha384: "SHA384"
        case .sha512: "SHA512"
        }
    }

    /// Returns the digest of `bytes`.
    package func digest(of bytes: [UInt8]) -> [UInt8] {
        Libcrypto.digest(of: bytes, by: name, byteCount: byteCount)
    }
}
