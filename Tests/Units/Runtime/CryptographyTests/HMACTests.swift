import Testing

@testable import Cryptography

@Suite struct HMACTests {
    /// Keys and messages of RFC 4231's cases 1, 2, 3, 4, 6 and 7; 5 is about truncated codes.
    private static let inputs: [(key: [UInt8], message: [UInt8])] = [
        ([UInt8](repeating: 0x0B, count: 20), Array("Hi There".utf8)),
        (Array("Jefe".utf8), Array("what do ya want for nothing?".utf8)),
        ([UInt8](repeating: 0xAA, count: 20), [UInt8](repeating: 0xDD, count: 50)),
        (Array(1...25), [UInt8](repeating: 0xCD, count: 50)),
        (
            [UInt8](repeating: 0xAA, count: 131),
            Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8)
        ),
        (
            [UInt8](repeating: 0xAA, count: 131),
            Array(
                """
                This is a test using a larger than block-size key and a larger than \
                block-size data. The key needs to be hashed before being used by the HMAC \
                algorithm.
                """.utf8)
        ),
    ]

    private static let codes256 = [
        hex("b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
        hex("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
        hex("773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
        hex("82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
        hex("60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
        hex("9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"),
    ]

    private static let codes384 = [
        hex(
            """
            afd03944d84895626b0825f4ab46907f15f9dadbe4101ec682aa034c7cebc59c
            faea9ea9076ede7f4af152e8b2fa9cb6
            """),
        hex(
            """
            af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e
            8e2240ca5e69e2c78b3239ecfab21649
            """),
        hex(
            """
            88062608d3e6ad8a0aa2ace014c8a86f0aa635d947ac9febe83ef4e55966144b
            2a5ab39dc13814b94e3ab6e101a34f27
            """),
        hex(
            """
            3e8a69b7783c25851933ab6290af6ca77a9981480850009cc5577c6e1f573b4e
            6801dd23c4a7d679ccf8a386c674cffb
            """),
        hex(
            """
            4ece084485813e9088d2c63a041bc5b44f9ef1012a2b588f3cd11f05033ac4c6
            0c2ef6ab4030fe8296248df163f44952
            """),
        hex(
            """
            6617178e941f020d351e2f254e8fd32c602420feb0b8fb9adccebb82461e99c5
            a678cc31e799176d3860e6110c46523e
            """),
    ]

    private static let codes512 = [
        hex(
            """
            87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde
            daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854
            """),
        hex(
            """
            164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554
            9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737
            """),
        hex(
            """
            fa73b0089d56a284efb0f0756c890be9b1b5dbdd8ee81a3655f83e33b2279d39
            bf3e848279a722c806b485a47e67c807b946a337bee8942674278859e13292fb
            """),
        hex(
            """
            b0ba465637458c6990e5a8c5f61d4af7e576d97ff94b872de76f8050361ee3db
            a91ca5c11aa25eb4d679275cc5788063a5f19741120c4f2de2adebeb10a298dd
            """),
        hex(
            """
            80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f352
            6b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598
            """),
        hex(
            """
            e37b6a775dc87dbaa4dfa9f96e5e3ffddebd71f8867289865df5a32d20cdc944
            b6022cac3c4982b10d5eeb55c3e4de15134676fb6de0446065c97440fa8c6a58
            """),
    ]

    @Test(arguments: [(SHA2.sha256, codes256), (.sha384, codes384), (.sha512, codes512)])
    func codesAreThoseOfRFC4231(hash: SHA2, codes: [[UInt8]]) {
        #expect(codes.count == Self.inputs.count)
        for ((key, message), code) in zip(Self.inputs, codes) {
            let secret = HMACSecret(key, hash)
            #expect(secret.isValidCode(code, for: message))
            #expect(!secret.isValidCode(code, for: message + [0]))
            for index in code.indices {
                var wrong = code
                wrong[index] ^= 0x80 >> (index % 8)
                #expect(!secret.isValidCode(wrong, for: message))
            }
        }
    }

    /// A truncated code is shorter than RFC 7518 says, and one that goes on is longer.
    @Test(arguments: [0, 1, 16, 31, 33, 64])
    func aCodeHasTheLengthOfItsDigest(count: Int) {
        let sample = Sample.hs256
        let code = Array((sample.signature + sample.signature).prefix(count))
        #expect(!sample.with(\.signature, code).isValid)
    }

    @Test func aCodeIsForItsHashOnly() {
        let sample = Sample.hs256
        for hash in [SHA2.sha384, .sha512] {
            let secret = HMACSecret(sample.key, hash)
            #expect(!secret.isValidCode(sample.signature, for: sample.message))
        }
    }

    @Test func anEmptySecretIsOne() {
        let code = hex("b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
        #expect(HMACSecret([], .sha256).isValidCode(code, for: []))
    }
}
