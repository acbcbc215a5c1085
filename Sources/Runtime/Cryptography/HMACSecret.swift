internal import CLibcrypto

/// A secret that authentication codes are verified with: HMAC (RFC 2104) by one hash function.
package struct HMACSecret: Sendable {
    private let bytes: [UInt8]
    private let hash: SHA2

    package init(_ bytes: [UInt8], _ hash: SHA2) {
        self.bytes = bytes
        self.hash = hash
    }

    /// Whether `code` is the authentication code of `message`.
    ///
    /// The time it takes does not depend on how many bytes of `code` are right.
    package func isValidCode(_ code: [UInt8], for message: [UInt8]) -> Bool {
        let right = self.code(for: message)
        return code.count == right.count && CRYPTO_memcmp(code, right, right.count) == 0
    }

    private func code(for message: [UInt8]) -> [UInt8] {
        Libcrypto.start()
        var count = 0
        var isDone = false
        let code = [UInt8](unsafeUninitializedCapacity: hash.byteCount) { output, used in
            isDone =
                EVP_Q_mac(
                    nil, "HMAC", nil, hash.rawValue, nil, bytes, bytes.count, message,
                    message.count,
                    output.baseAddress, output.count, &count) != nil
            used = isDone ? count : 0
        }
        precondition(
            isDone && count == hash.byteCount, "libcrypto cannot compute HMAC with \(hash.rawValue)"
        )
        return code
    }
}
