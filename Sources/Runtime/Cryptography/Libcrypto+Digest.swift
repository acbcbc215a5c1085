internal import CLibcrypto

extension Libcrypto {
    /// Returns the digest of `bytes` by the hash function that libcrypto knows as `name`.
    static func digest(of bytes: [UInt8], by name: String, byteCount: Int) -> [UInt8] {
        start()
        var count = 0
        var isDone = false
        let digest = [UInt8](unsafeUninitializedCapacity: byteCount) { output, used in
            isDone =
                EVP_Q_digest(
                    nil, name, nil, bytes, bytes.count, output.baseAddress, &count) == 1
            used = isDone ? count : 0
        }
        precondition(isDone && count == byteCount, "libcrypto cannot compute \(name)")
        return digest
    }
}
