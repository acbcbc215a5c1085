internal import CLibcrypto

/// A public key of Ed25519, and the signatures that it verifies (RFC 8032, 5.1).
package struct Ed25519PublicKey: Sendable {
    /// Bytes of a key.
    package static let byteCount = 32
    /// Bytes of a signature.
    package static let signatureBytes = 64

    private let key: VerificationKey

    /// Makes a key of its encoding. Bytes that encode no point are taken, and verify nothing.
    ///
    /// - Throws: ``CryptographyError`` if there are not exactly ``byteCount`` of them.
    package init(_ bytes: [UInt8]) throws(CryptographyError) {
        guard bytes.count == Self.byteCount else { throw .invalidLength(bytes: bytes.count) }
        let made = Libcrypto.result {
            EVP_PKEY_new_raw_public_key_ex(nil, "ED25519", nil, bytes, bytes.count)
        }
        guard let made else { throw .libcryptoFailed }
        key = VerificationKey(owning: made)
    }

    /// Whether `signature` is one of `message`.
    package func isValidSignature(_ signature: [UInt8], for message: [UInt8]) -> Bool {
        signature.count == Self.signatureBytes
            && key.isValidSignature(signature, for: message, hash: nil)
    }
}
