import Testing

@testable import Cryptography

/// The examples of FIPS 180-4 that NIST publishes, and that of RFC 6455.
@Suite struct DigestTests {
    private static let long = Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8)

    @Test(arguments: [
        ([], "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
        (Array("abc".utf8), "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (long, "84983e441c3bd26ebaae4aa1f95129e5e54670f1"),
    ])
    func sha1IsThatOfNIST(bytes: [UInt8], digest: String) {
        #expect(hex(of: SHA1.digest(of: bytes)) == digest)
    }

    /// RFC 6455, 1.3.
    @Test func sha1AnswersTheHandshakeOfAWebSocket() {
        let text = "dGhlIHNhbXBsZSBub25jZQ==258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        let accept = base64URL("s3pPLMBiTxaQ9kYGzzhZRbK-xOo")
        #expect(SHA1.digest(of: Array(text.utf8)) == accept)
    }

    @Test(arguments: [
        ([], "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        (
            Array("abc".utf8),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        ),
        (long, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
    ])
    func sha256IsThatOfNIST(bytes: [UInt8], digest: String) {
        #expect(hex(of: SHA2.sha256.digest(of: bytes)) == digest)
    }

    @Test func aMillionLettersAreHashedAsByNIST() {
        let bytes = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
        let sha1 = hex(of: SHA1.digest(of: bytes))
        let sha256 = hex(of: SHA2.sha256.digest(of: bytes))
        #expect(sha1 == "34aa973cd4c4daa4f61eeb2bdbad27316534016f")
        #expect(sha256 == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test func sha384And512AreThoseOfNIST() {
        let digest384 = """
            cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed\
            8086072ba1e7cc2358baeca134c825a7
            """
        let digest512 = """
            ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a\
            2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f
            """
        #expect(hex(of: SHA2.sha384.digest(of: Array("abc".utf8))) == digest384)
        #expect(hex(of: SHA2.sha512.digest(of: Array("abc".utf8))) == digest512)
    }

    @Test(arguments: SHA2.allCases)
    func aDigestHasItsLength(hash: SHA2) {
        #expect(hash.digest(of: Self.long).count == hash.byteCount)
    }
}
