import CLibcrypto
import Foundation
import Testing

@testable import Cryptography

@Suite struct SignatureTests {
    @Test(arguments: Sample.all)
    func aSignatureThatOthersMadeIsValid(sample: Sample) {
        #expect(sample.isValid)
        #expect(ERR_peek_error() == 0)
    }

    /// One bit in each byte of the signature, the message and the key.
    @Test(arguments: Sample.all)
    func oneFlippedBitMakesASignatureInvalid(sample: Sample) {
        for part in [\Sample.signature, \.message, \.key] {
            for index in sample[keyPath: part].indices {
                var bytes = sample[keyPath: part]
                bytes[index] ^= 1 << (index % 8)
                #expect(!sample.with(part, bytes).isValid, "byte \(index)")
                #expect(ERR_peek_error() == 0)
            }
        }
    }

    @Test(arguments: Sample.all)
    func aSignatureOfAnotherLengthIsInvalid(sample: Sample) {
        let whole = sample.signature
        let (r, s) = (whole[..<(whole.count / 2)], whole[(whole.count / 2)...])
        let others: [[UInt8]] = [
            [], [0], Array(whole.dropLast()), Array(whole.dropFirst()), whole + [0], [0] + whole,
            [0] + r + [0] + s, Array(r.dropLast() + s.dropLast()), whole + whole,
        ]
        for wrong in others {
            #expect(!sample.with(\.signature, wrong).isValid, "\(wrong.count) bytes")
            #expect(ERR_peek_error() == 0)
        }
    }

    @Test(arguments: Sample.all)
    func aSignatureOfAllZerosOrOnesIsInvalid(sample: Sample) {
        for byte in [UInt8(0), 0xFF] {
            let wrong = [UInt8](repeating: byte, count: sample.signature.count)
            #expect(!sample.with(\.signature, wrong).isValid)
            #expect(ERR_peek_error() == 0)
        }
    }

    /// libcrypto alone takes it: it reads a signature as a number.
    @Test func aSignatureWithoutItsLeadingZeroIsInvalid() {
        let sample = Sample.ps256WithZero
        #expect(sample.signature.first == 0 && sample.isValid)
        #expect(!sample.with(\.signature, Array(sample.signature.dropFirst())).isValid)
    }

    /// RFC 7518, 3.5: the salt is as long as the digest, and MGF1 is by the same hash function.
    @Test(arguments: [Sample.ps256WithShortSalt, .ps256WithOtherMask])
    func otherParametersOfPSSAreInvalid(sample: Sample) {
        #expect(!sample.isValid)
        #expect(ERR_peek_error() == 0)
    }

    @Test(arguments: [
        (Sample.ps256, RSAPublicKey.Padding.pkcs1, SHA2.sha256), (.ps256, .pss, .sha384),
        (.rs256, .pss, .sha256), (.rs256, .pkcs1, .sha512), (.rs384, .pkcs1, .sha256),
    ])
    func anRSASignatureIsForItsPaddingAndHashOnly(
        sample: Sample, padding: RSAPublicKey.Padding, hash: SHA2
    ) throws {
        let key = try RSAPublicKey(modulus: sample.key, exponent: [1, 0, 1])
        #expect(!key.isValidSignature(sample.signature, for: sample.message, padding, hash))
    }

    /// RFC 8032, 7.1, test 1.
    @Test func anEmptyMessageMayBeSigned() throws {
        let key = try Ed25519PublicKey(
            hex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"))
        let signature = hex(
            """
            e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155
            5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b
            """)
        #expect(key.isValidSignature(signature, for: []))
        #expect(!key.isValidSignature(signature, for: [0]))
    }

    @Test(arguments: Sample.all)
    func manyThreadsMayVerifyWithOneKey(sample: Sample) throws {
        let verify = try sample.verifier()
        var other = sample.message
        other[0] ^= 1
        let wrong = other
        let disagreements = Disagreements()
        let threads = (0..<8).map { _ in
            Thread {
                for _ in 0..<20 {
                    disagreements.add(
                        verify(sample.signature, sample.message)
                            && !verify(sample.signature, wrong) ? 0 : 1)
                }
                disagreements.finish()
            }
        }
        for thread in threads { thread.start() }
        #expect(disagreements.count(ofThreads: threads.count) == 0)
    }
}

/// Counts the wrong results of several threads, and waits until all of them have finished.
private final class Disagreements: Sendable {
    private let condition = NSCondition()
    // Sendable: every thread that touches it holds the lock of `condition`.
    private nonisolated(unsafe) var counts = (wrong: 0, finished: 0)

    func add(_ more: Int) { condition.withLock { counts.wrong += more } }

    func finish() {
        condition.withLock {
            counts.finished += 1
            condition.signal()
        }
    }

    func count(ofThreads threads: Int) -> Int {
        condition.withLock {
            while counts.finished < threads { condition.wait() }
            return counts.wrong
        }
    }
}
