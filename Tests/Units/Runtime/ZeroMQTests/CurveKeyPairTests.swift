import ByteCoding
import CZeroMQ
import Testing

@testable import ZeroMQ

@Suite struct CurveKeyPairTests {
    private static func bytes(z85 text: String) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 32)
        #expect(zmq_z85_decode(&bytes, text) != nil)
        return bytes
    }

    /// The pair of libzmq's own tests and manual.
    @Test func aPairThatOthersMadeIsKnownAsOne() throws {
        let publicBytes = Self.bytes(z85: "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7")
        let secretBytes = Self.bytes(z85: "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6")
        let publicKey = try #require(PublicKey(bytes: publicBytes))
        let secretKey = try #require(CurveSecretKey(bytes: secretBytes))
        let pair = try #require(CurveKeyPair(publicKey: publicKey, secretKey: secretKey))
        #expect(pair.publicKey == publicKey && pair.secretKey.bytes == secretBytes)
    }

    @Test func everyPairThatIsMadeIsAnotherAndWhole() throws {
        var keys: Set<PublicKey> = []
        var secrets: Set<[UInt8]> = []
        for _ in 0..<50 {
            let pair = try CurveKeyPair.generate()
            keys.insert(pair.publicKey)
            secrets.insert(pair.secretKey.bytes)
            #expect(CurveKeyPair(publicKey: pair.publicKey, secretKey: pair.secretKey) != nil)
        }
        #expect(keys.count == 50 && secrets.count == 50)
    }

    @Test func halvesOfTwoPairsAreNone() throws {
        let (one, other) = (try CurveKeyPair.generate(), try CurveKeyPair.generate())
        #expect(CurveKeyPair(publicKey: one.publicKey, secretKey: other.secretKey) == nil)
        for index in 0..<PublicKey.byteCount {
            var bytes = one.publicKey.bytes
            bytes[index] ^= 1
            let wrong = try #require(PublicKey(bytes: bytes))
            #expect(CurveKeyPair(publicKey: wrong, secretKey: one.secretKey) == nil)
        }
    }

    @Test func nothingThatPrintsItShowsTheSecret() throws {
        let pair = try CurveKeyPair.generate()
        var dumped = ""
        dump(pair, to: &dumped)
        dump(pair.secretKey, to: &dumped)
        let context = try Context(keys: pair)
        dump(context, to: &dumped)
        let shown = [
            "\(pair)", String(reflecting: pair), "\(pair.secretKey)",
            String(reflecting: pair.secretKey), String(describing: Optional(pair)), "\([pair])",
            dumped,
        ]
        let bytes = pair.secretKey.bytes
        let written = HexText.text(of: bytes)
        let listed = bytes[..<8].map(String.init).joined(separator: ", ")
        for text in shown {
            #expect(!text.contains(written.prefix(8)) && !text.contains(written.suffix(8)))
            #expect(!text.contains(listed), "\(text)")
        }
        #expect(dumped.contains("a secret key"))
    }
}
