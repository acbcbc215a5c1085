/// Why bytes are not a public key that signatures can be verified with.
package enum CryptographyError: Error, Equatable, Sendable, CustomStringConvertible {
    /// An RSA modulus that is even, or has fewer or more bits than ``RSAPublicKey/modulusBits``.
    case invalidModulus(bits: Int)
    /// An RSA exponent that is even, or has fewer or more bits than ``RSAPublicKey/exponentBits``.
    case invalidExponent(bits: Int)
    /// The encoding of a key has another length than its kind has.
    case invalidLength(bytes: Int)
    /// The coordinates are not those of a point of the curve.
    case notOnCurve
    /// libcrypto failed for a reason of its own, such as missing memory.
    case libcryptoFailed

    package var description: String {
        switch self {
        case .invalidModulus(let bits):
            "an RSA modulus of \(bits) bits is not odd and within \(RSAPublicKey.modulusBits) bits"
        case .invalidExponent(let bits):
            "an RSA exponent of \(bits) bits is not odd and within "
                + "\(RSAPublicKey.exponentBits) bits"
        case .invalidLength(let bytes): "a key of its kind does not have \(bytes) bytes"
        case .notOnCurve: "the point is not on its curve"
        case .libcryptoFailed: "libcrypto failed"
        }
    }
}
