internal import CLibcrypto

/// A public key in libcrypto's form (`EVP_PKEY`), freed with the last reference to it.
///
/// Every kind of public key in this module owns one. The kinds check lengths and sizes, because
/// libcrypto takes more than the standards allow; this class verifies.
// @unchecked Sendable: no thread changes an EVP_PKEY after it has been made. libcrypto counts its
// references atomically and guards what it caches in it by a lock of its own, and each call
// verifies in an EVP_MD_CTX that no other thread sees.
final class VerificationKey: @unchecked Sendable {
    private let key: OpaquePointer

    /// Takes ownership of an `EVP_PKEY`.
    init(owning key: OpaquePointer) { self.key = key }

    deinit { EVP_PKEY_free(key) }

    /// Bytes of the longest signature.
    var signatureBytesMax: Int { Int(EVP_PKEY_get_size(key)) }

    /// Whether `signature` is one of `message` by the private half of this key.
    ///
    /// - Parameters:
    ///   - hash: the hash function, `nil` for kinds of keys that have one of their own.
    ///   - configure: sets the parameters of the verification; `false` if that failed.
    func isValidSignature(
        _ signature: [UInt8], for message: [UInt8], hash: SHA2?,
        configure: (_ context: OpaquePointer) -> Bool = { _ in true }
    ) -> Bool {
        let result: Void? = Libcrypto.result {
            guard let context = EVP_MD_CTX_new() else { return nil }
            defer { EVP_MD_CTX_free(context) }
            // It belongs to `context`.
            var keyContext: OpaquePointer?
            guard
                EVP_DigestVerifyInit_ex(context, &keyContext, hash?.rawValue, nil, nil, key, nil)
                    == 1,
                let keyContext, configure(keyContext),
                EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
            else { return nil }
            return ()
        }
        return result != nil
    }
}

extension VerificationKey {
    /// Makes a key of the kind that libcrypto knows as `kind`; `nil` if libcrypto refuses it.
    ///
    /// - Parameter fill: appends the key's parameters; `false` if that failed. The builder reads
    ///   their names and values after `fill` has returned, so they outlive this call.
    convenience init?(_ kind: String, _ fill: (_ builder: OpaquePointer) -> Bool) {
        let key: OpaquePointer? = Libcrypto.result {
            guard let builder = OSSL_PARAM_BLD_new() else { return nil }
            defer { OSSL_PARAM_BLD_free(builder) }
            guard fill(builder), let parameters = OSSL_PARAM_BLD_to_param(builder) else {
                return nil
            }
            defer { OSSL_PARAM_free(parameters) }
            guard let context = EVP_PKEY_CTX_new_from_name(nil, kind, nil) else { return nil }
            defer { EVP_PKEY_CTX_free(context) }
            var key: OpaquePointer?
            guard EVP_PKEY_fromdata_init(context) == 1,
                EVP_PKEY_fromdata(context, &key, martlet_selection_public_key, parameters) == 1
            else { return nil }
            return key
        }
        guard let key else { return nil }
        self.init(owning: key)
    }
}

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
