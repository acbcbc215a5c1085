import CLibcrypto

@testable import Cryptography

/// A private key that tests sign tokens with. Martlet itself has none: it only verifies.
// @unchecked Sendable: no thread changes it after it has been made, and each call signs in a
// context of its own.
final class SigningKey: @unchecked Sendable {
    enum Kind {
        case p256
        case ed25519
        case rsa
    }

    /// Which call of libcrypto failed.
    struct Failure: Error {
        let line: Int
    }

    private let kind: Kind
    private let key: OpaquePointer

    init(_ kind: Kind) throws {
        Libcrypto.start()
        self.kind = kind
        let name =
            switch kind {
            case .p256: "EC"
            case .ed25519: "ED25519"
            case .rsa: "RSA"
            }
        let context = try Self.made(EVP_PKEY_CTX_new_from_name(nil, name, nil))
        defer { EVP_PKEY_CTX_free(context) }
        try Self.check(EVP_PKEY_keygen_init(context))
        switch kind {
        case .p256: try Self.check(EVP_PKEY_CTX_set_group_name(context, "P-256"))
        case .ed25519: break
        case .rsa: try Self.check(EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2_048))
        }
        var made: OpaquePointer?
        try Self.check(EVP_PKEY_generate(context, &made))
        key = try Self.made(made)
    }

    deinit { EVP_PKEY_free(key) }

    private static func check(_ result: CInt, line: Int = #line) throws {
        guard result == 1 else { throw Failure(line: line) }
    }

    private static func made<Value>(_ value: Value?, line: Int = #line) throws -> Value {
        guard let value else { throw Failure(line: line) }
        return value
    }

    // MARK: The public half

    /// x and then y of a point, or the encoding of one.
    func point() throws -> [UInt8] {
        var count = 0
        var bytes = [UInt8](repeating: 0, count: 128)
        try Self.check(
            EVP_PKEY_get_octet_string_param(
                key, OSSL_PKEY_PARAM_PUB_KEY, &bytes, bytes.count, &count))
        let encoded = Array(bytes[..<count])
        // The mark of a point that is not compressed.
        return kind == .p256 ? Array(encoded.dropFirst()) : encoded
    }

    func modulus() throws -> [UInt8] { try number(OSSL_PKEY_PARAM_RSA_N) }

    func exponent() throws -> [UInt8] { try number(OSSL_PKEY_PARAM_RSA_E) }

    private func number(_ name: String) throws -> [UInt8] {
        var number: OpaquePointer?
        try Self.check(EVP_PKEY_get_bn_param(key, name, &number))
        defer { BN_free(number) }
        var bytes = [UInt8](repeating: 0, count: Int(BN_num_bits(number) + 7) / 8)
        BN_bn2bin(number, &bytes)
        return bytes
    }

    // MARK: Signatures

    /// Signs in the form that a JSON web token has (RFC 7518, RFC 8037).
    func signature(for message: [UInt8], _ hash: SHA2?, isPSS: Bool = false) throws -> [UInt8] {
        let context = try Self.made(EVP_MD_CTX_new())
        defer { EVP_MD_CTX_free(context) }
        var keyContext: OpaquePointer?
        try Self.check(
            EVP_DigestSignInit_ex(context, &keyContext, hash?.rawValue, nil, nil, key, nil))
        if isPSS {
            try Self.check(EVP_PKEY_CTX_set_rsa_padding(keyContext, RSA_PKCS1_PSS_PADDING))
            try Self.check(EVP_PKEY_CTX_set_rsa_pss_saltlen(keyContext, RSA_PSS_SALTLEN_DIGEST))
        }
        var count = Int(EVP_PKEY_get_size(key))
        var bytes = [UInt8](repeating: 0, count: count)
        try Self.check(EVP_DigestSign(context, &bytes, &count, message, message.count))
        let signature = Array(bytes[..<count])
        return kind == .p256 ? try Self.halves(ofDER: signature) : signature
    }

    /// r and then s, each with 32 bytes.
    private static func halves(ofDER signature: [UInt8]) throws -> [UInt8] {
        let pair = try signature.withUnsafeBufferPointer { buffer in
            var start = buffer.baseAddress
            return try made(d2i_ECDSA_SIG(nil, &start, buffer.count))
        }
        defer { ECDSA_SIG_free(pair) }
        var bytes = [UInt8](repeating: 0, count: 64)
        try bytes.withUnsafeMutableBufferPointer { bytes in
            let start = try made(bytes.baseAddress)
            try check(BN_bn2binpad(ECDSA_SIG_get0_r(pair), start, 32) == 32 ? 1 : 0)
            try check(BN_bn2binpad(ECDSA_SIG_get0_s(pair), start + 32, 32) == 32 ? 1 : 0)
        }
        return bytes
    }

    /// The code of HMAC for a message.
    static func code(for message: [UInt8], _ secret: [UInt8], _ hash: SHA2) throws -> [UInt8] {
        Libcrypto.start()
        var count = 0
        var bytes = [UInt8](repeating: 0, count: hash.byteCount)
        let end = EVP_Q_mac(
            nil, "HMAC", nil, hash.rawValue, nil, secret, secret.count, message, message.count,
            &bytes,
            bytes.count, &count)
        try check(end != nil && count == bytes.count ? 1 : 0)
        return bytes
    }
}
