import CLibcrypto
import Testing

@testable import Cryptography

@Suite struct PublicKeyTests {
    // MARK: RSA

    /// An odd modulus of exactly that many bits. It need not be a product of primes.
    private static func modulus(bits: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0x5A, count: (bits + 7) / 8)
        bytes[0] = 1 << ((bits - 1) % 8)
        bytes[bytes.count - 1] |= 1
        return bytes
    }

    @Test(arguments: [2_048, 2_049, 3_072, 4_096, 8_192])
    func anRSAKeyOfAllowedSizeIsTaken(bits: Int) throws {
        _ = try RSAPublicKey(modulus: Self.modulus(bits: bits), exponent: [1, 0, 1])
        // Zeros in front are not counted.
        _ = try RSAPublicKey(modulus: [0, 0] + Self.modulus(bits: bits), exponent: [0, 1, 0, 1])
    }

    @Test(arguments: [1, 512, 1_024, 2_040, 2_047, 8_193, 16_384])
    func anRSAKeyOfAnotherSizeIsRefused(bits: Int) {
        #expect(throws: CryptographyError.invalidModulus(bits: bits)) {
            try RSAPublicKey(modulus: Self.modulus(bits: bits), exponent: [1, 0, 1])
        }
    }

    @Test func anRSAKeyIsAboutOddNumbers() {
        var even = Self.modulus(bits: 2_048)
        even[even.count - 1] ^= 1
        #expect(throws: CryptographyError.invalidModulus(bits: 2_048)) {
            try RSAPublicKey(modulus: even, exponent: [1, 0, 1])
        }
        #expect(throws: CryptographyError.invalidModulus(bits: 0)) {
            try RSAPublicKey(modulus: [], exponent: [1, 0, 1])
        }
    }

    @Test(arguments: [[3], [17], [1, 0, 1], [1, 0, 0, 0, 1], [1, 0xFF, 0xFF, 0xFF, 0xFF]])
    func anRSAExponentOfAllowedSizeIsTaken(exponent: [UInt8]) throws {
        _ = try RSAPublicKey(modulus: Self.modulus(bits: 2_048), exponent: exponent)
    }

    @Test(arguments: [
        ([], 0), ([0], 0), ([1], 1), ([2], 2), ([1, 0, 0], 17), ([2, 0, 0, 0, 1], 34),
        (modulus(bits: 2_048), 2_048),
    ])
    func anRSAExponentThatIsEvenOrTooLargeIsRefused(exponent: [UInt8], bits: Int) {
        #expect(throws: CryptographyError.invalidExponent(bits: bits)) {
            try RSAPublicKey(modulus: Self.modulus(bits: 2_048), exponent: exponent)
        }
    }

    // MARK: Curves

    @Test(arguments: [Sample.es256, .es384, .es512])
    func aPointOffItsCurveIsRefused(sample: Sample) throws {
        guard case .curve(let curve, _) = sample.kind else { return }
        let zero = [UInt8](repeating: 0, count: sample.key.count)
        let ones = [UInt8](repeating: 0xFF, count: sample.key.count)
        let half = curve.coordinateBytes
        let swapped = Array(sample.key[half...] + sample.key[..<half])
        var flipped = sample.key
        flipped[half - 1] ^= 1
        for point in [zero, ones, swapped, flipped] {
            #expect(throws: CryptographyError.notOnCurve) {
                try EllipticCurvePublicKey(curve, point: point)
            }
            #expect(ERR_peek_error() == 0)
        }
    }

    @Test(arguments: [Sample.es256, .es384, .es512])
    func aPointOfAnotherLengthIsRefused(sample: Sample) throws {
        guard case .curve(let curve, _) = sample.kind else { return }
        let point = sample.key
        // Compressed and uncompressed forms are none that web keys have.
        let half = curve.coordinateBytes
        let others: [[UInt8]] = [
            [], [0], Array(point.dropLast()), [4] + point, [2] + point[..<half],
        ]
        for wrong in others {
            #expect(throws: CryptographyError.invalidLength(bytes: wrong.count)) {
                try EllipticCurvePublicKey(curve, point: wrong)
            }
        }
        for other in EllipticCurvePublicKey.Curve.allCases where other != curve {
            #expect(throws: CryptographyError.invalidLength(bytes: point.count)) {
                try EllipticCurvePublicKey(other, point: point)
            }
        }
    }

    /// The same point with its x as a number that is not reduced.
    @Test func aCoordinateBeyondTheFieldIsRefused() throws {
        let prime = hex("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff")
        let y = hex("66485c780e2f83d72433bd5d84a06bb6541c2af31dae871728bf856a174f93f4")
        _ = try EllipticCurvePublicKey(.p256, point: [UInt8](repeating: 0, count: 32) + y)
        #expect(throws: CryptographyError.notOnCurve) {
            try EllipticCurvePublicKey(.p256, point: prime + y)
        }
        #expect(ERR_peek_error() == 0)
    }

    /// r and s of zero, and of the order of the curve.
    @Test func aSignatureWithComponentsOutOfRangeIsInvalid() throws {
        let zero = [UInt8](repeating: 0, count: 32)
        let order = hex("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")
        let (r, s) = (Sample.es256.signature[..<32], Sample.es256.signature[32...])
        let others: [[UInt8]] = [
            r + zero, zero + s, r + order, order + s, zero + zero, order + order,
        ]
        for wrong in others {
            #expect(!Sample.es256.with(\.signature, wrong).isValid)
            #expect(ERR_peek_error() == 0)
        }
    }

    // MARK: Ed25519

    @Test(arguments: [0, 1, 31, 33, 57, 64])
    func anEd25519KeyHas32Bytes(count: Int) {
        #expect(throws: CryptographyError.invalidLength(bytes: count)) {
            try Ed25519PublicKey([UInt8](repeating: 1, count: count))
        }
    }

    /// The file of keys it is in stays usable, as it was before.
    @Test func anEd25519KeyThatIsNoPointVerifiesNothing() throws {
        let noPoint = [2] + [UInt8](repeating: 0, count: 31)
        let key = try Ed25519PublicKey(noPoint)
        let sample = Sample.edDSA
        #expect(!key.isValidSignature(sample.signature, for: sample.message))
        #expect(ERR_peek_error() == 0)
    }

    /// The same signature with the order of the group added to its s (RFC 8032, 5.1.7).
    @Test func anEd25519SignatureHasOneFormOnly() {
        let order = hex("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010")
        var changed = Sample.edDSA.signature
        var carry: UInt16 = 0
        for index in order.indices {
            carry += UInt16(changed[32 + index]) + UInt16(order[index])
            changed[32 + index] = UInt8(truncatingIfNeeded: carry)
            carry >>= 8
        }
        #expect(carry == 0)
        #expect(!Sample.edDSA.with(\.signature, changed).isValid)
    }

    @Test(arguments: [
        (CryptographyError.invalidModulus(bits: 1_024), "1024"), (.invalidExponent(bits: 1), "1"),
        (.invalidLength(bytes: 31), "31"), (.notOnCurve, "curve"), (.libcryptoFailed, "libcrypto"),
    ])
    func anErrorSaysWhatIsWrong(error: CryptographyError, word: String) {
        #expect("\(error)".contains(word))
    }
}
