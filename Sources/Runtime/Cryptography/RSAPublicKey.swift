internal import CLibcrypto

/// A public key of RSA, and the signatures that it verifies (RFC 8017, 8.1 and 8.2).
///
/// libcrypto alone would take keys that are far too small, and large exponents, which make each
/// verification slow. The bounds of both numbers are those that BoringSSL and swift-crypto have:
/// docs/decisions/0076.
package struct RSAPublicKey: Sendable {
    /// How a digest is padded before it is signed.
    package enum Padding: Sendable {
        /// RSASSA-PKCS1-v1_5: `RS256`, `RS384`, `RS512`.
        case pkcs1
        /// RSASSA-PSS with a salt as long as the digest and MGF1 with the same hash function:
        /// `PS256`, `PS384`, `PS512`.
        case pss
    }

    /// Bits of a modulus that is taken.
    package static let modulusBits = 2_048...8_192
    /// Bits of an exponent that is taken.
    package static let exponentBits = 2...33

    private let key: VerificationKey

    /// Makes a key of two big-endian numbers; zeros in front of them count for nothing.
    ///
    /// - Throws: ``CryptographyError`` if one of them is outside its bounds or even.
    package init(modulus: [UInt8], exponent: [UInt8]) throws(CryptographyError) {
        guard let n = Self.number(modulus) else { throw .libcryptoFailed }
        defer { BN_free(n) }
        guard let e = Self.number(exponent) else { throw .libcryptoFailed }
        defer { BN_free(e) }
        let (modulusBits, exponentBits) = (Int(BN_num_bits(n)), Int(BN_num_bits(e)))
        guard Self.modulusBits.contains(modulusBits), BN_is_odd(n) == 1 else {
            throw .invalidModulus(bits: modulusBits)
        }
        guard Self.exponentBits.contains(exponentBits), BN_is_odd(e) == 1 else {
            throw .invalidExponent(bits: exponentBits)
        }
        let made = VerificationKey("RSA") { builder in
            OSSL_PARAM_BLD_push_BN(builder, martlet_param_modulus, n) == 1
                && OSSL_PARAM_BLD_push_BN(builder, martlet_param_exponent, e) == 1
        }
        guard let made else { throw .libcryptoFailed }
        key = made
    }

    /// Whether `signature` is one of `message`. It has exactly as many bytes as the modulus.
    package func isValidSignature(
        _ signature: [UInt8], for message: [UInt8], _ padding: Padding, _ hash: SHA2
    ) -> Bool {
        // For PSS, libcrypto would also take a signature without the zeros in front of it.
        guard signature.count == key.signatureBytesMax else { return false }
        return key.isValidSignature(signature, for: message, hash: hash) { context in
            switch padding {
            case .pkcs1: EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1
            case .pss:
                EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1
                    && EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) == 1
            }
        }
    }

    private static func number(_ bytes: [UInt8]) -> OpaquePointer? {
        Libcrypto.result {
            Int32(exactly: bytes.count).flatMap { BN_bin2bn(bytes, $0, nil) }
        }
    }
}
