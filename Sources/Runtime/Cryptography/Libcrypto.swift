internal import CLibcrypto

/// OpenSSL's libcrypto: how it is started, and its queue of errors.
///
/// This module computes digests and verifies signatures for the gateway: the digest of a token at
/// each request, the answer to the handshake of a WebSocket, the signature of a JSON web token.
/// Event loops and tasks call it, on any thread and several at a time with one key. A call takes
/// 0.3 µs (SHA-256 of a token) to 0.5 ms (ES384) of the thread that makes it, and never waits.
///
/// It never signs: there are no private keys here and no random numbers. Each type checks lengths
/// and sizes before it asks libcrypto, which takes more than the standards allow. No other module
/// imports the C library.
enum Libcrypto {
    /// Starts the library before its first use, with two of its habits switched off.
    ///
    /// It reads no `openssl.cnf`, so the same keys and signatures are valid on every machine. It
    /// frees nothing when the process exits, because threads may still verify signatures then.
    ///
    /// Safe on any thread: the first call starts it, the others wait for that.
    static func start() { precondition(isStarted, "libcrypto could not be initialised") }

    private static let isStarted =
        OPENSSL_init_crypto(
            UInt64(OPENSSL_INIT_NO_LOAD_CONFIG) | UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1

    /// Returns what `body` returns, and empties the thread's error queue if that is `nil`.
    ///
    /// libcrypto keeps errors for each thread until they are read. A stale one would be taken for
    /// the error of a later call by other code that uses the library on the same thread.
    static func result<Value>(_ body: () -> Value?) -> Value? {
        start()
        let value = body()
        if value == nil { ERR_clear_error() }
        return value
    }
}

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

/// The hash functions of the SHA-2 family that JSON web tokens use (RFC 7518).
/// The raw values are libcrypto's names.
package enum SHA2: String, CaseIterable, Sendable {
    case sha256 = "SHA256"
    case sha384 = "SHA384"
    case sha512 = "SHA512"

    /// Bytes of a digest.
    package var byteCount: Int {
        switch self {
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }

    /// Returns the digest of `bytes`.
    package func digest(of bytes: [UInt8]) -> [UInt8] {
        Libcrypto.digest(of: bytes, by: rawValue, byteCount: byteCount)
    }
}

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
